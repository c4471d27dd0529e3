//! Services, configuration sections, and the names that they and tools become in code, files and variables.

mod invalid_name;
mod name_collision;
mod reserved_file_name;
mod unused_tool_config;

use super::{Rule, at, own_entries};
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

/// The sections of the user's own that hold anything.
pub(in crate::rules) fn filled_sections(root: View<'_>) -> impl Iterator<Item = View<'_>> {
    let entries = at(root, &["spec", "config"]).into_iter().flat_map(own_entries);
    let sections = entries.filter(|(name, section)| *name != "tools" && section.entries().next().is_some());
    sections.map(|(_, section)| section)
}
