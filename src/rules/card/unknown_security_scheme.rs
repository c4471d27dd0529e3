//! Checks that security requirements refer to schemes that the card declares.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::names::closest;
use crate::rules::at;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(card) = at(root, &["spec", "card"]) else { return Vec::new() };
    let declared: Vec<_> =
        card.get("securitySchemes").into_iter().flat_map(View::entries).map(|(name, _)| name).collect();
    let required = card.get("security").into_iter().flat_map(View::items).flat_map(View::entries);
    let unknown = required.filter(|(name, _)| !declared.contains(name));
    unknown
        .filter_map(|(name, view)| {
            let headline = format!("`spec.card.security` refers to `{name}`, which is not declared");
            let help = match closest(name, declared.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("declare `{name}` under `spec.card.securitySchemes`"),
            };
            Some(Diagnostic::new(Code::UnknownSecurityScheme, view.key_span()?, headline).help(help))
        })
        .collect()
}
