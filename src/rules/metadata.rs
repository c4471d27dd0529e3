//! Checks that `metadata.description`, which appears on the card and in the README, is not empty, and that
//! `metadata.version` is a valid semantic version.

use super::{Rule, at};
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;

pub(super) const RULES: &[Rule] = &[blank_description, version_with_leading_zero];

fn blank_description(root: View<'_>) -> Vec<Diagnostic> {
    let description = at(root, &["metadata", "description"]);
    let blank = description.filter(|view| view.as_str().is_some_and(|text| text.trim().is_empty()));
    blank
        .map(|view| {
            Diagnostic::new(Code::BlankField, view.span(), "`metadata.description` is empty")
                .help("describe in one sentence what the agent does")
        })
        .into_iter()
        .collect()
}

/// Semantic versions have no leading zeros: npm and Cargo reject `1.02.0`.
fn version_with_leading_zero(root: View<'_>) -> Vec<Diagnostic> {
    let version = at(root, &["metadata", "version"]);
    let Some((view, text)) = version.and_then(|view| Some((view, view.as_str()?))) else { return Vec::new() };
    let is_padded =
        |part: &str| part.len() > 1 && part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit());
    if !text.split('.').any(is_padded) {
        return Vec::new();
    }
    let headline = "`metadata.version` contains a number with a leading zero";
    vec![
        Diagnostic::new(Code::LeadingZeroInVersion, view.span(), headline)
            .note("semantic versioning does not allow it, and package managers reject it")
            .help("remove the leading zero"),
    ]
}
