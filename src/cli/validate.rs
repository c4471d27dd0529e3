//! `adl validate`

use super::format::FormatArguments;
use super::inputs::InputArguments;
use super::policy::{PolicyArguments, print_not_allowed};
use super::printer::{counted, weights};
use super::progress_bar::ProgressBar;
use super::{Printer, Status, failure};
use crate::diagnostics::{FileReport, Tally, Verdict};
use crate::ops::{Scope, ValidateOptions, Validated, mendable, validate};

/// Check manifests and list everything that is wrong with them
///
/// Reads YAML or JSON, checks it against the schema of manifests, then checks
/// what a schema cannot say. All findings are listed at once, in the order of
/// the file, each with its place, the reason and what to do. Warnings do not
/// make a manifest invalid.
///
/// In a folder, manifests are `agent.yaml`, `*.agent.yaml` and files with the
/// `apiVersion` of a manifest; what `.gitignore` excludes is passed over.
///
/// A comment in the manifest allows a warning on the next line, on its own
/// line, or, before the first key, in the whole file; errors stay:
/// `# adl: allow CODE REASON`
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
    /// Report the fields that only this tool knows
    #[arg(long)]
    portable: bool,
    /// Print the findings and nothing else
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
        match reports.iter().map(|report| mendable(&report.diagnostics)).sum() {
            0 => {}
            count => printer.progress(&format!("run `{fix}` to mend {count} of these")),
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
        Err(error) => FileReport::unreadable(file.name, failure::unjudged(&error, "validate")),
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

/// The last line. A single file that is at fault has had its own.
fn summarise(reports: &[FileReport], printer: &mut Printer) {
    let tally = Tally::of(reports);
    match reports {
        [report] if report.verdict == Verdict::Valid => printer.data(&format!("{} is valid", report.name)),
        [_] => {}
        _ if tally.valid == tally.files => printer.data(&format!("{} are valid", counted(tally.files, "manifest"))),
        _ => {
            let parts = [(tally.valid, "valid"), (tally.invalid, "at fault"), (tally.unreadable, "not read")];
            let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
            let parts = parts.collect::<Vec<_>>().join(", ");
            let findings = weights(tally.errors - tally.unreadable, tally.warnings);
            let findings = if findings.is_empty() { findings } else { format!("; {findings}") };
            printer.progress(&format!("{}: {parts}{findings}", counted(tally.files, "manifest")));
        }
    }
}
