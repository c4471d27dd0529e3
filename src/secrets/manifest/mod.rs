//! Credentials in a manifest, whatever else is wrong with it: in its values, keys and comments, and around the faults of a text that
//! cannot be parsed.

mod comments;
mod keys;
mod nearby;
mod values;

use crate::diagnostics::Span;
use crate::document::Document;

pub use keys::in_keys;
pub use nearby::near;

/// The places of a manifest that no output may show.
pub fn in_manifest(document: &Document, text: &str) -> Vec<Span> {
    let mut spans = values::in_values(document.root());
    spans.extend(in_keys(document.root()).into_iter().filter_map(|(_, entry)| entry.key_span()));
    spans.extend(comments::in_comments(document, text));
    spans
}
