//! What changed, as a unified diff for people.

use similar::TextDiff;

use crate::diagnostics::{FileId, Span};
use crate::document;
use crate::rules;

/// What stands in the place of a credential.
const MASK: &str = "<hidden>";

/// The diff of a file called `name`; empty when nothing changed.
pub(super) fn unified(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let (before, after) = (masked(before), masked(after));
    let diff = TextDiff::from_lines(&before, &after);
    diff.unified_diff().context_radius(3).header(&format!("{name} (before)"), &format!("{name} (after)")).to_string()
}

/// The text without its credentials.
fn masked(text: &str) -> String {
    let document = document::parse(FileId::default(), text).document;
    let mut spans: Vec<_> = document.iter().flat_map(rules::credentials).map(Span::range).collect();
    spans.sort_by_key(|span| (span.start, span.end));
    let (mut masked, mut done) = (String::with_capacity(text.len()), 0);
    for span in spans {
        if span.start >= done {
            masked.push_str(text.get(done..span.start).unwrap_or_default());
            masked.push_str(MASK);
        }
        done = done.max(span.end);
    }
    masked.push_str(text.get(done..).unwrap_or_default());
    masked
}
