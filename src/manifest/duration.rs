//! Go durations, parsed and printed exactly like `time.ParseDuration` and `time.Duration` of Go's standard library.
//!
//! Go programs parse these durations later, so any difference would only appear at run time.

use std::fmt;

/// Nanoseconds, like Go's `time.Duration`. Prints like Go: `1h30m0s`, `1.5s`, `500ms`, `0s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GoDuration(pub i64);

/// Why a string is not a Go duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// The string is empty.
    #[error("it is empty")]
    Empty,
    /// It is valid apart from spaces.
    #[error("it contains a space")]
    Space,
    /// It is not a sequence of numbers with units.
    #[error("it must consist of numbers with units")]
    Malformed,
    /// A number has no unit.
    #[error("a number has no unit")]
    MissingUnit,
    /// A unit that Go does not support.
    #[error("unknown unit `{unit}`")]
    UnknownUnit {
        /// The unit as written.
        unit: String,
    },
    /// More than about 292 years.
    #[error("it is out of range")]
    Overflow,
}

/// The magnitude of the smallest duration; one more than that of the largest.
const LIMIT: u64 = 1 << 63;
const SECOND: u64 = 1_000_000_000;

/// Parses a duration: an optional sign, then numbers with units (`ns`, `us`, `µs`, `ms`, `s`, `m`, `h`); or `0`.
///
/// # Errors
/// Returns why the string is invalid; [`suggestion`] may return a valid duration for it.
pub fn parse(text: &str) -> Result<GoDuration, DurationError> {
    parse_exactly(text).map_err(|error| {
        let joined: String = text.split_whitespace().collect();
        if joined.len() < text.len() && parse_exactly(&joined).is_ok() { DurationError::Space } else { error }
    })
}

fn parse_exactly(text: &str) -> Result<GoDuration, DurationError> {
    let (negative, magnitude) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    if magnitude.is_empty() {
        return Err(if text.is_empty() { DurationError::Empty } else { DurationError::Malformed });
    }
    let total = if magnitude == "0" { 0 } else { sum_of_terms(magnitude)? };
    match (negative, i64::try_from(total)) {
        (false, Ok(nanoseconds)) => Ok(GoDuration(nanoseconds)),
        (true, Ok(nanoseconds)) => Ok(GoDuration(-nanoseconds)),
        (true, Err(_)) if total == LIMIT => Ok(GoDuration(i64::MIN)),
        (_, Err(_)) => Err(DurationError::Overflow),
    }
}

/// The Go duration for a duration in another notation: `168h` for `7d` and `1 week`. Returns `None` if there is none.
pub fn suggestion(written: &str) -> Option<String> {
    let text = written.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return (seconds > 0).then(|| format!("{seconds}s"));
    }
    let meant = parse(&text.replace(' ', "")).ok().map(|duration| duration.0).or_else(|| {
        let duration = humantime::parse_duration(&text.to_lowercase()).ok()?;
        i64::try_from(duration.as_nanos()).ok()
    })?;
    Some(GoDuration(meant).short()).filter(|short| short != written)
}

/// Whether a string has the JSON Schema format `go-duration`.
pub(super) fn is_go_duration(text: &str) -> bool {
    parse(text).is_ok()
}

impl GoDuration {
    /// The shortest notation: `168h` instead of `168h0m0s`.
    pub fn short(self) -> String {
        let long = self.to_string();
        let without_seconds = long.strip_suffix("m0s").map(|rest| format!("{rest}m"));
        match without_seconds {
            Some(minutes) => match minutes.strip_suffix("h0m") {
                Some(hours) => format!("{hours}h"),
                None => minutes,
            },
            None => long,
        }
    }
}

impl fmt::Display for GoDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0s");
        }
        if self.0 < 0 {
            f.write_str("-")?;
        }
        let total = self.0.unsigned_abs();
        if total < SECOND {
            let (unit, size) = match total {
                0..1_000 => ("ns", 1),
                1_000..1_000_000 => ("µs", 1_000),
                _ => ("ms", 1_000_000),
            };
            return write!(f, "{}{unit}", decimal(total, size));
        }
        let (minutes, rest) = (total / (60 * SECOND), total % (60 * SECOND));
        match (minutes / 60, minutes % 60) {
            (0, 0) => {}
            (0, minutes) => write!(f, "{minutes}m")?,
            (hours, minutes) => write!(f, "{hours}h{minutes}m")?,
        }
        write!(f, "{}s", decimal(rest, SECOND))
    }
}

/// `value / unit` without trailing zeros; `unit` is a power of ten.
fn decimal(value: u64, unit: u64) -> String {
    let (whole, fraction) = (value / unit, value % unit);
    if fraction == 0 {
        return whole.to_string();
    }
    let digits = unit.ilog10() as usize;
    format!("{whole}.{}", format!("{fraction:0digits$}").trim_end_matches('0'))
}

fn sum_of_terms(mut rest: &str) -> Result<u64, DurationError> {
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (term, behind) = first_term(rest)?;
        total = total.checked_add(term).filter(|total| *total <= LIMIT).ok_or(DurationError::Overflow)?;
        rest = behind;
    }
    Ok(total)
}

