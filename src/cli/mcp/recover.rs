//! `adl mcp backups` and `adl mcp recover`

use super::super::{Printer, Status};
use super::{below_home, refuse};
use crate::ops::{Batch, backups, recover};

/// List the changes that can be undone, oldest first
#[derive(Debug, clap::Args)]
pub(super) struct BackupsArguments {}

/// Undo a change of MCP servers
///
/// Restores every file that still has the contents that the change wrote.
/// Files that were edited since are kept.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct RecoverArguments {
    /// The name of the change, from `adl mcp backups`
    id: String,
}

pub(super) fn list(_: &BackupsArguments, printer: &mut Printer) -> Status {
    match backups() {
        Ok(backups) if backups.is_empty() => printer.data("no backups"),
        Ok(backups) => {
            let header = ["BACKUP", "STATE", "FILES"].map(str::to_owned);
            let rows: Vec<_> = std::iter::once(header).chain(backups.iter().map(cells)).collect();
            printer.table(&rows);
        }
        Err(error) => return refuse(&error, printer),
    }
    Status::Done
}

fn cells(batch: &Batch) -> [String; 3] {
    let files: Vec<_> = batch.files.iter().map(|file| below_home(file)).collect();
    [batch.id.clone(), if batch.is_finished { "finished" } else { "interrupted" }.to_owned(), files.join(", ")]
}

pub(super) fn undo(arguments: &RecoverArguments, printer: &mut Printer) -> Status {
    match recover(&arguments.id, &|_| ()) {
        Ok(undone) => {
            undone.restored.iter().for_each(|file| printer.data(&format!("restored {}", below_home(file))));
            undone
                .kept
                .iter()
                .for_each(|file| printer.data(&format!("kept {}, which was edited since", below_home(file))));
            if undone.kept.is_empty() { Status::Done } else { Status::Refused }
        }
        Err(error) => refuse(&error, printer),
    }
}
