//! Credentials in a manifest, which may be invalid: in values, keys and comments, and near the syntax errors of a text
//! that cannot be parsed.

mod comments;
mod keys;
mod nearby;
mod values;

use crate::diagnostics::Span;
use crate::document::Document;

pub use keys::in_keys;
pub use nearby::near;

/// The spans of a manifest that must not appear in any output.
pub fn in_manifest(document: &Document, text: &str) -> Vec<Span> {
    let mut spans = values::in_values(document.root());
    spans.extend(in_keys(document.root()).into_iter().filter_map(|(_, entry)| entry.key_span()));
    spans.extend(comments::in_comments(document, text));
    spans
}