/// The first number with its unit, in nanoseconds, and the rest of the string.
fn first_term(text: &str) -> Result<(u64, &str), DurationError> {
    let (whole_digits, rest) = split_while(text, |c| c.is_ascii_digit());
    let (fraction_digits, rest) = match rest.strip_prefix('.') {
        Some(behind) => split_while(behind, |c| c.is_ascii_digit()),
        None => ("", rest),
    };
    if whole_digits.is_empty() && fraction_digits.is_empty() {
        return Err(DurationError::Malformed);
    }
    let whole = leading_integer(whole_digits)?;
    let (name, rest) = split_while(rest, |c| c != '.' && !c.is_ascii_digit());
    if name.is_empty() {
        return Err(DurationError::MissingUnit);
    }
    let unit = unit(name).ok_or_else(|| DurationError::UnknownUnit { unit: name.trim().to_owned() })?;
    let term = whole.checked_mul(unit).filter(|term| *term <= LIMIT).ok_or(DurationError::Overflow)?;
    let term = term.checked_add(fraction_of(fraction_digits, unit)).filter(|term| *term <= LIMIT);
    Ok((term.ok_or(DurationError::Overflow)?, rest))
}

fn split_while(text: &str, wanted: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !wanted(c)).unwrap_or(text.len());
    text.split_at(end)
}

fn unit(name: &str) -> Option<u64> {
    Some(match name {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => SECOND,
        "m" => 60 * SECOND,
        "h" => 3_600 * SECOND,
        _ => return None,
    })
}

fn leading_integer(digits: &str) -> Result<u64, DurationError> {
    digits.bytes().try_fold(0_u64, |value, digit| {
        let value = value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit - b'0')));
        value.filter(|value| *value <= LIMIT).ok_or(DurationError::Overflow)
    })
}

/// The nanoseconds of a decimal fraction of `unit`, rounded like in Go: as a float, without digits beyond 63 bits.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the same conversions as in Go, so that results are equal"
)]
fn fraction_of(digits: &str, unit: u64) -> u64 {
    let (mut value, mut scale) = (0_u64, 1_f64);
    for digit in digits.bytes() {
        let Some(next) = value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit - b'0'))) else {
            break;
        };
        if next > LIMIT {
            break;
        }
        value = next;
        scale *= 10.0;
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are the results of Go.
    #[test]
    fn parses_and_prints_like_go() {
        let table = [
            ("0", 0, "0s"),
            ("-0", 0, "0s"),
            ("0s", 0, "0s"),
            ("5s", 5_000_000_000, "5s"),
            ("+5s", 5_000_000_000, "5s"),
            ("-1s", -1_000_000_000, "-1s"),
            ("1h30m", 5_400_000_000_000, "1h30m0s"),
            ("1.5h", 5_400_000_000_000, "1h30m0s"),
            (".5s", 500_000_000, "500ms"),
            ("5.s", 5_000_000_000, "5s"),
            ("500ms", 500_000_000, "500ms"),
            ("1us", 1_000, "1µs"),
            ("1\u{b5}s", 1_000, "1µs"),
            ("1\u{3bc}s", 1_000, "1µs"),
            ("1.5us", 1_500, "1.5µs"),
            ("7ns", 7, "7ns"),
            ("10m0.5s", 600_500_000_000, "10m0.5s"),
            ("1h1ns", 3_600_000_000_001, "1h0m0.000000001s"),
            ("39h9m14.425s", 140_954_425_000_000, "39h9m14.425s"),
            ("168h", 604_800_000_000_000, "168h0m0s"),
            ("0.3333333333333333333h", 1_200_000_000_000, "20m0s"),
            ("9223372036854775807ns", i64::MAX, "2562047h47m16.854775807s"),
            ("-9223372036854775808ns", i64::MIN, "-2562047h47m16.854775808s"),
            ("0.9223372036854775807h", 3_320_413_933_267, "55m20.413933267s"),
            ("0.100000000000000000000h", 360_000_000_000, "6m0s"),
        ];
        for (text, nanoseconds, printed) in table {
            let duration = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(duration.0, nanoseconds, "{text}");
            assert_eq!(duration.to_string(), printed, "{text}");
            assert_eq!(parse(printed), Ok(duration), "{printed}");
            assert_eq!(parse(&duration.short()), Ok(duration), "{text}");
        }
    }

    #[test]
    fn rejects_what_go_rejects() {
        let unknown = |unit: &str| DurationError::UnknownUnit { unit: unit.to_owned() };
        let table = [
            ("", DurationError::Empty),
            ("-", DurationError::Malformed),
            ("3", DurationError::MissingUnit),
            ("00", DurationError::MissingUnit),
            (".", DurationError::Malformed),
            ("s", DurationError::Malformed),
            (".s", DurationError::Malformed),
            ("--1s", DurationError::Malformed),
            (" 1s", DurationError::Space),
            ("1s ", DurationError::Space),
            ("1 s", DurationError::Space),
            ("7d", unknown("d")),
            ("5 minutes", unknown("minutes")),
            ("1h 30m", DurationError::Space),
            ("1S", unknown("S")),
            ("9223372036854775808ns", DurationError::Overflow),
            ("-9223372036854775809ns", DurationError::Overflow),
            ("3000000h", DurationError::Overflow),
            ("9223372036.854775808s", DurationError::Overflow),
            ("99999999999999999999s", DurationError::Overflow),
        ];
        for (text, error) in table {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn suggests_go_durations_for_other_notations() {
        let table = [
            ("7d", Some("168h")),
            ("5 minutes", Some("5m")),
            ("1 week", Some("168h")),
            ("1h 30m", Some("1h30m")),
            ("5s ", Some("5s")),
            ("5s", None),
            ("30", Some("30s")),
            ("2 Days", Some("48h")),
            ("0", None),
            ("soon", None),
            ("", None),
        ];
        for (text, meant) in table {
            assert_eq!(suggestion(text).as_deref(), meant, "{text}");
        }
    }
}
