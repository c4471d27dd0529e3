//! Settings from environment variables.
//!
//! A variable that is set but empty counts: text becomes empty, an optional number is unset, anything else is an error.

use std::time::Duration;

/// Finds an environment variable; an empty value is a value.
pub type Lookup<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// Reads a variable. A value that cannot be used becomes a problem.
pub fn read<T: Default>(
    lookup: Lookup,
    name: &str,
    parse: fn(&str) -> Result<T, String>,
    problems: &mut Vec<String>,
) -> T {
    parse(&lookup(name).unwrap_or_default()).unwrap_or_else(|problem| {
        problems.push(format!("{name}: {problem}"));
        T::default()
    })
}

/// Any text.
pub fn text(value: &str) -> Result<String, String> {
    Ok(value.to_owned())
}

/// A boolean, as Go writes them.
pub fn boolean(value: &str) -> Result<bool, String> {
    match value.trim() {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(format!("must be true or false, not {value:?}")),
    }
}

/// A non-negative integer.
pub fn integer(value: &str) -> Result<u64, String> {
    let number = value.trim().parse::<i64>().ok().and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| format!("must be a non-negative integer, not {value:?}"))
}

/// An integer; empty is none.
pub fn optional_integer(value: &str) -> Result<Option<i64>, String> {
    match value.trim() {
        "" => Ok(None),
        trimmed => trimmed.parse().map(Some).map_err(|_| format!("must be an integer, not {value:?}")),
    }
}

/// A decimal number; empty is none.
pub fn optional_number(value: &str) -> Result<Option<f64>, String> {
    let trimmed = value.trim();
    if trimmed.is_empty() {
        return Ok(None);
    }
    let is_decimal = !trimmed.contains(|character: char| !"0123456789.eE+-".contains(character)); // no `nan`, no `inf`
    let number = if is_decimal { trimmed.parse().ok() } else { None };
    number.map(Some).ok_or_else(|| format!("must be a number, not {value:?}"))
}

/// A duration of more than zero.
pub fn duration(value: &str) -> Result<Duration, String> {
    match parse_nanoseconds(value.trim()) {
        None => Err(format!("must be a duration such as 500ms, 30s or 5m, not {value:?}")),
        Some(nanoseconds) => match u64::try_from(nanoseconds) {
            Ok(nanoseconds @ 1..) => Ok(Duration::from_nanos(nanoseconds)),
            _ => Err(format!("must be more than zero, not {value:?}")),
        },
    }
}

/// The units of durations; those that begin like another come first.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Reads a duration as Go writes them, such as `1h30m`, in nanoseconds.
pub fn parse_nanoseconds(value: &str) -> Option<i64> {
    let (negative, mut rest) = match value.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, value.strip_prefix('+').unwrap_or(value)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let digits = |text: &str| text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let mut nanoseconds: i128 = 0;
    while !rest.is_empty() {
        let (whole, after) = rest.split_at(digits(rest));
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => after.split_at(digits(after)),
            None => ("", after),
        };
        let (unit, size) = UNITS.into_iter().find(|(unit, _)| after.starts_with(unit))?;
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        if !whole.is_empty() {
            nanoseconds = nanoseconds.checked_add(whole.parse::<i128>().ok()?.checked_mul(i128::from(size))?)?;
        }
        if !fraction.is_empty() {
            let scale = 10_f64.powi(i32::try_from(fraction.len()).ok()?);
            nanoseconds += (fraction.parse::<f64>().ok()? * (size as f64 / scale)) as i128; // as inexact as in Go
        }
        rest = after.strip_prefix(unit)?;
    }
    i64::try_from(if negative { -nanoseconds } else { nanoseconds }).ok()
}

/// Writes a duration in nanoseconds as Go does: `1m30s`, `500ms`.
pub fn format_nanoseconds(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let nanoseconds = nanoseconds.unsigned_abs();
    let written = match nanoseconds {
        0 => "0s".to_owned(),
        1..1_000 => format!("{nanoseconds}ns"),
        1_000..1_000_000 => decimal(nanoseconds, 3) + "µs",
        1_000_000..1_000_000_000 => decimal(nanoseconds, 6) + "ms",
        _ => {
            let seconds = decimal(nanoseconds % 60_000_000_000, 9) + "s";
            match nanoseconds / 60_000_000_000 {
                0 => seconds,
                minutes @ 1..60 => format!("{minutes}m{seconds}"),
                minutes => format!("{}h{}m{seconds}", minutes / 60, minutes % 60),
            }
        }
    };
    format!("{sign}{written}")
}

/// Writes a duration as Go does.
pub fn format_duration(duration: Duration) -> String {
    format_nanoseconds(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
}

/// Writes a value that has so many decimal places, without zeros at its end.
fn decimal(value: u64, places: usize) -> String {
    let unit = 10_u64.pow(places as u32);
    let written = format!("{}.{:0places$}", value / unit, value % unit);
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}
