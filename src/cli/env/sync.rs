//! `adl env sync`

use std::cell::RefCell;

use super::super::{Printer, Status};
use super::{FileArguments, refuse};
use crate::ops::{SyncMode, Synced, sync_env};

/// Create or update an environment file
///
/// Your values, comments and variables are kept. New variables are added,
/// values that you did not change are updated, and obsolete variables are
/// removed unless you changed them. A new file is readable only by you.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl env sync\n  adl env sync --diff\n  adl env sync --check -f agents/weather.yaml deploy/weather.env\n"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    files: FileArguments,
    /// Print a unified diff without secrets instead of writing
    #[arg(long)]
    diff: bool,
    /// Write nothing; exit with status 1 if anything would change
    #[arg(long)]
    check: bool,
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    let Arguments { files, diff, check } = arguments;
    let (options, name) = files.options();
    let mode = if diff || check { SyncMode::DryRun } else { SyncMode::Write };
    let printer_cell = RefCell::new(&mut *printer);
    let synced = match sync_env(&options, mode, &|event| printer_cell.borrow_mut().event(event)) {
        Ok(synced) => synced,
        Err(error) => return refuse(&name, error, printer),
    };
    if synced.changed && mode == SyncMode::Write {
        printer.written(format!("`{name}` is up to date"));
    }
    if diff {
        printer.text(&synced.diff);
    } else {
        list(&name, &synced, mode, printer);
    }
    for note in &synced.notes {
        printer.progress(&format!("note: {name}:{}: {}", note.line, note.text));
    }
    if check && synced.changed { Status::Refused } else { Status::Done }
}

fn list(name: &str, synced: &Synced, mode: SyncMode, printer: &mut Printer) {
    let done = match (synced.changed, synced.created, mode) {
        (false, ..) => "is up to date",
        (true, true, SyncMode::Write) => "is created",
        (true, true, SyncMode::DryRun) => "is missing",
        (true, false, SyncMode::Write) => "is updated",
        (true, false, SyncMode::DryRun) => "is not up to date",
    };
    printer.data(&format!("{name} {done}"));
    if synced.created {
        return;
    }
    for (what, names) in [("added", &synced.added), ("updated", &synced.updated), ("removed", &synced.removed)] {
        for name in names {
            printer.data(&format!("  {what:<7}  {name}"));
        }
    }
}
