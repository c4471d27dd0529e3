//! Evaluates values as they are written.

use std::ops::Range;

use super::interpolation::{self, Dollar};

/// The value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A value that does not depend on the environment.
    Literal(String),
    /// A value that contains `$NAME` or `${NAME}` and depends on the reader's environment.
    Interpolated,
    /// A value with an invalid substitution, at this byte range of the written value. Docker Compose rejects the whole
    /// file.
    Invalid(Range<usize>),
}

impl Value {
    /// Evaluates a value as written, including quotes.
    pub fn read(written: &str) -> Self {
        let inside = |quote| written.strip_prefix(quote).and_then(|rest: &str| rest.strip_suffix(quote));
        if let Some(text) = inside('\'') {
            Self::Literal(text.replace("\\'", "'"))
        } else {
            let (text, escapes) = inside('"').map_or((written, false), |text| (text, true));
            match unescape(text, escapes) {
                Self::Invalid(place) if escapes => Self::Invalid(place.start + 1..place.end + 1),
                value @ (Self::Literal(_) | Self::Interpolated | Self::Invalid(_)) => value,
            }
        }
    }
}

/// Evaluates a value without its quotes. Ranges are relative to `text`.
fn unescape(text: &str, escapes: bool) -> Value {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_literal = true;
    while let Some(character) = rest.chars().next() {
        let place = text.len() - rest.len();
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
        match character {
            '$' => match interpolation::at_dollar(text, place) {
                Ok(Dollar::Plain { end }) => {
                    plain.push('$');
                    rest = text.get(end..).unwrap_or_default();
                }
                Ok(Dollar::Substitution { end }) => {
                    is_literal = false;
                    rest = text.get(end..).unwrap_or_default();
                }
                Err(place) => return Value::Invalid(place),
            },
            '\\' if escapes => rest = escape(rest, &mut plain),
            _ => plain.push(character),
        }
    }
    if is_literal { Value::Literal(plain) } else { Value::Interpolated }
}

/// Evaluates the escape sequence at the start of `rest`, which follows the backslash, appends it to `plain`, and
/// returns the remaining text.
fn escape<'a>(rest: &'a str, plain: &mut String) -> &'a str {
    let Some(character) = rest.chars().next() else {
        plain.push('\\');
        return rest;
    };
    let after = rest.get(character.len_utf8()..).unwrap_or_default();
    let meant = match character {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '$' | '"' | '\\' => character,
        '0' => {
            let octal = after.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
            let Some(byte) = octal else {
                plain.push('\\');
                return after;
            };
            plain.push(char::from(byte));
            return after.get(3..).unwrap_or_default();
        }
        _ => {
            plain.push('\\');
            character
        }
    };
    plain.push(meant);
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_escapes_and_dollars() {
        for (written, text) in [
            (r#""a\tb\\c\"d\$e\xf""#, "a\tb\\c\"d$e\\xf"),
            (r#""\0140id\0140 \01""#, "`id` \\1"),
            ("$$5 and $5 and 5$", "$5 and $5 and 5$"),
            (r"'\n ${X} it\'s'", r"\n ${X} it's"),
            ("\"", "\""),
            ("'", "'"),
        ] {
            assert_eq!(Value::read(written), Value::Literal(text.to_owned()), "{written}");
        }
        for written in ["$X", "${X}", "a$x", "\"${X:-1}\""] {
            assert_eq!(Value::read(written), Value::Interpolated, "{written}");
        }
    }

    /// The expected values were verified with the reader of Docker Compose (compose-go 2.9).
    #[test]
    fn parses_substitutions_like_compose() {
        for written in [
            "${Y:-${Z}}",
            "${Y:-a}${Z-b}${V+c}${W:+d}",
            "${Y?why}",
            "${Y:?}",
            "${Y:-$}",
            "${Y:-{a}}",
            "${Y:-}}",
            "${Y:-#a}",
            r#"{"a":"${Y}"}"#,
            "$Y-b",
            "$$${Y}",
            r#""${Y:-\"a\"}""#,
        ] {
            assert_eq!(Value::read(written), Value::Interpolated, "{written}");
        }
        for (written, text) in [
            ("$$", "$"),
            ("$$Y", "$Y"),
            ("$${Y", "${Y"),
            ("$(b) $- $ $5", "$(b) $- $ $5"),
            ("$é", "$é"),
            (r#""\${Y""#, "${Y"),
            ("'${Y'", "${Y"),
        ] {
            assert_eq!(Value::read(written), Value::Literal(text.to_owned()), "{written}");
        }
        let deep = "${Y:-".repeat(100_000) + &"}".repeat(100_000);
        assert_eq!(Value::read(&deep), Value::Interpolated);
        for (written, fault) in [
            ("${Y", "${Y"),
            ("a ${} b", "${}"),
            ("\"a ${Y\"", "${Y"),
            ("${5}", "${5}"),
            ("${Y/a/b}", "${Y/a/b}"),
            ("${Y=a}", "${Y=a}"),
            ("${Y:a} b", "${Y:a}"),
            ("${ Y}", "${ Y}"),
            ("${Y.a}", "${Y.a}"),
            ("${Y:-${Z}", "${Y:-${Z}"),
            ("${Y:-${}}", "${}"),
            ("${Y}${", "${"),
            ("${é}", "${é}"),
            ("\"${Y:-\n}\"", "${Y:-"),
            ("${Y[0]}", "${Y[0]}"),
        ] {
            let Value::Invalid(place) = Value::read(written) else { panic!("{written} is accepted") };
            assert_eq!(written.get(place), Some(fault), "{written}");
        }
    }
}
