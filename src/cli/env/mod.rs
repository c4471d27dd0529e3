//! `adl env`

mod check;
mod diff;
mod list;
mod sync;

use std::path::PathBuf;

use clap::Subcommand;

use super::{Printer, Status, failure};
use crate::diagnostics::{Diagnostic, FileId, FileReport, Sources};
use crate::ops::{EnvError, EnvOptions};

/// Manage environment variables
///
/// The manifest determines which variables an agent reads. Environment files
/// are parsed like Docker Compose parses them. Secrets are never printed.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl env list\n  adl env check\n  adl env diff -f agents/weather.yaml deploy/weather.env\n  adl env sync --diff\n"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Arguments),
    Check(check::Arguments),
    Diff(diff::Arguments),
    Sync(sync::Arguments),
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    match arguments.command {
        Command::List(arguments) => list::run(&arguments, printer),
        Command::Check(arguments) => check::run(arguments, printer),
        Command::Diff(arguments) => diff::run(arguments, printer),
        Command::Sync(arguments) => sync::run(arguments, printer),
    }
}

/// The manifest of the agent.
#[derive(Debug, clap::Args)]
struct ManifestArgument {
    /// The manifest
    #[arg(short = 'f', long = "file", value_name = "FILE", default_value = "agent.yaml")]
    manifest: PathBuf,
}

/// The manifest and the environment file.
#[derive(Debug, clap::Args)]
struct FileArguments {
    #[command(flatten)]
    manifest: ManifestArgument,
    /// The environment file
    #[arg(value_name = "ENV_FILE", default_value = ".env")]
    file: PathBuf,
}

impl FileArguments {
    /// The options of an operation, and the name of the environment file in findings.
    fn options(self) -> (EnvOptions, String) {
        let name = self.file.display().to_string();
        (EnvOptions { manifest: self.manifest.manifest, file: self.file }, name)
    }
}

/// The report and the status for an operation that failed on the environment file `name`.
fn refusal(name: &str, error: EnvError) -> (FileReport, Status) {
    let hint = "use `--file FILE` to name the manifest; the default is `agent.yaml` in the current directory";
    let file_hint = "`adl env sync` creates the file; name another file after the command, the default is `.env`";
    match error {
        EnvError::ManifestAtFault(findings) | EnvError::FileAtFault(findings) => {
            let name = findings.sources.name(FileId::default()).to_owned();
            (FileReport::read(name, findings.sources, findings.diagnostics), Status::Refused)
        }
        EnvError::Manifest(error) => failed(&error.path.display().to_string(), failure::unreadable(&error, hint)),
        EnvError::File(error) => failed(name, failure::unreadable(&error, file_hint)),
        EnvError::Decode(_) | EnvError::Render(_) | EnvError::Write(_) | EnvError::Lock(_) => {
            failed(name, failure::env_file_failed(name, &error))
        }
    }
}

fn failed(name: &str, reason: Diagnostic) -> (FileReport, Status) {
    (FileReport::unreadable(name.to_owned(), reason), Status::Failed)
}

/// Reports that an operation failed.
fn refuse(name: &str, error: EnvError, printer: &mut Printer) -> Status {
    let (report, status) = refusal(name, error);
    match status {
        Status::Refused => printer.report(&report.name, &report.diagnostics, &report.sources),
        Status::Done | Status::Failed | Status::Attention | Status::Blocked => {
            printer.findings(&report.diagnostics, &Sources::new());
        }
    }
    status
}

/// The string on one line without control characters, truncated to `most` characters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let line: String = text.chars().map(shown).collect();
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

fn shown(character: char) -> String {
    if character.is_control() { character.escape_default().to_string() } else { character.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_escapes_control_characters() {
        assert_eq!(shortened("two\nlines\tand \u{1b}[31m", 60), r"two\nlines\tand \u{1b}[31m");
        assert_eq!(shortened("äöü", 2), "äö...");
        assert_eq!(shortened("äöü", 3), "äöü");
    }
}
