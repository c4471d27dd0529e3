//! Findings as JSON, described by `schema/findings.schema.json`.
//!
//! Fields may be added within a version, but none is changed or removed.

use serde::Serialize;

use super::{
    Applicability, Code, Columns, Diagnostic, FileReport, Label, Severity, Sources, Suggestion, Tally, Verdict,
};

/// The version of the format.
const VERSION: u32 = 1;

/// The JSON Schema of the format.
pub const FINDINGS_SCHEMA: &str = include_str!("../../schema/findings.schema.json");

/// Renders reports as one JSON document; ends with a line break.
pub fn render_json(reports: &[FileReport]) -> String {
    let document = Document {
        version: VERSION,
        tool: Tool { name: "adl", version: env!("CARGO_PKG_VERSION") },
        summary: Tally::of(reports),
        files: reports.iter().map(File::new).collect(),
    };
    to_text(&document)
}

/// Findings in this format, for another document.
pub fn findings_as_json(diagnostics: &[Diagnostic], sources: &Sources) -> Vec<serde_json::Value> {
    let findings = diagnostics.iter().map(|diagnostic| Finding::new(diagnostic, sources));
    findings.map(|finding| serde_json::to_value(finding).unwrap_or_default()).collect()
}

/// Pretty-printed JSON with a final line break.
pub(super) fn to_text(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    tool: Tool,
    summary: Tally,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct File<'a> {
    path: &'a str,
    verdict: &'static str,
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    code: String,
    name: &'static str,
    severity: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Place<'a>>,
    related: Vec<Place<'a>>,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    suggestions: Vec<Fix<'a>>,
}

#[derive(Serialize)]
struct Place<'a> {
    #[serde(flatten)]
    span: Span,
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'a str,
}

#[derive(Serialize)]
struct Span {
    start: Point,
    end: Point,
}

#[derive(Serialize)]
struct Point {
    offset: usize,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct Fix<'a> {
    text: &'a str,
    applicability: &'static str,
    edits: Vec<Replacement<'a>>,
}

#[derive(Serialize)]
struct Replacement<'a> {
    #[serde(flatten)]
    span: Span,
    replacement: &'a str,
}

impl<'a> File<'a> {
    fn new(report: &'a FileReport) -> Self {
        let verdict = match report.verdict {
            Verdict::Valid => "valid",
            Verdict::Invalid => "invalid",
            Verdict::Unreadable => "unreadable",
        };
        let findings = report.diagnostics.iter().map(|finding| Finding::new(finding, &report.sources)).collect();
        Self { path: &report.name, verdict, findings }
    }
}

impl<'a> Finding<'a> {
    fn new(diagnostic: &'a Diagnostic, sources: &Sources) -> Self {
        Self {
            code: diagnostic.code.to_string(),
            name: Code::name(diagnostic.code),
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: &diagnostic.headline,
            place: diagnostic.primary.as_ref().map(|label| Place::new(label, sources)),
            related: diagnostic.related.iter().map(|label| Place::new(label, sources)).collect(),
            notes: &diagnostic.notes,
            help: diagnostic.help.as_deref(),
            suggestions: sources.suggestions(diagnostic).map(|suggestion| Fix::new(suggestion, sources)).collect(),
        }
    }
}

impl<'a> Place<'a> {
    fn new(label: &'a Label, sources: &Sources) -> Self {
        Self { span: Span::new(label.span, sources), text: &label.text }
    }
}

impl Span {
    fn new(span: super::Span, sources: &Sources) -> Self {
        let point = |offset| {
            let position = sources.position_of(span.file, offset, Columns::Characters);
            Point { offset, line: position.line, column: position.column }
        };
        Self { start: point(span.start), end: point(span.end) }
    }
}

impl<'a> Fix<'a> {
    fn new(suggestion: &'a Suggestion, sources: &Sources) -> Self {
        let edits = suggestion
            .edits
            .iter()
            .map(|edit| Replacement { span: Span::new(edit.span, sources), replacement: &edit.replacement });
        let applicability = match suggestion.applicability {
            Applicability::Safe => "safe",
            Applicability::Review => "review",
        };
        Self { text: &suggestion.text, applicability, edits: edits.collect() }
    }
}
