//! Unified diffs.

use similar::TextDiff;

use crate::files::Change;

/// The name of a missing side, as in `git` and `patch`.
const NOTHING: &str = "/dev/null";

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// The changes of the file `name`; empty if there are none. The caller masks secrets.
pub(super) fn of_file(name: &str, before: &str, after: &str) -> String {
    unified(&format!("{name} (before)"), &format!("{name} (after)"), before, after)
}

/// A unified diff from `before` to `after`; empty if they are equal. The caller masks secrets.
pub(super) fn unified(before_name: &str, after_name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(CONTEXT).header(before_name, after_name).to_string()
}

/// The change of a file as a diff for `patch -p1`. `shown` masks the secrets of a text.
pub(super) fn of_change(change: &Change, shown: &dyn Fn(&str) -> String) -> String {
    let Change { path, before, after, renamed_from, .. } = change;
    if before == after {
        return String::new();
    }
    let before_path = renamed_from.as_ref().unwrap_or(path);
    let before_name = before.as_ref().map_or_else(|| NOTHING.to_owned(), |_| format!("a/{before_path}"));
    let after_name = after.as_ref().map_or_else(|| NOTHING.to_owned(), |_| format!("b/{path}"));
    let text = |bytes: &Option<Vec<u8>>| String::from_utf8(bytes.clone().unwrap_or_default());
    match (text(before), text(after)) {
        (Ok(before), Ok(after)) => unified(&before_name, &after_name, &shown(&before), &shown(&after)),
        _ => format!("Binary files {before_name} and {after_name} differ\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Action, Owner};

    fn change(path: &str, before: Option<&str>, after: Option<&str>) -> Change {
        let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
        Change {
            path: path.to_owned(),
            owner: Owner::Generated,
            action: Action::Update,
            before: bytes(before),
            after: bytes(after),
            renamed_from: None,
            notes: Vec::new(),
        }
    }

    #[test]
    fn changes_are_valid_patches() {
        let diff = |before, after| of_change(&change("a/b.go", before, after), &str::to_owned);
        assert_eq!(diff(Some("1\n2\n"), Some("1\n3\n")), "--- a/a/b.go\n+++ b/a/b.go\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n");
        assert_eq!(diff(None, Some("1\n")), "--- /dev/null\n+++ b/a/b.go\n@@ -0,0 +1 @@\n+1\n");
        assert_eq!(
            diff(Some("1"), None),
            "--- a/a/b.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n\\ No newline at end of file\n"
        );
        assert_eq!(diff(Some("1\n"), Some("1\n")), "");
    }

    #[test]
    fn compares_masked_texts() {
        let diff = of_change(&change("a", Some("1\nA=1\n"), Some("2\nA=2\n")), &|text| text.replace(['1', '2'], "x"));
        assert_eq!(diff, "");
    }
}
