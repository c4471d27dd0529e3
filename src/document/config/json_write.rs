//! Writes JSON values in the style of a file.

use serde_json::Value;

/// How new text looks.
pub(super) struct Style<'a> {
    /// The indentation of the entry.
    pub(super) indentation: &'a str,
    /// The indentation of one more level.
    pub(super) step: &'a str,
    pub(super) line_break: &'static str,
    /// Whether entries and items have their own lines.
    pub(super) on_lines: bool,
}

/// `"key": value`, without the indentation of its first line.
pub(super) fn entry(key: &str, value: &Value, style: &Style<'_>) -> String {
    format!("{}: {}", Value::from(key), self::value(value, style))
}

/// A value at the indentation of the style.
pub(super) fn value(value: &Value, style: &Style<'_>) -> String {
    let mut text = String::new();
    write(&mut text, value, style, style.indentation);
    text
}

fn write(text: &mut String, value: &Value, style: &Style<'_>, indentation: &str) {
    let (open, close, children): (_, _, Vec<_>) = match value {
        Value::Object(entries) if !entries.is_empty() => {
            ('{', '}', entries.iter().map(|(key, value)| (Some(key), value)).collect())
        }
        Value::Array(items) if !items.is_empty() => ('[', ']', items.iter().map(|item| (None, item)).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            text.push_str(&value.to_string());
            return;
        }
    };
    let inner = format!("{indentation}{}", style.step);
    text.push(open);
    for (index, (key, child)) in children.into_iter().enumerate() {
        match (index, style.on_lines) {
            (0, false) => {}
            (0, true) => text.extend([style.line_break, &inner]),
            (_, false) => text.push_str(", "),
            (_, true) => text.extend([",", style.line_break, &inner]),
        }
        if let Some(key) = key {
            text.extend([&Value::from(key.as_str()).to_string(), ": "]);
        }
        write(text, child, style, &inner);
    }
    if style.on_lines {
        text.extend([style.line_break, indentation]);
    }
    text.push(close);
}
