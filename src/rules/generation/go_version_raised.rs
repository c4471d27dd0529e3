//! Warns if the Go version is lower than the project's packages require; the generated project uses the required
//! version.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::manifest::GoVersion;
use crate::rules::at;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let version = at(root, &["spec", "language", "go", "version"]);
    let written = |view: View<'_>| view.as_str()?.parse::<GoVersion>().ok();
    let low = version.filter(|view| written(*view).is_some_and(|version| version < GoVersion::OLDEST));
    low.map(|view| {
        let floor = GoVersion::OLDEST;
        Diagnostic::new(Code::GoVersionRaised, view.span(), format!("`spec.language.go.version` is raised to {floor}"))
            .note(format!("the packages of the generated project need Go {floor}"))
            .help(format!("write `version: \"{floor}\"` or higher"))
    })
    .into_iter()
    .collect()
}
