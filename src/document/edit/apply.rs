//! Edits carried out.

use std::collections::BTreeMap;

use crate::diagnostics::{Edit, Span};

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

/// The places that edits have, so that others can keep away from them.
#[derive(Debug, Default)]
pub struct Taken {
    /// Ends by start, none overlapping another.
    ranges: BTreeMap<usize, usize>,
}

impl Taken {
    /// Takes the places of all these edits; false, and none is taken, when one of them shares bytes with an edit before it.
    /// Several edits may insert at one place.
    pub fn take(&mut self, edits: &[Edit]) -> bool {
        let meets = |span: Span| self.ranges.range(..span.end).next_back().is_some_and(|(_, end)| *end > span.start);
        if edits.iter().any(|edit| meets(edit.span)) {
            return false;
        }
        for Span { start, end, .. } in edits.iter().map(|edit| edit.span) {
            let known = self.ranges.entry(start).or_insert(end);
            *known = end.max(*known);
        }
        true
    }
}
