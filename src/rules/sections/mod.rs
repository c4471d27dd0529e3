//! Checks of services, configuration sections, and of the names derived from them and from tools.

mod invalid_name;
mod name_collision;
mod reserved_file_name;
mod unused_tool_config;

use super::{Rule, at};
use crate::document::View;

pub(super) const RULES: &[Rule] =
    &[invalid_name::check, name_collision::check, reserved_file_name::check, unused_tool_config::check];

/// The services by name, without extensions.
fn services(root: View<'_>) -> impl Iterator<Item = (&str, View<'_>)> {
    at(root, &["spec", "services"]).into_iter().flat_map(View::entries).filter(|(name, _)| !name.starts_with("x-"))
}

/// The user-defined configuration sections by name.
fn sections(root: View<'_>) -> impl Iterator<Item = (&str, View<'_>)> {
    let entries = at(root, &["spec", "config"]).into_iter().flat_map(View::entries);
    entries.filter(|(name, _)| *name != "tools" && !name.starts_with("x-"))
}

/// The span of an entry's key.
fn name_span(entry: View<'_>) -> crate::diagnostics::Span {
    entry.key_span().unwrap_or_else(|| entry.span())
}
