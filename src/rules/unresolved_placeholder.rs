//! Warns about `${NAME}` outside MCP servers, where it is not resolved.

use super::{Rule, at};
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;

pub(super) const RULES: &[Rule] = &[unresolved_placeholder];

/// Fields that are used as written and in which `${` is always a mistake.
const FIELDS: &[&[&str]] = &[
    &["metadata", "description"],
    &["metadata", "author", "url"],
    &["spec", "card", "url"],
    &["spec", "card", "documentationUrl"],
    &["spec", "card", "iconUrl"],
    &["spec", "agent", "model"],
    &["spec", "scm", "url"],
    &["spec", "language", "go", "module"],
    &["spec", "language", "typescript", "packageName"],
    &["spec", "language", "rust", "packageName"],
];

fn unresolved_placeholder(root: View<'_>) -> Vec<Diagnostic> {
    let fields = FIELDS.iter().filter_map(|keys| Some((keys.join("."), at(root, keys)?)));
    fields
        .filter(|(_, view)| view.as_str().is_some_and(|text| text.contains("${") || text.contains("{{")))
        .map(|(path, view)| {
            Diagnostic::new(
                Code::UnresolvedPlaceholder,
                view.span(),
                format!("`{path}` contains a variable reference that is not resolved"),
            )
            .note("the text is used as written")
            .help(format!(
                "write the value; `adl explain {path}` names the variable that overrides it, if there is one"
            ))
        })
        .collect()
}
