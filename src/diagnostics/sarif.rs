//! Findings as a SARIF 2.1.0 log: one run, a rule per reported code, a result per finding.

use std::collections::BTreeMap;

use serde::Serialize;

use super::fingerprint::Fingerprints;
use super::json::to_text;
use super::{Code, Columns, Diagnostic, FileReport, Label, Severity, Sources, Span, Suggestion, Verdict};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Renders reports as one SARIF document; ends with a line break.
pub fn render_sarif(reports: &[FileReport]) -> String {
    let rules = rules(reports);
    let codes: Vec<_> = rules.keys().copied().collect();
    let (unreadable, read): (Vec<_>, Vec<_>) = reports.iter().partition(|report| report.verdict == Verdict::Unreadable);
    to_text(&Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "adl",
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    rules: rules.into_values().collect(),
                },
            },
            invocations: [Invocation {
                execution_successful: unreadable.is_empty(),
                tool_execution_notifications: unreadable.iter().flat_map(|report| notifications(report)).collect(),
            }],
            column_kind: "utf16CodeUnits",
            results: read.iter().flat_map(|report| results(report, &codes)).collect(),
        }],
    })
}

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<Outcome>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    name: &'static str,
    short_description: Message,
    help: Page,
    default_configuration: Configuration,
}

/// The page of a code, in Markdown.
#[derive(Serialize)]
struct Page {
    text: &'static str,
    markdown: &'static str,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    descriptor: Descriptor,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
}

#[derive(Serialize)]
struct Descriptor {
    id: String,
}

/// A SARIF result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    partial_fingerprints: Fingerprint,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix>,
}

#[derive(Serialize)]
struct Fingerprint {
    #[serde(rename = "adlFinding/v1")]
    finding: String,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fix {
    description: Message,
    artifact_changes: [Change; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    artifact_location: Artifact,
    replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    inserted_content: Message,
}

/// The rules of the findings, by code.
fn rules(reports: &[FileReport]) -> BTreeMap<Code, Rule> {
    let mut rules = BTreeMap::new();
    for diagnostic in reports.iter().flat_map(|report| &report.diagnostics) {
        rules.entry(diagnostic.code).or_insert_with(|| Rule {
            id: diagnostic.code.to_string(),
            name: diagnostic.code.name(),
            short_description: Message { text: diagnostic.code.name().replace('-', " ") },
            help: Page { text: diagnostic.code.page(), markdown: diagnostic.code.page() },
            default_configuration: Configuration { level: level(diagnostic.code.severity()) },
        });
    }
    rules
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn results(report: &FileReport, codes: &[Code]) -> impl Iterator<Item = Outcome> {
    let mut fingerprints = Fingerprints::new(&report.name);
    report.diagnostics.iter().map(move |diagnostic| Outcome {
        rule_id: diagnostic.code.to_string(),
        rule_index: codes.partition_point(|code| *code < diagnostic.code),
        level: level(diagnostic.severity),
        message: Message { text: diagnostic.message() },
        locations: [location(report, diagnostic.primary.as_ref())],
        related_locations: diagnostic.related.iter().map(|label| location(report, Some(label))).collect(),
        partial_fingerprints: Fingerprint { finding: fingerprints.next(diagnostic) },
        fixes: report.sources.suggestions(diagnostic).map(|suggestion| fix(report, suggestion)).collect(),
    })
}

fn notifications(report: &FileReport) -> impl Iterator<Item = Notification> {
    report.diagnostics.iter().map(|diagnostic: &Diagnostic| Notification {
        descriptor: Descriptor { id: diagnostic.code.to_string() },
        level: level(diagnostic.severity),
        message: Message { text: diagnostic.message() },
        locations: [location(report, None)],
    })
}

fn location(report: &FileReport, label: Option<&Label>) -> Location {
    let message = label.filter(|label| !label.text.is_empty()).map(|label| Message { text: label.text.clone() });
    Location {
        physical_location: PhysicalLocation {
            artifact_location: artifact(report),
            region: label.map(|label| region(&report.sources, label.span)),
        },
        message,
    }
}

fn artifact(report: &FileReport) -> Artifact {
    Artifact { uri: uri(&report.name) }
}

fn region(sources: &Sources, span: Span) -> Region {
    let [start, end] = [span.start, span.end].map(|offset| sources.position_of(span.file, offset, Columns::Utf16));
    Region { start_line: start.line, start_column: start.column, end_line: end.line, end_column: end.column }
}

fn fix(report: &FileReport, suggestion: &Suggestion) -> Fix {
    let replacements = suggestion.edits.iter().map(|edit| Replacement {
        deleted_region: region(&report.sources, edit.span),
        inserted_content: Message { text: edit.replacement.clone() },
    });
    Fix {
        description: Message { text: suggestion.text.clone() },
        artifact_changes: [Change { artifact_location: artifact(report), replacements: replacements.collect() }],
    }
}

/// A path as a URI reference (RFC 3986), relative to the working directory, or `file:` for an absolute path.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    let encoded = path.bytes().map(|byte| match byte {
        b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).to_string(),
        b'\\' if cfg!(windows) => "/".to_owned(),
        other => format!("%{other:02X}"),
    });
    std::iter::once(scheme.to_owned()).chain(encoded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uri_references() {
        assert_eq!(uri("./a b/ü:%.yaml"), "a%20b/%C3%BC%3A%25.yaml");
        assert_eq!(uri("/tmp/a"), "file:///tmp/a");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    }
}
