//! Checks that the URLs on the agent card are valid.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::at;

const FIELDS: [&str; 3] = ["url", "documentationUrl", "iconUrl"];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(card) = at(root, &["spec", "card"]) else { return Vec::new() };
    let fields = FIELDS.iter().filter_map(|field| Some((field, card.get(field)?)));
    fields
        // Variable references are reported by `unresolved_placeholder`.
        .filter(|(_, view)| view.as_str().is_some_and(|text| !text.is_empty() && !text.contains("${") && !is_url(text)))
        .map(|(field, view)| {
            Diagnostic::new(Code::InvalidCardUrl, view.span(), format!("`spec.card.{field}` is not a valid URL"))
                .note("clients follow it from the agent card")
                .help("write it with a scheme, for example `https://agents.example.com`")
        })
        .collect()
}

fn is_url(text: &str) -> bool {
    let rest = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    host.is_some_and(|host| !host.is_empty()) && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}
