//! Writes new values in indented block style, or in flow style on one line.

use serde_json::Value;

use crate::document::scalar;

/// How strings and keys are quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// Only where YAML needs it.
    AsNeeded,
    /// Always, as in JSON.
    Always,
}

/// Words that are booleans in YAML 1.1.
const OLD_BOOLEANS: [&str; 6] = ["y", "n", "yes", "no", "on", "off"];

/// A key or a string.
pub(super) fn string(text: &str, quoting: Quoting) -> String {
    let is_plain = quoting == Quoting::AsNeeded
        && !OLD_BOOLEANS.iter().any(|word| text.eq_ignore_ascii_case(word))
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ')'))
        && text.chars().all(|c| c.is_ascii_alphanumeric() || " _./-()".contains(c))
        && scalar::resolve_plain(text).is_ok_and(|value| value.is_string());
    if is_plain {
        text.to_owned()
    } else if quoting == Quoting::AsNeeded && text.contains('"') && !text.contains(char::is_control) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        escape_controls(&Value::from(text).to_string())
    }
}

/// Escapes the control characters that JSON strings may contain and YAML files may not.
fn escape_controls(quoted: &str) -> String {
    let escaped = |character: char| match character {
        '\u{7f}'..='\u{9f}' => format!("\\u{:04x}", u32::from(character)),
        _ => character.to_string(),
    };
    quoted.chars().map(escaped).collect()
}

/// A value on one line.
pub(super) fn flow(value: &Value, quoting: Quoting) -> String {
    match value {
        Value::String(text) => string(text, quoting),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| flow(item, quoting)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let entries =
                entries.iter().map(|(key, value)| format!("{}: {}", string(key, quoting), flow(value, quoting)));
            let entries: Vec<_> = entries.collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// The lines of an entry in block style; the first is not indented, the others are indented for a key at `column`.
pub(super) fn entry(key: &str, value: &Value, column: usize) -> Vec<String> {
    let key = string(key, Quoting::AsNeeded);
    let mut lines = Vec::new();
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            lines.push(format!("{key}:"));
            for (key, value) in entries {
                lines.extend(indented(entry(key, value, column + STEP), column + STEP));
            }
        }
        Value::Array(items) if !items.is_empty() => {
            lines.push(format!("{key}:"));
            for item in items {
                lines.push(format!("{:column$}- {}", "", flow(item, Quoting::AsNeeded), column = column + STEP));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            lines.push(format!("{key}: {}", flow(value, Quoting::AsNeeded)));
        }
    }
    lines
}

/// The indentation of one level of new text.
pub(super) const STEP: usize = 2;

/// Indents the first line; [`entry`] has indented the rest.
fn indented(mut lines: Vec<String>, column: usize) -> Vec<String> {
    if let Some(first) = lines.first_mut() {
        first.insert_str(0, &" ".repeat(column));
    }
    lines
}
