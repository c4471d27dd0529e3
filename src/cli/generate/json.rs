//! `--format json`, specified by `schema/generation.schema.json`.
//!
//! A version may gain fields, but does not change or remove any.

use serde::Serialize;
use serde_json::Value;

use super::super::Printer;
use super::arguments::{Request, View};
use super::listing::reason;
use super::report::Report;
use crate::diagnostics::{Sources, findings_as_json};
use crate::ops::{Action, Change, Generated, State};

/// The version of the format.
const VERSION: u32 = 1;

/// The JSON Schema of the format.
pub(in crate::cli) const GENERATION_SCHEMA: &str = include_str!("../../../schema/generation.schema.json");

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    tool: Tool,
    manifest: String,
    output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    result: &'static str,
    changes: Vec<Entry<'a>>,
    findings: Vec<Value>,
    hooks: Vec<String>,
    next: &'a [String],
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    path: &'a str,
    owner: &'static str,
    action: &'static str,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<&'a str>,
    notes: Vec<Note<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

#[derive(Serialize)]
struct Note<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    text: &'a str,
}

/// Prints a report as one JSON document.
pub(super) fn print(request: &Request, report: &Report, printer: &mut Printer) {
    let generated = report.generated.as_ref();
    let with_diffs = matches!(request.view, View::Diff | View::Check);
    let mut findings = findings_as_json(&report.about_manifest, &report.sources);
    findings.extend(findings_as_json(&report.findings, &Sources::new()));
    let document = Document {
        version: VERSION,
        tool: Tool { name: "adl", version: env!("CARGO_PKG_VERSION") },
        manifest: request.options.file.display().to_string(),
        output: request.options.output.display().to_string(),
        agent: generated.map(|generated| generated.name.as_str()),
        language: generated.map(|generated| generated.language),
        result: match generated {
            None => "failed",
            Some(generated) => match (generated.state, generated.is_current()) {
                (State::Written, _) => "written",
                (State::Blocked, _) => "blocked",
                (State::Planned, false) => "planned",
                (State::Planned, true) => "current",
            },
        },
        changes: generated.map_or_else(Vec::new, |generated| {
            generated.changes.iter().map(|change| Entry::new(generated, change, with_diffs)).collect()
        }),
        findings,
        hooks: generated.map_or_else(Vec::new, |generated| generated.hooks.iter().map(ToString::to_string).collect()),
        next: generated.map_or(&[], |generated| &generated.next),
    };
    printer.json(&document);
}

impl<'a> Entry<'a> {
    fn new(generated: &Generated, change: &'a Change, with_diff: bool) -> Self {
        let backup = if let Action::Overwrite { backup } | Action::SetAside { backup } = &change.action {
            Some(backup.as_str())
        } else {
            None
        };
        Self {
            path: &change.path,
            owner: change.owner.name(),
            action: change.action.name(),
            reason: reason(change),
            backup,
            renamed_from: change.renamed_from.as_deref(),
            notes: change.notes.iter().map(|note| Note { line: note.line, text: &note.text }).collect(),
            diff: with_diff.then(|| generated.diff(change)).filter(|diff| !diff.is_empty()),
        }
    }
}
