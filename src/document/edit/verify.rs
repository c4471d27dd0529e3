//! Verifies that an edit changed only what it was meant to change.

use std::ops::Range;

use crate::diagnostics::{Diagnostic, Edit};
use crate::document::{Document, Parsed};

/// Why an edit was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// The result is not valid YAML.
    #[error("the result would be invalid YAML")]
    Unreadable,
    /// A part outside the edits would change or be lost.
    #[error("another part of the file would change")]
    ElsewhereChanged,
    /// An alias uses the edited part.
    #[error("an alias uses this part elsewhere in the file")]
    Repeated,
}

/// Compares a document with the result of `edits`: every value that no edit touched must still exist, under keys that
/// no edit touched, and everything else must come from an edit.
pub fn verify(before: &Document, edits: &[&Edit], after: &Parsed) -> Result<(), VerifyError> {
    let Some(document) = after.document.as_ref().filter(|_| !after.diagnostics.iter().any(Diagnostic::is_error)) else {
        return Err(VerifyError::Unreadable);
    };
    let map = Map::new(edits);
    let mut kept = leaves(before, |range| map.kept(range));
    let mut found = leaves(document, |range| (!map.is_new(range)).then(|| range.clone()));
    if kept.repeated || found.repeated {
        return Err(VerifyError::Repeated);
    }
    kept.leaves.sort();
    found.leaves.sort();
    let same = kept.leaves.len() == found.leaves.len()
        && kept.leaves.iter().zip(&found.leaves).all(|(kept, found)| kept == found);
    if same { Ok(()) } else { Err(VerifyError::ElsewhereChanged) }
}

/// Maps ranges of the old text to the new text.
struct Map {
    /// Replaced old ranges and their new ranges, in order.
    edits: Vec<(Range<usize>, Range<usize>)>,
}

impl Map {
    fn new(edits: &[&Edit]) -> Self {
        let mut edits = edits.to_vec();
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let (mut old, mut new) = (0, 0);
        let edits = edits.iter().map(|edit| {
            let start = new + (edit.span.start - old);
            old = edit.span.end;
            new = start + edit.replacement.len();
            (edit.span.range(), start..new)
        });
        Self { edits: edits.collect() }
    }

    /// The new range of an old range; `None` if an edit touches it.
    fn kept(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let done = self.edits.partition_point(|(old, _)| old.end <= range.start);
        if self.edits.get(done).is_some_and(|(old, _)| old.start < range.end) {
            return None;
        }
        let last = done.checked_sub(1).and_then(|last| self.edits.get(last));
        let (old, new) = last.map_or((0, 0), |(old, new)| (old.end, new.end));
        let start = new + (range.start - old);
        Some(start..start + range.len())
    }

    /// Whether a range of the new text comes from an edit.
    fn is_new(&self, range: &Range<usize>) -> bool {
        let index = self.edits.partition_point(|(_, new)| new.end < range.end);
        self.edits.get(index).is_some_and(|(_, new)| new.start <= range.start)
    }
}

/// A scalar: offset, path, value.
type Leaf = (usize, String, String);

struct Leaves {
    leaves: Vec<Leaf>,
    /// Whether an edited or new value appears twice.
    repeated: bool,
}

/// All leaves for which `place` returns a range.
fn leaves(document: &Document, place: impl Fn(&Range<usize>) -> Option<Range<usize>>) -> Leaves {
    let mut leaves = Leaves { leaves: Vec::new(), repeated: false };
    let mut touched = Vec::new();
    let mut pending = vec![(document.root(), String::new())];
    while let Some((view, path)) = pending.pop() {
        for (key, child) in view.entries() {
            let kept = child.key_span().is_some_and(|span| place(&span.range()).is_some());
            pending.push((child, format!("{path}.{}", if kept { key } else { "" })));
        }
        pending.extend(view.items().map(|item| (item, format!("{path}/"))));
        // An edit may fill an empty collection, so it is not a leaf.
        if !view.is_mapping() && !view.is_sequence() {
            let range = view.span().range();
            match place(&range) {
                Some(place) => leaves.leaves.push((place.start, path, view.value().to_string())),
                None => touched.push((range.start, range.end)),
            }
        }
    }
    let count = touched.len();
    touched.sort_unstable();
    touched.dedup();
    leaves.repeated = touched.len() < count;
    leaves
}
