//! Checks that a security scheme has the fields that a caller needs to use it.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::{at, is_unfilled, text};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(schemes) = at(root, &["spec", "card", "securitySchemes"]) else { return Vec::new() };
    schemes.entries().flat_map(|(name, scheme)| missing_fields(name, scheme)).collect()
}

fn missing_fields(name: &str, scheme: View<'_>) -> Vec<Diagnostic> {
    let (kind, needed): (_, &[(&str, &str)]) = match text(scheme, "type") {
        Some("apiKey") => ("apiKey", &[("name", "X-API-Key"), ("in", "header")]),
        Some("http") => ("http", &[("scheme", "Bearer")]),
        _ => return Vec::new(),
    };
    let missing = needed.iter().filter(|(field, _)| is_unfilled(scheme, field));
    missing
        .map(|(field, example)| {
            let headline = format!("security scheme `{name}` of type `{kind}` has no `{field}`");
            let place = scheme.get(field).unwrap_or(scheme).span();
            Diagnostic::new(Code::IncompleteSecurityScheme, place, headline)
                .help(format!("add it, for example `{field}: {example}`"))
        })
        .collect()
}
