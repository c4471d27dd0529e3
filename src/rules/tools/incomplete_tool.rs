//! Checks that a user-defined tool has everything that the model needs: name, description, tags and arguments.

use crate::diagnostics::{Code, Diagnostic, Suggestion};
use crate::document::View;
use crate::document::edit::Place;
use crate::rules::is_unfilled;

use super::own_tools;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    own_tools(root).flat_map(|(id, tool)| missing_fields(id, tool)).collect()
}

fn missing_fields(id: &str, tool: View<'_>) -> Vec<Diagnostic> {
    let is_empty = |field: &str| match tool.get(field) {
        Some(view) if field == "tags" => view.is_sequence() && view.items().next().is_none(),
        Some(view) => view.is_mapping() && view.entries().next().is_none(),
        None => true,
    };
    let needed = [
        ("name", is_unfilled(tool, "name"), format!("add it, for example `name: {id}`")),
        ("description", is_unfilled(tool, "description"), "describe when the model should call the tool".to_owned()),
        ("tags", is_empty("tags"), "add at least one word, for example `tags: [search]`".to_owned()),
        (
            "schema",
            is_empty("schema"),
            "describe the arguments; without arguments, write `schema: {type: object, properties: {}}`".to_owned(),
        ),
    ];
    let missing = needed.into_iter().filter(|(_, missing, _)| *missing);
    missing
        .map(|(field, _, help)| {
            let place = tool.get(field).or_else(|| tool.get("id")).unwrap_or(tool).span();
            let verb = if tool.get(field).is_some() { "has an empty" } else { "has no" };
            let finding =
                Diagnostic::new(Code::IncompleteTool, place, format!("tool `{id}` {verb} `{field}`")).help(help);
            match suggestion(id, tool, field) {
                Some(suggestion) => finding.suggest(suggestion),
                None => finding,
            }
        })
        .collect()
}

/// Name and tags can be derived from the id; only the author knows the description and the arguments.
fn suggestion(id: &str, tool: View<'_>, field: &str) -> Option<Suggestion> {
    let (value, place) = match field {
        "name" => (id.into(), Place::After("id")),
        "tags" => (vec![id].into(), Place::After("description")),
        _ => return None,
    };
    let edits = tool.editor()?.insert(&tool.pointer(), field, &value, place)?;
    Some(Suggestion::safe(format!("add `{field}` with `{id}`"), edits))
}
