//! Checks the types of keyword values in tool schemas: counts are non-negative integers, bounds are numbers, switches
//! are booleans. `tool_schema` checks keywords that contain schemas.

use serde_json::Value;

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;

use super::own_tools;

const COUNTS: [&str; 8] =
    ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"];
const BOUNDS: [&str; 3] = ["minimum", "maximum", "multipleOf"];
const SWITCHES: [&str; 4] = ["uniqueItems", "deprecated", "readOnly", "writeOnly"];
/// Keywords whose entries have user-defined names, not keywords.
const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose values contain no schemas.
const VALUES: [&str; 5] = ["default", "const", "enum", "examples", "example"];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (id, tool) in own_tools(root) {
        tool.get("schema").into_iter().for_each(|schema| visit(id, schema, &mut found));
    }
    found
}

fn visit(id: &str, schema: View<'_>, found: &mut Vec<Diagnostic>) {
    for (keyword, value) in schema.entries() {
        if NAMED.contains(&keyword) {
            value.entries().for_each(|(_, child)| visit(id, child, found));
            continue;
        }
        found.extend(fault(keyword, value.value()).map(|what| {
            let headline = format!("the schema of tool `{id}` is not a valid JSON Schema: `{keyword}` must be {what}");
            Diagnostic::new(Code::InvalidToolSchema, value.span(), headline)
                .help("correct it; model providers reject a tool with an invalid schema")
        }));
        if VALUES.contains(&keyword) {
            continue;
        }
        visit(id, value, found);
        value.items().for_each(|child| visit(id, child, found));
    }
}

/// Returns what the value of a keyword must be, or `None` if the value is valid.
fn fault(keyword: &str, value: &Value) -> Option<&'static str> {
    let (is_valid, what) = match keyword {
        _ if COUNTS.contains(&keyword) => (value.is_u64(), "a non-negative integer"),
        "multipleOf" => (value.as_f64().is_some_and(|number| number > 0.0), "a positive number"),
        _ if BOUNDS.contains(&keyword) => (value.is_number(), "a number"),
        // Draft 4 has booleans here.
        "exclusiveMinimum" | "exclusiveMaximum" => (value.is_number() || value.is_boolean(), "a number"),
        _ if SWITCHES.contains(&keyword) => (value.is_boolean(), "`true` or `false`"),
        "enum" => (value.as_array().is_none_or(|options| !options.is_empty()), "a list with at least one item"),
        _ => return None,
    };
    (!is_valid).then_some(what)
}
