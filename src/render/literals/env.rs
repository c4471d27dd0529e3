use super::shell::is_plain;

/// The value of a `NAME=value` line of an env file, always on one line.
///
/// As it is where every reader takes it so; else in single quotes; else in double quotes with the escapes that Docker
/// Compose reads (an octal one for a back-quote, so that a shell which sources the file runs nothing). A NUL, which no
/// environment can hold, is left out.
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

/// Inside double quotes, as Docker Compose reads them.
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
    fn quotes_only_what_a_reader_needs() {
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
