//! `parameters` of a tool: a JSON Schema under a different name, or a list of named arguments.

use serde_json::{Map, Value, json};

use crate::document::View;
use crate::document::edit::Editor;

use super::Upgrade;

pub(super) fn upgrade(editor: Editor<'_>, root: View<'_>, parameters: View<'_>, pointer: &str) -> Upgrade {
    let index = pointer.split('/').nth(3)?.parse().ok()?;
    let tool = root.get("spec")?.get("tools")?.item(index)?;
    if tool.get("schema").is_some() {
        return None;
    }
    if parameters.get("type").is_some() || parameters.get("properties").is_some() {
        return Some(("rename it to `schema`".to_owned(), editor.rename(pointer, "schema")?));
    }
    let edits = editor.replace_entry(pointer, "schema", &schema(parameters)?)?;
    Some(("write the arguments as a JSON Schema under `schema`".to_owned(), edits))
}

/// The JSON Schema for a list of arguments with `name`, optionally `required`, and JSON Schema keywords.
fn schema(parameters: View<'_>) -> Option<Value> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    if !parameters.is_sequence() {
        return None;
    }
    for parameter in parameters.items() {
        let mut schema = parameter.value().as_object()?.clone();
        let name = schema.shift_remove("name")?.as_str()?.to_owned();
        match schema.shift_remove("required") {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => required.push(name.clone()),
            Some(_) => return None,
        }
        if properties.insert(name, Value::Object(schema)).is_some() {
            return None;
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema.as_object_mut()?.insert("required".to_owned(), required.into());
    }
    Some(schema)
}
