//! Writes TOML.

use serde_json::{Map, Value};

/// A key, quoted only if it must be.
pub(super) fn key(key: &str) -> String {
    let is_bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_bare { key.to_owned() } else { string(key) }
}

/// A dotted key.
pub(super) fn path<'a>(keys: impl IntoIterator<Item = &'a str>) -> String {
    keys.into_iter().map(key).collect::<Vec<_>>().join(".")
}

/// A basic string: the escapes of JSON, and one for a character that only JSON allows.
fn string(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A value on one line; `None` for null, which TOML does not have.
pub(super) fn inline(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(inline).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(entries) if entries.is_empty() => "{}".to_owned(),
        Value::Object(entries) => {
            let entries: Option<Vec<_>> =
                entries.iter().map(|(name, value)| Some(format!("{} = {}", key(name), inline(value)?))).collect();
            format!("{{ {} }}", entries?.join(", "))
        }
    })
}

/// The lines of a table with its header, and of the tables in it. A table that holds only tables has no header.
pub(super) fn tables(path: &[&str], entries: &Map<String, Value>) -> Option<Vec<String>> {
    let (tables, plain): (Vec<_>, Vec<_>) = entries.iter().partition(|(_, value)| value.is_object());
    let mut lines = Vec::new();
    if !plain.is_empty() || tables.is_empty() {
        lines.push(format!("[{}]", self::path(path.iter().copied())));
        for (name, value) in plain {
            lines.push(format!("{} = {}", key(name), inline(value)?));
        }
    }
    for (name, value) in tables {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(self::tables(&[path, &[name.as_str()]].concat(), value.as_object()?)?);
    }
    Some(lines)
}
