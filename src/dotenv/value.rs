//! What a written value stands for.

/// The value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// This text, whoever reads it.
    Literal(String),
    /// A text with `$NAME` or `${NAME}` in it, which only the reader's environment can tell.
    Interpolated,
}

impl Value {
    /// Reads a value as it is written, quotes included.
    pub fn read(written: &str) -> Self {
        let inside = |quote| written.strip_prefix(quote).and_then(|rest: &str| rest.strip_suffix(quote));
        if let Some(text) = inside('\'') {
            Self::Literal(text.replace("\\'", "'"))
        } else {
            let (text, escapes) = inside('"').map_or((written, false), |text| (text, true));
            unescape(text, escapes).map_or(Self::Interpolated, Self::Literal)
        }
    }
}

/// The text without its escapes; `None` where a variable's value would be put in.
fn unescape(text: &str, escapes: bool) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
        match character {
            '$' => match rest.chars().next() {
                Some('$') => {
                    plain.push('$');
                    rest = rest.get(1..).unwrap_or_default();
                }
                Some('{' | '_' | 'a'..='z' | 'A'..='Z') => return None,
                _ => plain.push('$'),
            },
            '\\' if escapes => rest = escape(rest, &mut plain),
            _ => plain.push(character),
        }
    }
    Some(plain)
}

/// Adds what the escape at the start of `rest`, behind its backslash, stands for, and gives what follows it.
fn escape<'a>(rest: &'a str, plain: &mut String) -> &'a str {
    let Some(character) = rest.chars().next() else {
        plain.push('\\');
        return rest;
    };
    let behind = rest.get(character.len_utf8()..).unwrap_or_default();
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
            let octal = behind.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
            let Some(byte) = octal else {
                plain.push('\\');
                return behind;
            };
            plain.push(char::from(byte));
            return behind.get(3..).unwrap_or_default();
        }
        _ => {
            plain.push('\\');
            character
        }
    };
    plain.push(meant);
    behind
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
}
