//! TypeScript literals, formatted like Prettier formats them.

use serde_json::{Map, Value};

use super::{is_hidden, wrap};

/// The maximum number of columns of a line, as in the Prettier configuration of generated projects.
const WIDTH: usize = 120;

/// The maximum number of columns of a comment line.
const COMMENT_WIDTH: usize = 100;

/// The width of an indentation level.
const STEP: usize = 2;

/// Prettier never breaks after a key with fewer columns.
const SHORT_KEY: usize = STEP + 3;

/// A string literal on one line. Uses the kind of quotes that needs fewer escapes, double quotes if equal.
pub fn ts_string(text: &str) -> String {
    let count = |quote: char| text.chars().filter(|character| *character == quote).count();
    let quote = if count('"') > count('\'') { '\'' } else { '"' };
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push(quote);
    for character in text.chars() {
        match character {
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            _ if character == quote => literal.extend(['\\', quote]),
            _ if is_hidden(character) => literal.push_str(&escape(character)),
            _ => literal.push(character),
        }
    }
    literal.push(quote);
    literal
}

/// A template literal if the string has several lines and can be represented as one, otherwise like [`ts_string`].
pub fn ts_text(text: &str) -> String {
    let is_plain = |character: char| match character {
        '\n' | ' ' => true,
        _ => !is_hidden(character) && !character.is_whitespace(),
    };
    if !text.trim_end_matches('\n').contains('\n') || !text.chars().all(is_plain) {
        return ts_string(text);
    }
    format!("`{}`", text.replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${"))
}

fn escape(character: char) -> String {
    let code = u32::from(character);
    if code > 0xffff { format!("\\u{{{code:x}}}") } else { format!("\\u{code:04x}") }
}

/// A key of an object or a property of a type, quoted if necessary.
pub fn ts_key(key: &str) -> String {
    let mut letters = key.chars();
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    let starts_with_letter = letters.next().is_some_and(|first| is_letter(first) && !first.is_ascii_digit());
    if starts_with_letter && letters.all(is_letter) { key.to_owned() } else { ts_string(key) }
}

/// The declaration of a string. The string is on its own line if it does not fit after `before`, such as `const name
/// =`.
pub fn ts_assigned(before: &str, text: &str) -> String {
    let literal = ts_string(text);
    let is_long = width(before) + 1 + width(&literal) + 1 > WIDTH;
    let margin = if is_long { format!("\n{}", " ".repeat(STEP)) } else { " ".to_owned() };
    format!("{before}{margin}{literal}")
}

/// A JSON value as an expression. Its first line is indented by `indent` columns and already contains `column` columns.
pub fn ts_value(value: &Value, indent: usize, column: usize) -> String {
    match value {
        Value::String(text) => ts_string(text),
        Value::Array(items) => array(items, indent, column),
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => object(members, indent),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// An array, on one line if it fits and contains no object, otherwise with one item per line.
fn array(items: &[Value], indent: usize, column: usize) -> String {
    let inner = indent + STEP;
    let parts: Vec<_> = items.iter().map(|item| ts_value(item, inner, inner)).collect();
    let line = format!("[{}]", parts.join(", "));
    let several = items.len() > 1;
    let is_nested = |item: &Value| match item {
        Value::Array(items) => items.len() > 1,
        Value::Object(members) => members.len() > 1,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    // Prettier breaks an array of several arrays or objects that each have more than one element.
    let is_table = several
        && (items.iter().all(|item| item.is_array() && is_nested(item))
            || items.iter().all(|item| item.is_object() && is_nested(item)));
    if !is_table && !line.contains('\n') && column + width(&line) < WIDTH {
        return line;
    }
    let margin = " ".repeat(inner);
    if !items.is_empty() && items.iter().all(Value::is_number) {
        return filled(&parts, indent);
    }
    let lines: Vec<_> = parts.iter().map(|part| format!("{margin}{part},\n")).collect();
    format!("[\n{}{}]", lines.concat(), " ".repeat(indent))
}

/// Numbers, as many per line as fit.
fn filled(parts: &[String], indent: usize) -> String {
    let margin = " ".repeat(indent + STEP);
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(part) < WIDTH => *line = format!("{line} {part},"),
            _ => lines.push(format!("{margin}{part},")),
        }
    }
    format!("[\n{}\n{}]", lines.join("\n"), " ".repeat(indent))
}

fn object(members: &Map<String, Value>, indent: usize) -> String {
    let inner = indent + STEP;
    let margin = " ".repeat(inner);
    let line = |(key, value): (&String, &Value)| format!("{margin}{},\n", member(key, value, inner, ts_string));
    format!("{{\n{}{}}}", members.iter().map(line).collect::<String>(), " ".repeat(indent))
}

/// A member of an object without the trailing comma, indented by `indent` columns. Multi-line strings become template
/// literals.
pub fn ts_member(key: &str, value: &Value, indent: usize) -> String {
    member(key, value, indent, ts_text)
}

fn member(key: &str, value: &Value, indent: usize, text_literal: fn(&str) -> String) -> String {
    let key = ts_key(key);
    let column = indent + width(&key) + 2;
    let Value::String(text) = value else { return format!("{key}: {}", ts_value(value, indent, column)) };
    let literal = text_literal(text);
    let is_long = column + width(&literal) + 1 > WIDTH && !literal.starts_with('`');
    let margin = " ".repeat(indent + STEP);
    if is_long && width(&key) >= SHORT_KEY { format!("{key}:\n{margin}{literal}") } else { format!("{key}: {literal}") }
}

/// A documentation comment; all lines but the first are indented by `indent` columns.
///
/// The text cannot end the comment and contains no tag or directive.
pub fn ts_comment(text: &str, indent: usize) -> String {
    let width = COMMENT_WIDTH.saturating_sub(indent + 3);
    let mut lines: Vec<String> = Vec::new();
    for line in text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        let visible: String = line.chars().map(|letter| if is_hidden(letter) { ' ' } else { letter }).collect();
        let wrapped = wrap(&visible.replace("*/", "* /"), width);
        if !wrapped.is_empty() {
            lines.extend(wrapped);
        } else if lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(String::new());
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let lines: Vec<_> =
        lines.into_iter().map(|line| if line.starts_with('@') { format!("| {line}") } else { line }).collect();
    let margin = " ".repeat(indent);
    match lines.as_slice() {
        [] => String::new(),
        [line] if indent + self::width(line) + "/**  */".len() <= WIDTH => format!("/** {line} */"),
        lines => {
            let body = lines.iter().map(|line| format!("\n{margin} * {line}").trim_end().to_owned());
            format!("/**{}\n{margin} */", body.collect::<String>())
        }
    }
}

/// The number of columns of a string; wide characters count as two.
fn width(text: &str) -> usize {
    text.chars()
        .map(|letter| match u32::from(letter) {
            0x0300..=0x036f | 0x200d | 0xfe00..=0xfe0f => 0,
            0x1100..=0x115f
            | 0x2e80..=0xa4cf
            | 0xac00..=0xd7a3
            | 0xf900..=0xfaff
            | 0xfe30..=0xfe6f
            | 0xff00..=0xff60
            | 0xffe0..=0xffe6
            | 0x1f300..=0x1faff
            | 0x20000..=0x3fffd => 2,
            _ => 1,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::OBSTACLES;
    use super::*;

    #[test]
    fn writes_any_text_as_a_string() {
        for (text, expected) in [
            ("", r#""""#),
            ("it's", r#""it's""#),
            (r#"say "hi""#, r#"'say "hi"'"#),
            (r#"it's "so""#, r#"'it\'s "so"'"#),
            (r#"it's "'"#, r#""it's \"'""#),
            ("a\n\r\t\0\u{1b}\\", r#""a\n\r\t\u0000\u001b\\""#),
            ("\u{202e}\u{2028}\u{e0001}", r#""\u202e\u2028\u{e0001}""#),
            ("`${x}` */", r#""`${x}` */""#),
        ] {
            assert_eq!(ts_string(text), expected);
        }
    }

    #[test]
    fn uses_template_literals_for_several_lines() {
        assert_eq!(ts_text("one\n`${two}` \\n\n"), "`one\n\\`\\${two}\\` \\\\n\n`");
        for text in ["one", "one\n", "one\r\ntwo", "one\n\ttwo", "one\n\u{a0}"] {
            assert_eq!(ts_text(text), ts_string(text));
        }
    }

    #[test]
    fn formats_values_like_prettier() {
        let long = "x".repeat(120);
        assert_eq!(
            ts_value(&json!({"a-b": [1, "two"], "url": long}), 0, 0),
            format!("{{\n  \"a-b\": [1, \"two\"],\n  url: \"{long}\",\n}}")
        );
        assert_eq!(ts_value(&json!({"title": long}), 0, 0), format!("{{\n  title:\n    \"{long}\",\n}}"));
        assert_eq!(ts_value(&json!([long, {}]), 2, 2), format!("[\n    \"{long}\",\n    {{}},\n  ]"));
        assert_eq!(
            ts_value(&json!([[], [{"a": null}]]), 0, 0),
            "[\n  [],\n  [\n    {\n      a: null,\n    },\n  ],\n]"
        );
    }

    #[test]
    fn no_line_escapes_its_comment() {
        assert_eq!(
            ts_comment("Finds */ the\nweather.\n\n\n@deprecated", 2),
            "/**\n   * Finds * / the\n   * weather.\n   *\n   * | @deprecated\n   */"
        );
        assert_eq!(ts_comment("One line.", 0), "/** One line. */");
        for text in OBSTACLES {
            let comment = ts_comment(text, 0);
            assert!(comment.is_empty() || comment.find("*/") == Some(comment.len() - 2), "{comment:?}");
        }
    }
}
