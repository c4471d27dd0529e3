//! `adl fix`

use std::path::PathBuf;

use super::{Printer, Status, failure};
use crate::diagnostics::{Diagnostic, Sources};
use crate::ops::{Applied, FixMode, FixOptions, FixOutcome, fix};

/// Mend a manifest and bring it up to date
///
/// Does what `adl validate` suggests wherever it follows from the file itself,
/// the forms of older manifests included. Comments, order, quotes and line
/// endings of everything else stay as they are. What only a person can decide
/// is listed, as `adl validate` lists it.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl fix\n  adl fix --diff agents/weather.yaml\n  adl fix --check\n"
)]
pub(super) struct Arguments {
    /// The manifest
    #[arg(value_name = "FILE", default_value = "agent.yaml")]
    file: PathBuf,
    /// Show what would change as a unified diff, and write nothing
    #[arg(long)]
    diff: bool,
    /// Write nothing, and end with status 1 if anything would change
    #[arg(long)]
    check: bool,
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    let Arguments { file, diff, check } = arguments;
    let name = file.display().to_string();
    let mode = if diff || check { FixMode::DryRun } else { FixMode::Write };
    let FixOutcome { sources, diagnostics, applied, diff: changes, written } = match fix(&FixOptions { file, mode }) {
        Ok(outcome) => outcome,
        Err(error) => {
            let hint = "name the manifest: `adl fix FILE`; without FILE it is `agent.yaml` in the current directory";
            printer.finding(&failure::unreadable(&error, hint), &Sources::new());
            return Status::Failed;
        }
    };
    if let Err(error) = written {
        printer.finding(&failure::not_replaced(&error), &Sources::new());
        return Status::Failed;
    }
    if diff {
        printer.text(&changes);
    } else {
        list(&name, mode, &applied, printer);
    }
    printer.report(&name, &diagnostics, &sources);
    let at_fault = diagnostics.iter().any(Diagnostic::is_error);
    if at_fault || check && !applied.is_empty() { Status::Refused } else { Status::Done }
}

fn list(name: &str, mode: FixMode, applied: &[Applied], printer: &mut Printer) {
    let done = match (mode, applied) {
        (_, []) => format!("{name}: nothing to fix"),
        (FixMode::Write, [_]) => format!("{name}: 1 fix"),
        (FixMode::Write, _) => format!("{name}: {} fixes", applied.len()),
        (FixMode::DryRun, [_]) => format!("{name}: 1 fix to do"),
        (FixMode::DryRun, _) => format!("{name}: {} fixes to do", applied.len()),
    };
    printer.data(&done);
    for Applied { code, headline, text } in applied {
        printer.data(&format!("  {code}  {headline}: {text}"));
    }
}
