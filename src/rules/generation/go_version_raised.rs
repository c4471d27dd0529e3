//! A Go version below what the project's packages need is raised.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::at;
use crate::rules::language::{GO_FLOOR, go_release};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let version = at(root, &["spec", "language", "go", "version"]);
    let low = version.filter(|view| view.as_str().and_then(go_release).is_some_and(|release| release < GO_FLOOR));
    low.map(|view| {
        let floor = format!("{}.{}", GO_FLOOR.0, GO_FLOOR.1);
        Diagnostic::new(Code::GoVersionRaised, view.span(), format!("`spec.language.go.version` is raised to {floor}"))
            .note(format!("the packages of the generated project need Go {floor}"))
            .help(format!("write `version: \"{floor}\"` or higher"))
    })
    .into_iter()
    .collect()
}
