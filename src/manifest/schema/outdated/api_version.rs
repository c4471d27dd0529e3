//! `apiVersion` of older manifests.

use crate::diagnostics::{Code, Diagnostic, Suggestion};
use crate::document::View;

const CURRENT: &str = "adl.inference-gateway.com/v1";
const OLDER: [&str; 2] = ["adl.dev/v1", "a2a.dev/v1"];

pub(super) fn finding(view: View<'_>) -> Option<Diagnostic> {
    let version = view.as_str().filter(|version| is_older_version(version))?;
    let headline = format!("`apiVersion: {version}` is outdated");
    let finding = Diagnostic::new(Code::OutdatedFormat, view.span(), headline)
        .help(format!("write `{CURRENT}`, then fix what is reported"));
    let edits = view.editor().and_then(|editor| editor.replace("/apiVersion", CURRENT));
    Some(match edits {
        Some(edits) => finding.suggest(Suggestion::safe(format!("write `{CURRENT}`"), edits)),
        None => finding,
    })
}

/// Whether an `apiVersion` is outdated.
pub(in crate::manifest::schema) fn is_older_version(version: &str) -> bool {
    OLDER.contains(&version)
}
