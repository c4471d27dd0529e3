//! Warns about security that the agent card announces and the agent does not enforce.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::{at, own_entries};

/// Advice for agents that do not authenticate callers.
pub(super) const PROXY: &str =
    "put an authenticating proxy in front of the agent, and let nothing but the proxy reach the agent";

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(card) = at(root, &["spec", "card"]) else { return Vec::new() };
    let required = card.get("security").filter(|view| view.items().flat_map(View::entries).next().is_some());
    let declared = card.get("securitySchemes").filter(|view| own_entries(*view).next().is_some());
    let announced = required.map(|view| (view, "security")).or(declared.map(|view| (view, "securitySchemes")));
    let finding = announced.and_then(|(view, field)| {
        let headline = format!("`spec.card.{field}` is announced, but not enforced: anyone can call the agent");
        let finding = Diagnostic::new(Code::UnenforcedSecurity, view.key_span()?, headline)
            .note("generated agents do not authenticate callers yet");
        Some(finding.help(PROXY))
    });
    finding.into_iter().collect()
}
