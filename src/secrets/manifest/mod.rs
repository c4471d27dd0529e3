//! Credentials in a manifest, whatever else is wrong with it: in its values, in its comments, and around the faults of a text that
//! cannot be parsed.

mod comments;
mod nearby;
mod servers;
mod values;

use crate::diagnostics::Span;
use crate::document::Document;

pub use nearby::near;

/// The places of a manifest that no output may show.
pub fn in_manifest(document: &Document, text: &str) -> Vec<Span> {
    let mut spans = servers::in_servers(document.root());
    spans.extend(values::in_values(document.root()));
    spans.extend(comments::in_comments(document, text));
    spans
}
