//! Checks that names stay distinct in every case style: `apiUrl` and `api_url` become the same variable.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::names::words;
use crate::rules::duplicates;

use super::{name_span, sections, services};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let keys = sections(root).flat_map(|(section, view)| {
        let own = view.entries().filter(|(key, _)| !key.starts_with("x-"));
        own.map(move |(key, view)| ([words(section), words(key)].concat(), view))
    });
    let variables = duplicates(keys)
        .into_iter()
        .map(|pair| finding(pair, "become the same environment variable").help("give each setting a unique name"));
    let services = duplicates(services(root).map(|(name, view)| (words(name), view)));
    let services =
        services.into_iter().map(|pair| finding(pair, "become the same service in code").help("rename one of them"));
    variables.chain(services).collect()
}

fn finding((again, first): (View<'_>, View<'_>), what: &str) -> Diagnostic {
    Diagnostic::new(Code::NameCollision, name_span(again), format!("{} and {} {what}", name(again), name(first)))
        .related(name_span(first), "first defined here")
}

/// The last two keys of the path of a setting or service.
fn name(view: View<'_>) -> String {
    let pointer = view.pointer();
    let keys: Vec<_> = pointer.rsplit('/').take(2).collect();
    format!("`{}`", keys.into_iter().rev().collect::<Vec<_>>().join("."))
}
