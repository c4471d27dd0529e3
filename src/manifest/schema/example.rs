//! Writes examples as YAML.

use serde_json::Value;

/// Block style, indented by two spaces, with a final line break.
pub fn as_yaml(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text
}

fn write(value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Object(entries) => entries.iter().for_each(|(key, entry)| {
            indent(depth, text);
            text.push_str(&scalar(&Value::from(key.as_str())));
            text.push(':');
            below(entry, depth, text);
        }),
        Value::Array(items) => items.iter().for_each(|item| {
            indent(depth, text);
            text.push('-');
            if item.is_object() && !is_empty(item) {
                // The first key follows the dash, the others are below it.
                let mut block = String::new();
                write(item, depth + 1, &mut block);
                text.push(' ');
                text.push_str(block.trim_start());
            } else {
                below(item, depth, text);
            }
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            indent(depth, text);
            text.push_str(&scalar(value));
            text.push('\n');
        }
    }
}

/// The value after a key or a dash.
fn below(value: &Value, depth: usize, text: &mut String) {
    if is_empty(value) || !(value.is_object() || value.is_array()) {
        text.push(' ');
        text.push_str(&scalar(value));
        text.push('\n');
    } else {
        text.push('\n');
        write(value, depth + 1, text);
    }
}

fn indent(depth: usize, text: &mut String) {
    text.extend(std::iter::repeat_n("  ", depth));
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

/// A plain scalar if YAML reads it as the same string, otherwise JSON.
fn scalar(value: &Value) -> String {
    let Some(text) = value.as_str() else { return value.to_string() };
    let is_duration = text.ends_with(['h', 'm', 's']);
    let is_plain = text
        .starts_with(|c: char| c.is_ascii_alphabetic() || "$/.".contains(c) || (c.is_ascii_digit() && is_duration))
        && text.chars().all(|c| c.is_alphanumeric() || " _-./@:+*${}'".contains(c))
        && !text.contains(": ")
        && !text.ends_with([':', ' '])
        && !["true", "false", "null", "yes", "no", "on", "off"].contains(&text.to_lowercase().as_str());
    if is_plain { text.to_owned() } else { value.to_string() }
}
