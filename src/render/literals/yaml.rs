use super::{escape_utf32, is_hidden};

/// A YAML 1.2 scalar that every parser reads as a string, including YAML 1.1 parsers. Plain if unambiguous, otherwise
/// in double quotes.
pub fn yaml_string(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { format!("\"{}\"", text.chars().map(escape).collect::<String>()) }
}

/// Escapes a character in double quotes.
fn escape(character: char) -> String {
    match character {
        '"' | '\\' => format!("\\{character}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        _ if is_hidden(character) => escape_utf32(character),
        _ => character.to_string(),
    }
}

fn is_plain(text: &str) -> bool {
    const WORDS: &[&str] = &["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.' | '/'))
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_ambiguous_strings() {
        for text in ["weather-agent", "v1.2", "Paris", "a/b_c"] {
            assert_eq!(yaml_string(text), text);
        }
        for text in ["", "NO", "y", "True", "null", "1.10", "0123", "a b", "a:b", "-a", "$x", "#a", "a\nb", "=", "*a"] {
            let quoted = yaml_string(text);
            assert!(quoted.starts_with('"') && quoted.ends_with('"') && !quoted.contains('\n'), "{quoted}");
        }
        assert_eq!(yaml_string("\u{85}\u{202e}\"\\\0"), r#""\u0085\u202e\"\\\u0000""#);
    }
}
