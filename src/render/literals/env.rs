use super::shell::is_plain;

/// The value of a `NAME=value` line of an environment file, always on one line.
///
/// Unquoted if all parsers read it unchanged, otherwise in single quotes if possible, otherwise in double quotes with
/// the escapes of Docker Compose. Backquotes are written as octal escapes, so that a shell which sources the file runs
/// nothing. NUL characters are removed, because environment variables cannot contain them.
pub fn env_value(text: &str) -> String {
    if text.is_empty() || is_plain(text) {
        text.to_owned()
    } else if !text.contains('\'')
        && !text.ends_with('\\')
        && !text.contains(|character: char| character.is_ascii_control())
    {
        format!("'{text}'")
    } else {
        format!("\"{}\"", text.chars().map(escape).collect::<String>())
    }
}

/// Escapes a character in double quotes for Docker Compose.
fn escape(character: char) -> String {
    match character {
        '"' | '\\' | '$' => format!("\\{character}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\0' => String::new(),
        '`' => octal(character),
        _ if character.is_ascii_control() => octal(character),
        _ => character.to_string(),
    }
}

fn octal(character: char) -> String {
    format!("\\0{:03o}", u32::from(character))
}

#[cfg(test)]
mod tests {
    use super::super::tests::OBSTACLES;
    use super::*;

    #[test]
    fn quotes_only_if_necessary() {
        for text in ["", "5m", "gpt-4o", "http://a:1/mcp,http://b:2", "0", "true", "a=b"] {
            assert_eq!(env_value(text), text);
        }
        for (text, expected) in [
            ("You help.", "'You help.'"),
            ("${TOKEN}", "'${TOKEN}'"),
            ("a #b", "'a #b'"),
            ("it's $5", r#""it's \$5""#),
            ("two\nlines", r#""two\nlines""#),
            ("ends in \\", r#""ends in \\""#),
            ("don't `id`\n", r#""don't \0140id\0140\n""#),
            ("x\0y\u{1b}'", r#""xy\0033'""#),
        ] {
            assert_eq!(env_value(text), expected);
        }
    }

    #[test]
    fn stays_on_one_line() {
        for text in OBSTACLES {
            assert!(!env_value(text).contains(['\n', '\r']), "{text:?}");
        }
    }
}
