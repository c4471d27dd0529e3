//! Checks that names stay distinct in every case style: `apiUrl` and `api_url` become the same variable.

use crate::diagnostics::{Code, Diagnostic, Severity};
use crate::document::View;
use crate::manifest::TargetLanguage;
use crate::names::words;
use crate::rules::duplicates;
use crate::rules::language::language;
use crate::rules::tools::own_tools;

use super::{name_span, sections, services};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let keys = sections(root).flat_map(|(section, view)| {
        let own = view.entries().filter(|(key, _)| !key.starts_with("x-"));
        own.map(move |(key, view)| ([words(section), words(key)].concat(), view))
    });
    let variables = duplicates(keys).into_iter().map(|pair| {
        finding(pair, "become the same environment variable", name_span).help("give each setting a unique name")
    });
    let services = duplicates(services(root).map(|(name, view)| (words(name), view)));
    let services = services
        .into_iter()
        .map(|pair| finding(pair, "become the same service in code", name_span).help("rename one of them"));
    // Go projects add a number to the functions of such tools.
    let is_go = matches!(language(root), Some(TargetLanguage::Go) | None);
    let ids = own_tools(root).filter(|_| !is_go).filter_map(|(id, tool)| Some((words(id), id, tool.get("id")?)));
    let ids: Vec<_> = ids.collect();
    let tools = duplicates(ids.iter().map(|(words, _, view)| (words, *view)));
    // Ids that differ only in case are reported by `duplicate_tool`.
    let folded = |view: View<'_>| view.as_str().map(str::to_lowercase);
    let tools = tools.into_iter().filter(|(again, first)| folded(*again) != folded(*first)).map(|pair| {
        let mut found =
            finding(pair, "become the same identifier in code", View::span).help("give each tool a unique id");
        found.severity = Severity::Warning;
        found
    });
    variables.chain(services).chain(tools).collect()
}

fn finding<'a>(
    (again, first): (View<'a>, View<'a>),
    what: &str,
    place: fn(View<'a>) -> crate::diagnostics::Span,
) -> Diagnostic {
    Diagnostic::new(Code::NameCollision, place(again), format!("{} and {} {what}", name(again), name(first)))
        .related(place(first), "first defined here")
}

/// The id of a tool, or the last two keys of the path of a setting or service.
fn name(view: View<'_>) -> String {
    let pointer = view.pointer();
    if let Some(id) = view.as_str().filter(|_| pointer.ends_with("/id")) {
        return format!("`{id}`");
    }
    let keys: Vec<_> = pointer.rsplit('/').take(2).collect();
    format!("`{}`", keys.into_iter().rev().collect::<Vec<_>>().join("."))
}
