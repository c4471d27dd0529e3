use super::{escape_utf32, is_hidden, wrap};

/// The maximum number of columns of a comment line.
const COMMENT_WIDTH: usize = 100;

/// Prefixes of comment lines with a meaning for Go's tools: build constraints, link definitions, deprecation notices
/// and the header of generated files.
const MARKERS: &[&str] = &["+build", "[", "Deprecated:", "Code generated "];

/// An interpreted string literal, on one line: `"It's \"here\"\n"`.
pub fn go_string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for character in text.chars() {
        match character {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            _ if is_hidden(character) => literal.push_str(&escape_utf32(character)),
            _ => literal.push(character),
        }
    }
    literal.push('"');
    literal
}

/// A raw string literal if the string has several lines and can be represented as one, otherwise like [`go_string`].
pub fn go_text(text: &str) -> String {
    let raw = text.trim_end_matches('\n').contains('\n')
        && !text.contains('`')
        && text.chars().all(|character| matches!(character, '\n' | '\t') || !is_hidden(character));
    if raw { format!("`{text}`") } else { go_string(text) }
}

/// A comment, wrapped into lines with `//`; all lines but the first are indented by `indent` tabs.
///
/// Empty if the text has no visible character ([`super::shows`]); the template must then omit the line. Line breaks in
/// the text are preserved. Go's tools recognize no directive or link in the comment, so `gofmt` does not change it.
pub fn go_comment(text: &str, indent: usize) -> String {
    let margin = "\t".repeat(indent);
    let width = COMMENT_WIDTH.saturating_sub(4 * indent + 3);
    let mut lines: Vec<String> = Vec::new();
    for line in text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        let visible: String =
            line.chars().map(|character| if is_hidden(character) { ' ' } else { character }).collect();
        let wrapped = wrap(&separate_quotes(&visible), width);
        // At most one empty line between paragraphs, none at the start.
        if !wrapped.is_empty() {
            lines.extend(wrapped);
        } else if lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(String::new());
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let comment = |line: &String| match line {
        _ if line.is_empty() => "//".to_owned(),
        _ if MARKERS.iter().any(|marker| line.starts_with(marker)) => format!("// | {line}"),
        _ => format!("// {line}"),
    };
    lines.iter().map(comment).collect::<Vec<_>>().join(&format!("\n{margin}"))
}

/// Separates doubled quotes, which `gofmt` would replace by typographic quotes.
fn separate_quotes(line: &str) -> String {
    let mut separated = String::with_capacity(line.len());
    for character in line.chars() {
        if matches!(character, '\'' | '`') && separated.ends_with(character) {
            separated.push(' ');
        }
        separated.push(character);
    }
    separated
}

#[cfg(test)]
mod tests {
    use super::super::{shows, tests::OBSTACLES};
    use super::*;

    #[test]
    fn writes_any_text_as_a_string() {
        for (text, expected) in [
            ("", r#""""#),
            ("it's \"quoted\" `ticked` \\", r#""it's \"quoted\" `ticked` \\""#),
            ("a\n\r\t\0\u{1b}\u{7f}", r#""a\n\r\t\u0000\u001b\u007f""#),
            ("\u{202e}\u{feff}\u{2028}\u{e0001}", r#""\u202e\ufeff\u2028\U000e0001""#),
            ("{{ x }} ${x} %s */ \u{1f600} caf\u{e9}", "\"{{ x }} ${x} %s */ \u{1f600} caf\u{e9}\""),
        ] {
            assert_eq!(go_string(text), expected);
        }
    }

    #[test]
    fn uses_raw_strings_for_suitable_texts() {
        assert_eq!(go_text("one\n\ttwo \"x\" \\n\n"), "`one\n\ttwo \"x\" \\n\n`");
        for text in ["one", "one\n", "one\n`two`", "one\r\ntwo", "one\ntwo\u{202e}", "one\n\0"] {
            assert_eq!(go_text(text), go_string(text));
        }
    }

    #[test]
    fn comments_contain_every_line() {
        assert_eq!(
            go_comment("Finds */ the\nweather.\r\n\r\n\r\nFor a {{ place }}.\n", 0),
            "// Finds */ the\n// weather.\n//\n// For a {{ place }}."
        );
        assert_eq!(go_comment("one\ntwo", 2), "// one\n\t\t// two");
        for text in ["", " ", "\u{200b}", "\u{2060}\n\u{feff}\t"] {
            assert_eq!((go_comment(text, 0).as_str(), shows(text)), ("", false));
        }
        assert_eq!(go_comment("+build ignore\n[a]: b ''```", 0), "// | +build ignore\n// | [a]: b ' '` ` `");
        let long = go_comment(&"word ".repeat(50), 1);
        assert!(long.lines().count() == 3 && long.lines().all(|line| line.len() <= 100), "{long}");
    }

    #[test]
    fn no_line_escapes_its_comment() {
        for text in OBSTACLES {
            let comment = go_comment(text, 0);
            let is_comment = |line: &str| line == "//" || line.starts_with("// ") && !line.contains(is_hidden);
            assert!(comment.split(['\n', '\r']).all(|line| is_comment(line) || comment.is_empty()), "{comment:?}");
        }
    }
}
