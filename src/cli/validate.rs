//! `adl validate`

use super::format::FormatArguments;
use super::inputs::InputArguments;
use super::policy::{PolicyArguments, print_not_allowed};
use super::printer::{counted, severity_counts};
use super::progress_bar::ProgressBar;
use super::{Printer, Status, failure};
use crate::diagnostics::{FileReport, Tally, Verdict};
use crate::ops::{Scope, ValidateOptions, Validated, fixable, validate};

/// Validate manifests
///
/// Checks YAML or JSON manifests against the manifest schema and the rules that
/// a schema cannot express. Reports all findings in file order, each with its
/// location, the reason and how to fix it. Warnings do not make a manifest
/// invalid.
///
/// In a folder, manifests are `agent.yaml`, `*.agent.yaml` and files with the
/// `apiVersion` of a manifest. Files that `.gitignore` excludes are skipped.
///
/// The comment `# adl: allow CODE REASON` allows a warning on its own line, on
/// the next line or, before the first key, in the whole file. Errors cannot be
/// allowed.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl validate\n  adl validate agents/ examples/weather.yaml\n  adl validate --deny warnings --format sarif . > adl.sarif\n  \
                  cat agent.yaml | adl validate -\n"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: InputArguments,
    #[command(flatten)]
    format: FormatArguments,
    #[command(flatten)]
    policy: PolicyArguments,
    /// Also report fields that other tools do not support
    #[arg(long)]
    portable: bool,
    /// Print only findings
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    let renderer = arguments.format.renderer();
    let quiet = arguments.quiet;
    let fix = arguments.inputs.command("fix");
    let options = options(arguments);
    let mut bar = if quiet { ProgressBar::hidden() } else { ProgressBar::on_terminal() };
    let outcome = validate(&options, &mut |done, total| bar.update(done, total, printer));
    bar.clear(printer);
    let reports: Vec<_> = outcome.files.into_iter().map(report).collect();
    match renderer {
        Some(render) => printer.text(&render(&reports)),
        None => print(&reports, quiet, printer),
    }
    if renderer.is_none() && !quiet {
        print_not_allowed(&outcome.not_allowed, printer);
        match reports.iter().map(|report| fixable(&report.diagnostics)).sum() {
            0 => {}
            count => printer.progress(&format!("run `{fix}` to fix {}", counted(count, "finding"))),
        }
    }
    reports.iter().map(status).max().unwrap_or(Status::Done)
}

fn options(arguments: Arguments) -> ValidateOptions {
    ValidateOptions {
        inputs: arguments.inputs.inputs(),
        scope: if arguments.portable { Scope::Portable } else { Scope::Manifest },
        policy: arguments.policy.policy(),
    }
}

fn report(file: Validated) -> FileReport {
    match file.result {
        Ok(findings) => FileReport::read(file.name, findings.sources, findings.diagnostics),
        Err(error) => FileReport::unreadable(file.name, failure::unreadable_input(&error, "validate")),
    }
}

fn status(report: &FileReport) -> Status {
    match report.verdict {
        Verdict::Valid => Status::Done,
        Verdict::Invalid => Status::Refused,
        Verdict::Unreadable => Status::Failed,
    }
}

fn print(reports: &[FileReport], quiet: bool, printer: &mut Printer) {
    for report in reports {
        if quiet || report.verdict == Verdict::Unreadable {
            printer.findings(&report.diagnostics, &report.sources);
        } else {
            printer.report(&report.name, &report.diagnostics, &report.sources);
        }
    }
    if !quiet {
        summarise(reports, printer);
    }
}

/// Prints the summary line. The summary of a single invalid file has already been printed.
fn summarise(reports: &[FileReport], printer: &mut Printer) {
    let tally = Tally::of(reports);
    match reports {
        [report] if report.verdict == Verdict::Valid => printer.data(&format!("{} is valid", report.name)),
        [_] => {}
        _ if tally.valid == tally.files => printer.data(&format!("{} are valid", counted(tally.files, "manifest"))),
        _ => {
            let parts = [(tally.valid, "valid"), (tally.invalid, "invalid"), (tally.unreadable, "unreadable")];
            let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
            let parts = parts.collect::<Vec<_>>().join(", ");
            let findings = severity_counts(tally.errors - tally.unreadable, tally.warnings);
            let findings = if findings.is_empty() { findings } else { format!("; {findings}") };
            printer.progress(&format!("{}: {parts}{findings}", counted(tally.files, "manifest")));
        }
    }
}
