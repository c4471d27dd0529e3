//! Checks of `spec.tools`.

mod built_in_tool_override;
mod duplicate_dependency;
mod duplicate_tool;
mod incomplete_tool;
mod invalid_tool_name;
mod schema_keyword;
mod tool_schema;
mod unknown_dependency;

use super::{Rule, at, text};
use crate::document::View;
use crate::manifest::built_in_tool;

pub(super) const RULES: &[Rule] = &[
    incomplete_tool::check,
    built_in_tool_override::check,
    duplicate_tool::check,
    invalid_tool_name::check,
    tool_schema::check,
    unknown_dependency::check,
    duplicate_dependency::check,
    schema_keyword::check,
];

/// The entries of `spec.tools`.
pub(super) fn tools(root: View<'_>) -> impl Iterator<Item = View<'_>> {
    at(root, &["spec", "tools"]).into_iter().flat_map(View::items)
}

/// The name of a built-in tool as the model sees it. Returns `None` for a user-defined tool.
pub(super) fn built_in(tool: View<'_>) -> Option<&'static str> {
    built_in_tool(text(tool, "id")?)
}

/// Whether an id belongs to a built-in tool.
pub(super) fn is_built_in(id: &str) -> bool {
    built_in_tool(id).is_some()
}

/// The user-defined tools, by id.
pub(super) fn own_tools(root: View<'_>) -> impl Iterator<Item = (&str, View<'_>)> {
    tools(root).filter(|tool| built_in(*tool).is_none()).filter_map(|tool| Some((text(tool, "id")?, tool)))
}
