//! Resolves plain scalars with the core schema of YAML 1.2.
//!
//! `NO`, `on`, `1_000`, `0b1`, `1:30` and dates are strings, `0123` is 123, `0o17` is 15.

use serde_json::{Number, Value};

/// Why a scalar has no JSON representation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unrepresentable {
    /// `.nan`, `.inf` or `-.inf`.
    NotFinite,
    /// An integer beyond 64 bits, or a float beyond the range of a double.
    TooLarge,
}

/// The value of a plain scalar without a tag.
pub(super) fn resolve_plain(text: &str) -> Result<Value, Unrepresentable> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    if !text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.')) {
        return Ok(Value::String(text.to_owned()));
    }
    if is_not_finite(text) {
        return Err(Unrepresentable::NotFinite);
    }
    if let Some(number) = integer(text) {
        return number.map(Value::Number);
    }
    if is_float(text) {
        return float(text).map(Value::Number);
    }
    Ok(Value::String(text.to_owned()))
}

/// The value of a scalar tagged `!!float`; `None` if it is not a number.
pub(super) fn resolve_float(text: &str) -> Option<Result<Value, Unrepresentable>> {
    if is_not_finite(text) {
        return Some(Err(Unrepresentable::NotFinite));
    }
    is_float(text).then(|| float(text).map(Value::Number))
}

fn is_not_finite(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

/// An integer of the core schema; `None` for any other text.
fn integer(text: &str) -> Option<Result<Number, Unrepresentable>> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x', ..] => (text.get(2..)?, 16),
        [b'0', b'o', ..] => (text.get(2..)?, 8),
        _ => (text.strip_prefix('+').unwrap_or(text), 10),
    };
    let unsigned = if radix == 10 { digits.strip_prefix('-').unwrap_or(digits) } else { digits };
    let signed_twice = text.starts_with('+') && digits.starts_with('-');
    if unsigned.is_empty() || signed_twice || !unsigned.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let positive = u64::from_str_radix(digits, radix).ok().map(Number::from);
    let number = positive.or_else(|| i64::from_str_radix(digits, radix).ok().map(Number::from));
    Some(number.ok_or(Unrepresentable::TooLarge))
}

/// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn is_float(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent))
}

fn float(text: &str) -> Result<Number, Unrepresentable> {
    text.parse().ok().and_then(Number::from_f64).ok_or(Unrepresentable::TooLarge)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn core_schema_defines_non_strings() {
        for (text, value) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("TRUE", json!(true)),
            ("False", json!(false)),
            ("12", json!(12)),
            ("+12", json!(12)),
            ("-7", json!(-7)),
            ("0123", json!(123)),
            ("0o17", json!(15)),
            ("0xfF", json!(255)),
            ("12345678901234567890", json!(12_345_678_901_234_567_890_u64)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("1.10", json!(1.1)),
            ("1.", json!(1.0)),
            (".5", json!(0.5)),
            ("-1e3", json!(-1000.0)),
        ] {
            assert_eq!(resolve_plain(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn everything_else_is_a_string() {
        for text in [
            "NO",
            "on",
            "yes",
            "y",
            "tRue",
            "nULL",
            "1_000",
            "0b11",
            "1:30",
            "2024-01-01",
            "1.2.3",
            "+-1",
            "-",
            "+",
            ".",
            "e5",
            "1e",
            "0x",
            "0o8",
            "-0x1",
            "1,5",
            ".e1",
            "5g-scan",
            "--1",
            "-.nan",
            "١",
        ] {
            assert_eq!(resolve_plain(text), Ok(Value::String(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn distinguishes_unrepresentable_numbers() {
        for text in [".nan", ".NaN", ".inf", "-.INF", "+.Inf"] {
            assert_eq!(resolve_plain(text), Err(Unrepresentable::NotFinite), "{text}");
        }
        for text in ["18446744073709551616", "-9223372036854775809", "1e999", "0xFFFFFFFFFFFFFFFFF"] {
            assert_eq!(resolve_plain(text), Err(Unrepresentable::TooLarge), "{text}");
        }
    }
}
