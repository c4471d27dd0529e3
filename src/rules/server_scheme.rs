//! Checks that `spec.server.scheme`, the scheme of the agent's URL, is `http` or `https`.

use super::{Rule, at, write_instead};
use crate::diagnostics::{Applicability, Code, Diagnostic};
use crate::document::View;
use crate::names::closest;

const SCHEMES: [&str; 2] = ["http", "https"];

pub(super) const RULES: &[Rule] = &[unsupported_scheme];

fn unsupported_scheme(root: View<'_>) -> Vec<Diagnostic> {
    let scheme = at(root, &["spec", "server", "scheme"]);
    let Some((view, text)) = scheme.and_then(|view| Some((view, view.as_str()?))) else { return Vec::new() };
    if SCHEMES.contains(&text) {
        return Vec::new();
    }
    let finding =
        Diagnostic::new(Code::UnsupportedScheme, view.span(), "`spec.server.scheme` must be `http` or `https`");
    let finding = match closest(text, SCHEMES) {
        Some(meant) => finding.suggest(write_instead(view, meant, Applicability::Review)),
        None => finding,
    };
    vec![finding.help("write `http`, or `https` if the agent is reached over TLS")]
}
