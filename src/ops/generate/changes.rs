//! What a change of a file looks like to a person.

use std::path::Path;

use crate::files::Change;
use crate::mcp;
use crate::ops::diff::{self, unified};

/// Name of the side on which a file is missing, as `git` and `patch` know it.
const NOTHING: &str = "/dev/null";

/// A change as a unified diff for `patch -p1`; empty when the bytes stay as they are. Credentials in settings are masked.
pub fn change_diff(change: &Change) -> String {
    let Change { path, before, after, renamed_from, .. } = change;
    if before == after {
        return String::new();
    }
    let before_path = renamed_from.as_ref().unwrap_or(path);
    let before_name = before.as_ref().map_or_else(|| NOTHING.to_owned(), |_| format!("a/{before_path}"));
    let after_name = after.as_ref().map_or_else(|| NOTHING.to_owned(), |_| format!("b/{path}"));
    let text = |bytes: &Option<Vec<u8>>| String::from_utf8(bytes.clone().unwrap_or_default());
    match (text(before), text(after)) {
        (Ok(before), Ok(after)) => unified(&before_name, &after_name, &masked(path, before), &masked(path, after)),
        _ => format!("Binary files {before_name} and {after_name} differ\n"),
    }
}

/// What a seeded file would be now, against what it was seeded as; the user's own text is no part of it. Empty when that is lost.
pub fn seed_diff(path: &str, from: Option<&str>, to: &str) -> String {
    from.map(|from| unified(&format!("{path} (as it was seeded)"), &format!("{path} (as it would be now)"), from, to))
        .unwrap_or_default()
}

/// `text` without its credentials, where the file is one that may hold some.
fn masked(path: &str, text: String) -> String {
    if !holds_settings(path) {
        return text;
    }
    let lines = text
        .split_inclusive('\n')
        .map(|line| diff::masked(line, mcp::in_text(line).into_iter().map(|credential| credential.range).collect()));
    lines.collect()
}

fn holds_settings(path: &str) -> bool {
    let path = Path::new(path);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    name.starts_with(".env") || ["yaml", "yml", "json", "toml"].contains(&extension)
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
        let diff = |before, after| change_diff(&change("a/b.go", before, after));
        assert_eq!(diff(Some("1\n2\n"), Some("1\n3\n")), "--- a/a/b.go\n+++ b/a/b.go\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n");
        assert_eq!(diff(None, Some("1\n")), "--- /dev/null\n+++ b/a/b.go\n@@ -0,0 +1 @@\n+1\n");
        assert_eq!(
            diff(Some("1"), None),
            "--- a/a/b.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n\\ No newline at end of file\n"
        );
        assert_eq!(diff(Some("1\n"), Some("1\n")), "");
    }

    #[test]
    fn credentials_in_settings_are_masked() {
        let diff = change_diff(&change(".env.example", Some("TOKEN=opensesame4711\nA=1\n"), Some("TOKEN=\nA=2\n")));
        assert!(diff.contains("-TOKEN=<hidden>\n") && diff.contains("+A=2") && !diff.contains("opensesame"), "{diff}");
    }
}
