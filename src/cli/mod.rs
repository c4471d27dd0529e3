//! The command line. This is the only module that prints and that determines the exit status.
//!
//! Each file contains one command, which turns flags into the options of an operation, and its outcome into output and
//! an exit status.

mod env;
mod explain;
mod failure;
mod fix;
mod format;
mod generate;
mod inputs;
mod mcp;
mod panic;
mod policy;
mod printer;
mod progress_bar;
mod schema;
mod status;
mod validate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use printer::Printer;
use status::Status;

/// Generate A2A agents with MCP tools from agent manifests.
#[derive(Debug, Parser)]
#[command(name = "adl", version, max_term_width = 100, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Exit status:
  0  success
  1  the input is invalid, files conflict, or a check failed
  2  the command could not run to completion
";

#[derive(Debug, Subcommand)]
enum Command {
    Env(env::Arguments),
    Explain(explain::Arguments),
    Fix(fix::Arguments),
    Generate(generate::Arguments),
    Mcp(mcp::Arguments),
    Schema(schema::Arguments),
    Validate(validate::Arguments),
}

/// Parses the command line and runs the command.
pub fn run() -> ExitCode {
    panic::install_hook();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => return show(&message),
    };
    let mut printer = Printer::new();
    let status = match cli.command {
        Command::Env(arguments) => env::run(arguments, &mut printer),
        Command::Explain(arguments) => explain::run(&arguments, &mut printer),
        Command::Fix(arguments) => fix::run(arguments, &mut printer),
        Command::Generate(arguments) => generate::run(arguments, &mut printer),
        Command::Mcp(arguments) => mcp::run(arguments, &mut printer),
        Command::Schema(arguments) => schema::run(&arguments, &mut printer),
        Command::Validate(arguments) => validate::run(arguments, &mut printer),
    };
    printer.finish(status).into()
}

/// Prints help, the version, or an error about the arguments.
fn show(message: &clap::Error) -> ExitCode {
    match message.print() {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
        Err(_) => return Status::Failed.into(),
    }
    if message.use_stderr() { Status::Failed.into() } else { Status::Done.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_is_consistent() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }
}
