//! Rust, printed as rustfmt leaves it.

use super::{is_hidden, wrap};

/// Columns that a comment line may have.
const COMMENT_WIDTH: usize = 100;

/// A string literal on one line: `"It's \"here\"\n"`.
pub fn rust_string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => literal.extend(['\\', character]),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            _ if is_hidden(character) => literal.extend(character.escape_unicode()),
            _ => literal.push(character),
        }
    }
    literal.push('"');
    literal
}

/// Comment lines, wrapped, each with `//` in front, and `indent` columns in front of all but the first. They are no documentation,
/// of which a part could be run as a test.
///
/// Nothing where the text has no visible character ([`super::shows`]): then the comment's line must go too.
pub fn rust_comment(text: &str, indent: usize) -> String {
    let width = COMMENT_WIDTH.saturating_sub(indent + 3);
    let mut lines: Vec<String> = Vec::new();
    for line in text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        let visible: String = line.chars().map(|letter| if is_hidden(letter) { ' ' } else { letter }).collect();
        let wrapped = wrap(&visible, width);
        if !wrapped.is_empty() {
            lines.extend(wrapped);
        } else if lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(String::new());
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let comments: Vec<_> = lines.iter().map(|line| format!("// {line}").trim_end().to_owned()).collect();
    comments.join(&format!("\n{}", " ".repeat(indent)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::OBSTACLES;
    use super::*;

    #[test]
    fn writes_any_text_as_a_string() {
        for (text, expected) in [
            ("", r#""""#),
            ("it's \"so\" \\", r#""it's \"so\" \\""#),
            ("a\n\r\t\0\u{1b}", r#""a\n\r\t\u{0}\u{1b}""#),
            ("\u{202e}\u{e0001} {x} ${x} */", r#""\u{202e}\u{e0001} {x} ${x} */""#),
        ] {
            assert_eq!(rust_string(text), expected);
        }
    }

    #[test]
    fn no_line_escapes_its_comment() {
        assert_eq!(
            rust_comment("Finds the\nweather.\n\n\nSlowly.", 4),
            "// Finds the\n    // weather.\n    //\n    // Slowly."
        );
        for text in OBSTACLES {
            let comment = rust_comment(text, 0);
            let is_comment = |line: &str| line.starts_with("//") && !line.contains(is_hidden) && !line.ends_with(' ');
            assert!(comment.is_empty() || comment.split('\n').all(is_comment), "{comment:?}");
        }
    }
}
