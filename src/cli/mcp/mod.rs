//! `adl mcp`

mod agents;
mod discover;
mod list;
mod server;

use std::path::Path;

use clap::Subcommand;

use super::{Printer, Status, failure};
use crate::diagnostics::Sources;
use crate::host;
use crate::ops::McpError;
use server::{ServerRow, server_row, transport};

/// Show the MCP servers of coding agents
///
/// Coding agents such as Claude Code, Codex and Gemini CLI each keep their MCP
/// servers in a file of their own. These commands read the files and change
/// nothing. Values of variables and headers are never printed.
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
    Agents(agents::Arguments),
    Discover(discover::Arguments),
    List(list::Arguments),
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    match arguments.command {
        Command::Agents(arguments) => agents::run(&arguments, printer),
        Command::Discover(arguments) => discover::run(arguments, printer),
        Command::List(arguments) => list::run(arguments, printer),
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
