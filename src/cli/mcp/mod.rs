//! `adl mcp`

mod agents;
mod change;
mod discover;
mod list;
mod recover;
mod server;

use std::path::Path;

use clap::Subcommand;

use super::{Printer, Status, failure};
use crate::diagnostics::Sources;
use crate::host;
use crate::ops::McpError;
use server::{ServerRow, server_row, transport};

/// Manage the MCP servers of coding agents
///
/// Coding agents such as Claude Code, Codex and Gemini CLI each keep their MCP
/// servers in a file of their own. `agents`, `discover`, `list` and `backups`
/// read only; the other commands print a plan first, and write it when you
/// confirm it. Values of variables and headers are never printed.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl mcp agents\n  adl mcp discover\n  adl mcp discover --agent codex --format json\n  adl mcp list\n"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Add(change::AddArguments),
    Agents(agents::Arguments),
    Backups(recover::BackupsArguments),
    /// Disable a server
    Disable(change::NameArguments),
    Discover(discover::Arguments),
    /// Enable a server
    Enable(change::NameArguments),
    List(list::Arguments),
    Recover(recover::RecoverArguments),
    /// Remove a server from a registry and from the coding agents
    Remove(change::NameArguments),
    Sync(change::SyncArguments),
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    match arguments.command {
        Command::Add(arguments) => change::add(arguments, printer),
        Command::Agents(arguments) => agents::run(&arguments, printer),
        Command::Backups(arguments) => recover::list(&arguments, printer),
        Command::Disable(arguments) => change::switch(arguments, false, printer),
        Command::Discover(arguments) => discover::run(arguments, printer),
        Command::Enable(arguments) => change::switch(arguments, true, printer),
        Command::List(arguments) => list::run(arguments, printer),
        Command::Recover(arguments) => recover::undo(&arguments, printer),
        Command::Remove(arguments) => change::remove(arguments, printer),
        Command::Sync(arguments) => change::sync(arguments, printer),
    }
}

/// Reports why there is no answer.
fn refuse(error: &McpError, printer: &mut Printer) -> Status {
    printer.findings(&[failure::mcp_failed(error)], &Sources::new());
    Status::Failed
}

/// A path with `~` for the home folder.
fn below_home(path: &Path) -> String {
    match host::home_folder().and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}
