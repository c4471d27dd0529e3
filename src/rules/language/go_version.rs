//! `spec.language.go.version` must be a version of Go, and should be one that there is.

use crate::diagnostics::{Applicability, Code, Diagnostic};
use crate::document::View;
use crate::manifest::GoVersion;
use crate::rules::{at, write_instead};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let version = at(root, &["spec", "language", "go", "version"]);
    let Some((view, text)) = version.and_then(|view| Some((view, view.as_str()?))) else { return Vec::new() };
    if text.trim().is_empty() {
        return Vec::new();
    }
    if let Ok(version) = text.parse::<GoVersion>() {
        return version.is_unknown().then(|| unheard_of(view, version)).into_iter().collect();
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

fn unheard_of(view: View<'_>, version: GoVersion) -> Diagnostic {
    let newest = GoVersion::NEWEST;
    Diagnostic::new(Code::UnknownGoVersion, view.span(), format!("there may be no Go {version}"))
        .note(format!("the newest that this version of adl knows of is Go 1.{newest}"))
        .help(format!("write `\"{}\"` or another version that is released", GoVersion::OLDEST))
}
