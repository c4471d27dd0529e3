//! Checks that `spec.language.go.version` is a valid Go version; warns if that version is not known to exist.

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
        return version.is_unknown().then(|| unknown_version(view, version)).into_iter().collect();
    }
    let finding =
        Diagnostic::new(Code::InvalidGoVersion, view.span(), "`spec.language.go.version` is not a valid Go version");
    let number = text.trim().trim_start_matches("go").trim_start_matches(['v', '>', '=', '^', '~', ' ']);
    vec![if number.parse::<GoVersion>().is_ok() {
        let quoted = format!("\"{number}\"");
        finding.help(format!("write `{quoted}`")).suggest(write_instead(view, &quoted, Applicability::Review))
    } else {
        finding.help("use a version such as `\"1.26\"` or `\"1.26.4\"`")
    }]
}

fn unknown_version(view: View<'_>, version: GoVersion) -> Diagnostic {
    let newest = GoVersion::NEWEST;
    Diagnostic::new(Code::UnknownGoVersion, view.span(), format!("Go {version} may not exist"))
        .note(format!("the newest version known to this version of adl is Go 1.{newest}"))
        .help(format!("write `\"{}\"` or another released version", GoVersion::OLDEST))
}
