//! The schema of a tool describes an object of arguments, and is a JSON Schema.

use crate::diagnostics::{Applicability, Code, Diagnostic, Suggestion};
use crate::document::View;
use crate::names::closest;
use crate::rules::write_instead;

use super::own_tools;

const TYPES: [&str; 7] = ["object", "string", "number", "integer", "boolean", "array", "null"];
/// Keywords whose value is a map of schemas, a schema, a list of schemas.
const MAPS: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];
const SINGLE: [&str; 7] = ["items", "additionalProperties", "not", "if", "then", "else", "contains"];
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (id, tool) in own_tools(root) {
        if let Some(schema) = tool.get("schema").filter(|schema| schema.is_mapping()) {
            found.extend(no_object(id, schema));
            visit(id, schema, &mut found);
        }
    }
    found
}

/// A model passes arguments as one object.
fn no_object(id: &str, schema: View<'_>) -> Option<Diagnostic> {
    let kind = schema.get("type")?;
    let is_object = match kind.as_str() {
        Some(word) => word == "object" || !TYPES.contains(&word),
        None => !kind.is_sequence() || kind.items().any(|word| word.as_str() == Some("object")),
    };
    if is_object {
        return None;
    }
    Some(
        Diagnostic::new(
            Code::ToolSchemaIsNoObject,
            kind.span(),
            format!("the schema of tool `{id}` describes no object"),
        )
        .note("a model passes the arguments of a call as one object")
        .help("write `type: object` and describe the argument under `properties`"),
    )
}

fn visit(id: &str, schema: View<'_>, found: &mut Vec<Diagnostic>) {
    if schema.value().is_boolean() {
        return;
    }
    if !schema.is_mapping() {
        let finding = fault(id, schema, "a schema must stand here: a mapping, `true` or `false`");
        found.push(match unwrapped(schema) {
            Some(remedy) => finding.suggest(remedy),
            None => finding,
        });
        return;
    }
    for (keyword, value) in schema.entries() {
        match keyword {
            "type" => found.extend(wrong_type(id, value)),
            "required" => found.extend(wrong_required(id, schema, value)),
            "enum" if !value.is_sequence() => found.push(fault(id, value, "`enum` must be a list")),
            "description" | "title" | "pattern" | "format" | "$ref" if value.as_str().is_none() => {
                found.push(fault(id, value, &format!("`{keyword}` must be text")));
            }
            _ if MAPS.contains(&keyword) => {
                if !value.is_mapping() {
                    found.push(fault(id, value, &format!("`{keyword}` must be a mapping")));
                }
                value.entries().for_each(|(_, child)| visit(id, child, found));
            }
            _ if LISTS.contains(&keyword) || (keyword == "items" && value.is_sequence()) => {
                if !value.is_sequence() {
                    found.push(fault(id, value, &format!("`{keyword}` must be a list of schemas")));
                }
                value.items().for_each(|child| visit(id, child, found));
            }
            _ if SINGLE.contains(&keyword) => visit(id, value, found),
            _ => {}
        }
    }
}

/// For a list of one schema, as older examples have it (`city: - type: string`): it can mean that schema only.
fn unwrapped(list: View<'_>) -> Option<Suggestion> {
    let mut items = list.items();
    let only = items.next().is_some_and(View::is_mapping) && items.next().is_none();
    let edits = only.then(|| list.editor()?.unwrap_item(&list.pointer()))??;
    Some(Suggestion::safe("remove the `-`", edits))
}

fn wrong_type(id: &str, value: View<'_>) -> Vec<Diagnostic> {
    let words: Vec<_> = if value.is_sequence() { value.items().collect() } else { vec![value] };
    let wrong = words.into_iter().filter(|word| word.as_str().is_none_or(|word| !TYPES.contains(&word)));
    wrong
        .map(|word| {
            let finding = fault(id, word, "`type` must be a type of JSON Schema")
                .help(format!("write one of `{}`", TYPES.join("`, `")));
            match word.as_str().and_then(|text| closest(text, TYPES)) {
                Some(meant) => finding.suggest(write_instead(word, meant, Applicability::Review)),
                None => finding,
            }
        })
        .collect()
}

fn wrong_required(id: &str, schema: View<'_>, required: View<'_>) -> Vec<Diagnostic> {
    if !required.is_sequence() || required.items().any(|name| name.as_str().is_none()) {
        return vec![fault(id, required, "`required` must be a list of names")];
    }
    let Some(properties) = schema.get("properties").filter(|properties| properties.is_mapping()) else {
        return Vec::new();
    };
    let undescribed = required.items().filter(|name| name.as_str().is_some_and(|name| properties.get(name).is_none()));
    undescribed
        .map(|view| {
            let name = view.as_str().unwrap_or_default();
            let headline = format!("tool `{id}` requires `{name}`, which `properties` does not describe");
            let help = match closest(name, properties.entries().map(|(known, _)| known)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("describe `{name}` under `properties`, or remove it here"),
            };
            Diagnostic::new(Code::RequiredArgumentWithoutSchema, view.span(), headline).help(help)
        })
        .collect()
}

fn fault(id: &str, view: View<'_>, what: &str) -> Diagnostic {
    Diagnostic::new(
        Code::InvalidToolSchema,
        view.span(),
        format!("the schema of tool `{id}` is no JSON Schema: {what}"),
    )
    .help("mend it; providers refuse a tool whose schema is wrong")
}
