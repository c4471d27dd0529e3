//! Unified diffs, without credentials.

use std::ops::Range;

use similar::TextDiff;

/// What stands in the place of a credential.
const MASK: &str = "<hidden>";

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// What turns `before` into `after`, under these names; empty when they are equal.
pub(super) fn unified(before_name: &str, after_name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(CONTEXT).header(before_name, after_name).to_string()
}

/// `text` with a mask in the place of each range of bytes; ranges may overlap.
pub(super) fn masked(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| (range.start, range.end));
    let (mut masked, mut done) = (String::with_capacity(text.len()), 0);
    for range in ranges {
        if range.start >= done {
            masked.push_str(text.get(done..range.start).unwrap_or_default());
            masked.push_str(MASK);
        }
        done = done.max(range.end);
    }
    masked.push_str(text.get(done..).unwrap_or_default());
    masked
}
