//! Checks that `spec.card.preferredTransport` is an A2A transport.

use crate::diagnostics::{Applicability, Code, Diagnostic};
use crate::document::View;
use crate::names::closest;
use crate::rules::{at, write_instead};

const TRANSPORTS: [&str; 3] = ["JSONRPC", "GRPC", "HTTP+JSON"];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let transport = at(root, &["spec", "card", "preferredTransport"]);
    let Some((view, text)) = transport.and_then(|view| Some((view, view.as_str()?))) else { return Vec::new() };
    if text.is_empty() || TRANSPORTS.contains(&text) {
        return Vec::new();
    }
    let headline = "`spec.card.preferredTransport` is not an A2A transport";
    let finding = Diagnostic::new(Code::UnknownTransport, view.span(), headline)
        .note("clients cannot tell how to reach the agent");
    vec![match closest(text, TRANSPORTS) {
        Some(meant) => {
            finding.help(format!("did you mean `{meant}`?")).suggest(write_instead(view, meant, Applicability::Review))
        }
        None => finding.help("write `JSONRPC`, or remove the key"),
    }]
}
