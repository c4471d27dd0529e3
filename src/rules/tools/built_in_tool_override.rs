//! Checks that the manifest does not override the name, description or arguments of a built-in tool.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::text;

use super::{built_in, tools};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let fixed = tools(root).filter(|tool| built_in(*tool).is_some()).flat_map(|tool| {
        let id = text(tool, "id").unwrap_or_default();
        let fields = ["name", "description", "schema", "inject"].into_iter();
        fields.filter_map(move |field| Some((id, field, tool.get(field)?.key_span()?)))
    });
    fixed
        .map(|(id, field, span)| {
            Diagnostic::new(
                Code::BuiltInToolOverride,
                span,
                format!("`{id}` is a built-in tool, whose `{field}` cannot be changed"),
            )
            .help("remove the key, or give your tool a different `id`")
        })
        .collect()
}
