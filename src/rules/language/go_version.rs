//! `spec.language.go.version` must be a version of Go.

use crate::diagnostics::{Applicability, Code, Diagnostic};
use crate::document::View;
use crate::manifest::GoVersion;
use crate::rules::{at, write_instead};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let version = at(root, &["spec", "language", "go", "version"]);
    let Some((view, text)) = version.and_then(|view| Some((view, view.as_str()?))) else { return Vec::new() };
    if text.trim().is_empty() || text.parse::<GoVersion>().is_ok() {
        return Vec::new();
    }
    let finding =
        Diagnostic::new(Code::InvalidGoVersion, view.span(), "`spec.language.go.version` is no version of Go");
    let number = text.trim().trim_start_matches("go").trim_start_matches(['v', '>', '=', '^', '~', ' ']);
    vec![if number.parse::<GoVersion>().is_ok() {
        let quoted = format!("\"{number}\"");
        finding.help(format!("write `{quoted}`")).suggest(write_instead(view, &quoted, Applicability::Review))
    } else {
        finding.help("write it like `\"1.26\"` or `\"1.26.4\"`")
    }]
}
