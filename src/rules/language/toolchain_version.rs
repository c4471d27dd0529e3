//! Checks the versions of Node.js and Rust, and the Rust edition. `go_version` checks the Go version.

use crate::diagnostics::{Code, Diagnostic, Severity};
use crate::document::View;
use crate::rules::at;

const EDITIONS: [&str; 4] = ["2015", "2018", "2021", "2024"];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let fields = [("typescript", "nodeVersion", "24"), ("rust", "version", "1.95"), ("rust", "edition", "2024")];
    let fields = fields.iter().filter_map(|(language, field, example)| {
        let view = at(root, &["spec", "language", language, field])?;
        let text = view.as_str().filter(|text| !text.trim().is_empty())?;
        let is_valid = if *field == "edition" { EDITIONS.contains(&text) } else { is_version(text) };
        (!is_valid).then(|| {
            let headline = format!("`spec.language.{language}.{field}` does not exist");
            let mut finding = Diagnostic::new(Code::InvalidToolchainVersion, view.span(), headline)
                .help(format!("write it like `\"{example}\"`"));
            // Some tools accept words such as `lts` and `stable`.
            if *field != "edition" {
                finding.severity = Severity::Warning;
            }
            finding
        })
    });
    fields.collect()
}

/// One to three numbers separated by dots.
fn is_version(text: &str) -> bool {
    let parts: Vec<_> = text.split('.').collect();
    parts.len() <= 3 && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit()))
}
