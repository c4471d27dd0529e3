//! Findings as a GitLab code quality report.

use serde::Serialize;

use super::fingerprint::Fingerprints;
use super::json::to_text;
use super::{Columns, Diagnostic, FileReport, Severity};

/// Renders reports as one JSON document; ends with a line break.
pub fn render_gitlab(reports: &[FileReport]) -> String {
    let issues: Vec<_> = reports.iter().flat_map(issues).collect();
    to_text(&issues)
}

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
    end: usize,
}

fn issues(report: &FileReport) -> impl Iterator<Item = Issue<'_>> {
    let path = report.name.strip_prefix("./").unwrap_or(&report.name);
    let mut fingerprints = Fingerprints::new(path);
    report.diagnostics.iter().map(move |diagnostic| Issue {
        description: format!("{}: {}", diagnostic.code.name(), diagnostic.message()),
        check_name: diagnostic.code.to_string(),
        fingerprint: fingerprints.next(diagnostic),
        severity: match diagnostic.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
        },
        location: Location { path, lines: lines(diagnostic, report) },
    })
}

/// The lines of a finding; line 1 for a finding about the whole file.
fn lines(diagnostic: &Diagnostic, report: &FileReport) -> Lines {
    let [begin, end] = match &diagnostic.primary {
        Some(label) => [label.span.start, label.span.end]
            .map(|offset| report.sources.position_of(label.span.file, offset, Columns::Characters).line),
        None => [1, 1],
    };
    Lines { begin, end }
}
