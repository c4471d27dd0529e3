//! `spec.language.go.version` must be a version of Go.

use crate::diagnostics::{Applicability, Code, Diagnostic};
use crate::document::View;
use crate::rules::{at, write_instead};

/// The lowest version that the packages of a generated project accept.
pub(in crate::rules) const FLOOR: (u32, u32) = (1, 25);

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let version = at(root, &["spec", "language", "go", "version"]);
    let Some((view, text)) = version.and_then(|view| Some((view, view.as_str()?))) else { return Vec::new() };
    if text.trim().is_empty() || release(text).is_some() {
        return Vec::new();
    }
    let finding =
        Diagnostic::new(Code::InvalidGoVersion, view.span(), "`spec.language.go.version` is no version of Go");
    let number = text.trim().trim_start_matches("go").trim_start_matches(['v', '>', '=', '^', '~', ' ']);
    vec![if release(number).is_some() {
        let quoted = format!("\"{number}\"");
        finding.help(format!("write `{quoted}`")).suggest(write_instead(view, &quoted, Applicability::Review))
    } else {
        finding.help("write it like `\"1.26\"` or `\"1.26.4\"`")
    }]
}

/// Major and minor number of a version as `go.mod` takes it: `1.26`, `1.26.4`, `1.27rc1`.
pub(in crate::rules) fn release(version: &str) -> Option<(u32, u32)> {
    let stable = ["rc", "beta"].iter().find_map(|mark| {
        let (stable, number) = version.split_once(mark)?;
        is_number(number).then_some(stable)
    });
    let parts: Vec<_> = stable.unwrap_or(version).split('.').collect();
    let (major, minor) = match parts.as_slice() {
        [major, minor] => (major, minor),
        [major, minor, patch] if is_number(patch) && stable.is_none() => (major, minor),
        _ => return None,
    };
    (is_number(major) && is_number(minor)).then_some((major.parse().ok()?, minor.parse().ok()?))
}

/// Digits without a leading zero.
fn is_number(text: &str) -> bool {
    text == "0" || !text.is_empty() && !text.starts_with('0') && text.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::release;

    #[test]
    fn reads_versions_as_go_mod_does() {
        let table = [
            ("1.26", Some((1, 26))),
            ("1.26.4", Some((1, 26))),
            ("1.27rc1", Some((1, 27))),
            ("1.20.0", Some((1, 20))),
            ("1", None),
            ("1.026", None),
            ("1.26.", None),
            ("1.26.4.1", None),
            ("1.26.4rc1", None),
            ("v1.26", None),
            ("latest", None),
            ("1.x", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(release(text), expected, "{text}");
        }
    }
}
