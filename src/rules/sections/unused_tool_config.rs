//! Warns about settings of a built-in tool that `spec.tools` does not list: they have no effect.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::tools::{built_in, is_built_in, tools};
use crate::rules::{at, text};

use super::name_span;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let listed: Vec<_> =
        tools(root).filter(|tool| built_in(*tool).is_some()).filter_map(|tool| text(tool, "id")).collect();
    let settings = at(root, &["spec", "config", "tools"]).into_iter().flat_map(View::entries);
    settings
        .filter(|(id, view)| is_built_in(id) && !listed.contains(id) && enabled(*view))
        .map(|(id, view)| {
            let headline = format!("`spec.config.tools.{id}` has no effect: `spec.tools` does not list `{id}`");
            Diagnostic::new(Code::UnusedToolConfig, name_span(view), headline)
                .help(format!("add `- id: {id}` under `spec.tools`, or remove the settings"))
        })
        .collect()
}

fn enabled(settings: View<'_>) -> bool {
    settings.get("enabled").and_then(View::as_bool) == Some(true)
}
