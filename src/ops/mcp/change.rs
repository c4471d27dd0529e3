//! Changes the MCP servers of coding agents: plans all edits of a command, and does them as one transaction.

use std::fmt;
use std::sync::atomic::AtomicBool;

use super::McpError;
use super::list::user_folder;
use super::plan::{ChangeOptions, ChangePlan};
use super::planner::Planner;
use crate::files::{self, Batches, Control, Event, FolderLock};
use crate::host;

/// Plans a command. Reads files only, and waits for a run that is writing them.
///
/// # Errors
/// If a registry is invalid, a file cannot be read, or the operation does not fit the registry.
pub fn plan_change(options: &ChangeOptions, tell: &dyn Fn(&Event)) -> Result<ChangePlan, McpError> {
    // Without this folder, nothing was ever written.
    if host::is_directory(&user_folder()?.join("state")) {
        return alone(tell, |_, _| Planner::new(options)?.plan());
    }
    Planner::new(options)?.plan()
}

/// Does what a plan with this token says. Returns the plan and the name of the backup; `None` if there was nothing to write.
///
/// Waits for other runs. A run that was killed is undone first.
///
/// # Errors
/// If the plan has changed since or is blocked, or a file cannot be written; in each case no file is changed.
pub fn confirm_change(
    options: &ChangeOptions,
    token: &str,
    tell: &dyn Fn(&Event),
) -> Result<(ChangePlan, Option<String>), McpError> {
    alone(tell, |batches, interrupted| {
        for batch in batches.list().map_err(|error| McpError::unreadable(batches.folder(), &error.to_string()))? {
            if !batch.is_finished {
                batches.undo(&batch.id)?;
                tell(&Event::RolledBack(Vec::new()));
            }
        }
        let plan = Planner::new(options)?.plan()?;
        if plan.token != token || plan.is_blocked() {
            return Err(McpError::PlanChanged { plan: Box::new(plan) });
        }
        if plan.is_empty() {
            return Ok((plan, None));
        }
        let id = batches.commit(&plan.token, &plan.edits, interrupted)?;
        batches.prune(KEPT_BACKUPS).ok();
        Ok((plan, Some(id)))
    })
}

/// Runs something while no other run changes servers.
pub(super) fn alone<T>(
    tell: &dyn Fn(&Event),
    run: impl FnOnce(&Batches, &AtomicBool) -> Result<T, McpError>,
) -> Result<T, McpError> {
    let batches = Batches::new(user_folder()?.join("backups/mcp"));
    let folder = user_folder()?.join("state");
    let unusable = |error: &dyn fmt::Display| McpError::unreadable(&folder, &error.to_string());
    files::make_folders(&folder.join("lock")).map_err(|error| unusable(&error))?;
    let interrupted = host::catch_interrupts().map_err(|error| unusable(&error))?;
    let control = Control { interrupted: &interrupted, tell };
    let _lock = FolderLock::take(&folder, control).map_err(|error| McpError::Locked(Box::new(error)))?;
    run(&batches, &interrupted)
}

/// The backups that are kept.
const KEPT_BACKUPS: usize = 50;
