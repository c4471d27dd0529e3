//! Applies edits.

use std::collections::BTreeMap;

use crate::diagnostics::{Edit, Span};

/// The text after all edits; `None` if two of them overlap or one is out of range. Insertions at the same place keep
/// their order.
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

/// The ranges of accepted edits, to detect overlaps.
#[derive(Debug, Default)]
pub struct Taken {
    /// Ends by start, none overlapping another.
    ranges: BTreeMap<usize, usize>,
}

impl Taken {
    /// Adds the ranges of these edits; returns false and adds none if one of them overlaps an earlier edit. Several
    /// edits may insert at the same place.
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
