//! `metadata.description` is on the card and in the README, so it says something.

use super::{Rule, at};
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;

pub(super) const RULES: &[Rule] = &[blank_description];

fn blank_description(root: View<'_>) -> Vec<Diagnostic> {
    let description = at(root, &["metadata", "description"]);
    let blank = description.filter(|view| view.as_str().is_some_and(|text| text.trim().is_empty()));
    blank
        .map(|view| {
            Diagnostic::new(Code::BlankField, view.span(), "`metadata.description` is blank")
                .help("say in a sentence what the agent does")
        })
        .into_iter()
        .collect()
}
