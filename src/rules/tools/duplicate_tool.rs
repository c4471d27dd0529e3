//! Checks that tools have unique ids, which name files, and unique names, by which the model calls them.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::duplicates;

use super::{built_in, tools};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let ids = tools(root).filter_map(|tool| tool.get("id")).filter_map(|id| Some((id.as_str()?.to_lowercase(), id)));
    let same_id = duplicates(ids).into_iter().map(|(again, first)| same_id(again, first));
    let names = tools(root).filter_map(|tool| match built_in(tool) {
        Some(name) => Some((name, tool.get("id")?)),
        None => tool.get("name").and_then(|name| Some((name.as_str()?, name))),
    });
    // The id check already reports a duplicate built-in tool.
    let names = duplicates(names).into_iter().filter(|(again, first)| !(is_id(*again) && is_id(*first)));
    same_id.chain(names.map(|(again, first)| same_name(again, first))).collect()
}

fn is_id(view: View<'_>) -> bool {
    view.pointer().ends_with("/id")
}

fn same_id(again: View<'_>, first: View<'_>) -> Diagnostic {
    let (id, other) = (again.as_str().unwrap_or_default(), first.as_str().unwrap_or_default());
    let finding = if id == other {
        Diagnostic::new(Code::DuplicateToolId, again.span(), format!("two tools have the id `{id}`"))
            .help("give each tool a unique id")
    } else {
        let headline = format!("the ids `{id}` and `{other}` differ only in case");
        Diagnostic::new(Code::ToolIdsDifferOnlyInCase, again.span(), headline)
            .note("an id becomes a file name, and some file systems are not case-sensitive")
            .help("give each tool an id that differs in more than case")
    };
    finding.related(first.span(), "first defined here")
}

fn same_name(again: View<'_>, first: View<'_>) -> Diagnostic {
    let name = if is_id(again) { first } else { again }.as_str().unwrap_or_default();
    Diagnostic::new(Code::DuplicateToolName, again.span(), format!("two tools have the name `{name}`"))
        .related(first.span(), "first defined here")
        .note("the model calls a tool by its name")
        .help("give each tool a unique name")
}
