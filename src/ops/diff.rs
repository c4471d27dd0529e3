//! Unified diffs.

use similar::TextDiff;

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// What changes in the file called `name`; empty when nothing does. Secrets are the caller's to mask.
pub(super) fn of_file(name: &str, before: &str, after: &str) -> String {
    unified(&format!("{name} (before)"), &format!("{name} (after)"), before, after)
}

/// What turns `before` into `after`, under these names; empty when they are equal. Secrets are the caller's to mask.
pub(super) fn unified(before_name: &str, after_name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(CONTEXT).header(before_name, after_name).to_string()
}
