//! Backups of changes, and restoring them.

use super::McpError;
use super::change::alone;
use super::list::user_folder;
use crate::files::{Batch, Batches, Event, Undone};

/// All changes that can be undone, oldest first. Those that are not finished belong to a run that was killed.
///
/// # Errors
/// If the folder of the backups cannot be read.
pub fn backups() -> Result<Vec<Batch>, McpError> {
    let batches = Batches::new(user_folder()?.join("backups/mcp"));
    batches.list().map_err(|error| McpError::unreadable(batches.folder(), &error.to_string()))
}

/// Undoes a change: restores every file that still has the contents that the change wrote.
///
/// # Errors
/// If there is no such backup, or a file cannot be written.
pub fn recover(id: &str, tell: &dyn Fn(&Event)) -> Result<Undone, McpError> {
    alone(tell, |batches, _| Ok(batches.undo(id)?))
}
