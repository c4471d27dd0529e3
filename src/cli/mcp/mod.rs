//! `adl mcp`

mod agents;
mod change;
mod discover;
mod list;
mod recover;
mod server;
mod status;

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
/// servers in a file of their own. `agents`, `discover`, `list`, `status`,
/// `verify` and `backups` read only; the other commands print a plan first, and write it when you
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
    Adopt(change::AdoptArguments),
    Agents(agents::Arguments),
    Backups(recover::BackupsArguments),
    /// Disable a server
    Disable(change::NameArguments),
    Discover(discover::Arguments),
    /// Enable a server
    Enable(change::NameArguments),
    List(list::Arguments),
    Move(change::MoveArguments),
    Recover(recover::RecoverArguments),
    /// Remove a server from a registry and from the coding agents
    Remove(change::NameArguments),
    Status(status::Arguments),
    Sync(change::SyncArguments),
    /// Check that every coding agent has its servers
    Verify(status::Arguments),
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    match arguments.command {
        Command::Add(arguments) => change::add(arguments, printer),
        Command::Adopt(arguments) => change::adopt(arguments, printer),
        Command::Agents(arguments) => agents::run(&arguments, printer),
        Command::Backups(arguments) => recover::list(&arguments, printer),
        Command::Disable(arguments) => change::switch(arguments, false, printer),
        Command::Discover(arguments) => discover::run(arguments, printer),
        Command::Enable(arguments) => change::switch(arguments, true, printer),
        Command::List(arguments) => list::run(arguments, printer),
        Command::Move(arguments) => change::r#move(arguments, printer),
        Command::Recover(arguments) => recover::undo(&arguments, printer),
        Command::Remove(arguments) => change::remove(arguments, printer),
        Command::Status(arguments) => status::show(arguments, printer),
        Command::Sync(arguments) => change::sync(arguments, printer),
        Command::Verify(arguments) => status::verify(arguments, printer),
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
