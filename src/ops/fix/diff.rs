//! What changed, as a unified diff for people.

use crate::diagnostics::{FileId, Span};
use crate::document;
use crate::ops::diff;
use crate::secrets;

/// The diff of a file called `name`; empty when nothing changed.
pub(super) fn unified(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    diff::of_file(name, &masked(before), &masked(after))
}

/// The text without its credentials.
fn masked(text: &str) -> String {
    let document = document::parse(FileId::default(), text).document;
    let spans = document.iter().flat_map(|document| secrets::in_manifest(document, text));
    secrets::masked(text, spans.map(Span::range).collect())
}
