//! What a change of a file looks like to a person.

use super::Generated;
use crate::files::Change;
use crate::ops::diff::unified;

/// Name of the side on which a file is missing, as `git` and `patch` know it.
const NOTHING: &str = "/dev/null";

impl Generated {
    /// A change as a unified diff for `patch -p1`, with secrets masked; empty when the bytes stay as they are.
    pub fn diff(&self, change: &Change) -> String {
        diff(change, &|text| self.shown(&change.path, text))
    }

    /// What the seeded file at `path` would be now, against what it was seeded as; the user's own text is no part of it. Empty when
    /// that is lost.
    pub fn seed_diff(&self, path: &str, from: Option<&str>, to: &str) -> String {
        let (before, after) = (format!("{path} (as it was seeded)"), format!("{path} (as it would be now)"));
        from.map(|from| unified(&before, &after, &self.shown(path, from), &self.shown(path, to))).unwrap_or_default()
    }

    fn shown(&self, path: &str, text: &str) -> String {
        let rendered = self.tree.get(path).map(|file| String::from_utf8_lossy(&file.bytes)).unwrap_or_default();
        self.secrets.shown(path, text, &rendered)
    }
}

fn diff(change: &Change, shown: &dyn Fn(&str) -> String) -> String {
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
    fn a_change_is_one_that_patch_understands() {
        let diff = |before, after| diff(&change("a/b.go", before, after), &str::to_owned);
        assert_eq!(diff(Some("1\n2\n"), Some("1\n3\n")), "--- a/a/b.go\n+++ b/a/b.go\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n");
        assert_eq!(diff(None, Some("1\n")), "--- /dev/null\n+++ b/a/b.go\n@@ -0,0 +1 @@\n+1\n");
        assert_eq!(
            diff(Some("1"), None),
            "--- a/a/b.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n\\ No newline at end of file\n"
        );
        assert_eq!(diff(Some("1\n"), Some("1\n")), "");
    }

    #[test]
    fn what_is_shown_of_both_sides_is_compared() {
        let diff = diff(&change("a", Some("1\nA=1\n"), Some("2\nA=2\n")), &|text| text.replace(['1', '2'], "x"));
        assert_eq!(diff, "");
    }
}
