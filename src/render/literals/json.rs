use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::is_hidden;

/// Multi-line JSON with `indent` for each level; keeps the order of keys and escapes invisible characters.
///
/// # Errors
/// Never fails for JSON values.
pub fn json_pretty(value: &Value, indent: &str) -> Result<String, serde_json::Error> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(indent.as_bytes())))?;
    Ok(escape_hidden(&String::from_utf8_lossy(&bytes)))
}

/// Escapes invisible characters, which only occur in strings, and keeps the whitespace between tokens.
fn escape_hidden(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if is_hidden(character) && !matches!(character, '\n' | '\t') {
            for unit in character.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&escape_utf16(*unit));
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// `\u` and four digits.
fn escape_utf16(unit: u16) -> String {
    format!("\\u{unit:04x}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::OBSTACLES;
    use super::*;

    fn string(text: &str) -> String {
        json_pretty(&Value::from(text), "").unwrap()
    }

    #[test]
    fn texts_round_trip() {
        for text in OBSTACLES {
            let literal = string(text);
            assert_eq!(serde_json::from_str::<String>(&literal).unwrap(), *text);
            assert!(!literal.contains(is_hidden), "{literal}");
        }
        assert_eq!(string("\u{202e}\u{e0001}\u{1f600}"), "\"\\u202e\\udb40\\udc01\u{1f600}\"");
    }

    #[test]
    fn keeps_order_and_values() {
        let text = r#"{"z":1,"a":[true,null,1.5,"x\u202e"],"m":{}}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        let pretty = json_pretty(&value, "\t").unwrap();
        assert_eq!(serde_json::from_str::<Value>(&pretty).unwrap(), value);
        assert!(pretty.starts_with("{\n\t\"z\": 1,\n\t\"a\": [") && pretty.contains("\\u202e"), "{pretty}");
    }
}
