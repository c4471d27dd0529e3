//! Services, configuration sections, and the names that they and tools become in code, files and variables.

mod invalid_name;
mod name_collision;
mod reserved_file_name;
mod unused_tool_config;

use super::{Rule, at};
use crate::document::View;

pub(super) const RULES: &[Rule] =
    &[invalid_name::check, name_collision::check, reserved_file_name::check, unused_tool_config::check];

/// The services, by name.
fn services(root: View<'_>) -> impl Iterator<Item = (&str, View<'_>)> {
    at(root, &["spec", "services"]).into_iter().flat_map(View::entries).filter(|(name, _)| !name.starts_with("x-"))
}

/// The configuration sections of the user's own, by name.
fn sections(root: View<'_>) -> impl Iterator<Item = (&str, View<'_>)> {
    let entries = at(root, &["spec", "config"]).into_iter().flat_map(View::entries);
    entries.filter(|(name, _)| *name != "tools" && !name.starts_with("x-"))
}

/// The place of an entry's name.
fn name_span(entry: View<'_>) -> crate::diagnostics::Span {
    entry.key_span().unwrap_or_else(|| entry.span())
}
