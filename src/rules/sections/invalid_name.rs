//! Checks that names of services, configuration sections and their keys are valid identifiers: a letter or `_`, then
//! letters, digits, `_` and `-`.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;

use super::{name_span, sections, services};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let services = services(root).filter(|(name, _)| !is_identifier(name)).map(|(name, view)| {
        let headline = format!("service name `{name}` is not a valid identifier");
        finding(Code::InvalidServiceName, view, headline)
    });
    let keys = sections(root).flat_map(|(_, section)| section.entries()).filter(|(name, _)| !name.starts_with("x-"));
    let settings = sections(root).chain(keys).filter(|(name, _)| !is_identifier(name)).map(|(name, view)| {
        let headline = format!("`{name}` under `spec.config` is not a valid identifier");
        finding(Code::InvalidConfigName, view, headline)
    });
    services.chain(settings).collect()
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

fn finding(code: Code, view: View<'_>, headline: String) -> Diagnostic {
    Diagnostic::new(code, name_span(view), headline)
        .note("the name becomes part of the project's code")
        .help("start with a letter, followed by letters, digits, `_` and `-`")
}
