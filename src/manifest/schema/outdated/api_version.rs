//! `apiVersion` of the manifests that came before.

use crate::diagnostics::{Code, Diagnostic, Suggestion};
use crate::document::View;

const TODAY: &str = "adl.inference-gateway.com/v1";
const OLDER: [&str; 2] = ["adl.dev/v1", "a2a.dev/v1"];

pub(super) fn finding(view: View<'_>) -> Option<Diagnostic> {
    let version = view.as_str().filter(|version| is_older_version(version))?;
    let headline = format!("`apiVersion: {version}` is that of an older manifest");
    let finding = Diagnostic::new(Code::OutdatedFormat, view.span(), headline)
        .help(format!("write `{TODAY}`, and mend what is then reported"));
    let edits = view.editor().and_then(|editor| editor.replace("/apiVersion", TODAY));
    Some(match edits {
        Some(edits) => finding.suggest(Suggestion::safe(format!("write `{TODAY}`"), edits)),
        None => finding,
    })
}

/// Whether an `apiVersion` is one of those that came before.
pub(in crate::manifest::schema) fn is_older_version(version: &str) -> bool {
    OLDER.contains(&version)
}
