//! Edits carried out.

use crate::diagnostics::Edit;

/// The text with all edits done; `None` when two of them overlap or one lies outside the text. Of two insertions at one place
/// the first comes first.
pub fn apply<'e>(text: &str, edits: impl IntoIterator<Item = &'e Edit>) -> Option<String> {
    let mut edits: Vec<_> = edits.into_iter().collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut edited = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        edited.push_str(text.get(done..edit.span.start)?);
        edited.push_str(&edit.replacement);
        done = edit.span.end;
    }
    edited.push_str(text.get(done..)?);
    Some(edited)
}

/// Whether two lists of edits cannot be done together: they share bytes, or insert at one place.
pub fn overlap(some: &[Edit], others: &[Edit]) -> bool {
    some.iter().any(|one| {
        others.iter().any(|other| {
            let (one, other) = (one.span, other.span);
            (one.start < other.end && other.start < one.end) || one.start == other.start
        })
    })
}
