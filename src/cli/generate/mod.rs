//! `adl generate`

mod dry_run;
mod hooks;
mod one_file;
mod written;

use std::path::{Path, PathBuf};

use super::{Printer, Status, failure};
use crate::diagnostics::Sources;
use crate::host::ReadError;
use crate::ops::{Action, Change, GenerateError, GenerateMode, GenerateOptions, Generated, PlanOptions, generate};

/// Turn a manifest into an agent
///
/// Checks the manifest as `adl validate` does, then writes the whole project,
/// or nothing at all. A file that exists and differs is never overwritten: the
/// run stops before it writes anything and lists what is in the way.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl generate --output agent\n  adl generate -f agents/weather.yaml -o weather --dry-run\n  \
                  adl generate --stdout main.go\n"
)]
pub(super) struct Arguments {
    /// The manifest
    #[arg(short, long, value_name = "FILE", default_value = "agent.yaml")]
    file: PathBuf,
    /// The folder that the project goes into; made when it is missing
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// List what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print this file of the project as it would be generated, and write nothing
    #[arg(long, value_name = "PATH", conflicts_with = "dry_run")]
    stdout: Option<String>,
    /// Run the commands of the manifest's `hooks.post` in the project, once it is written
    #[arg(long, conflicts_with_all = ["dry_run", "stdout"])]
    run_hooks: bool,
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    let Arguments { file, output, dry_run, stdout, run_hooks } = arguments;
    if let Some(path) = stdout {
        return one_file::run(file, output, path, printer);
    }
    let name = file.display().to_string();
    let mode = if dry_run { GenerateMode::DryRun } else { GenerateMode::Write };
    let options = GenerateOptions { file, output: output.clone(), mode, plan: PlanOptions::default() };
    let outcome = match generate(&options) {
        Ok(outcome) => outcome,
        Err(error) => return unreadable(&error, printer),
    };
    printer.report(&name, &outcome.diagnostics, &outcome.sources);
    match outcome.result {
        Ok(generated) if !generated.obstacles.is_empty() => {
            dry_run::print(&generated, &output, printer);
            printer.finding(&failure::in_the_way(&generated.obstacles, &output), &Sources::new());
            Status::Refused
        }
        Ok(generated) => match mode {
            GenerateMode::DryRun => {
                dry_run::print(&generated, &output, printer);
                Status::Done
            }
            GenerateMode::Write => finish(&generated, &output, run_hooks, printer),
        },
        Err(error) => refused(&error, &output, printer),
    }
}

/// Reports a project that was written, and runs its hooks if that is wanted.
fn finish(generated: &Generated, output: &Path, run_hooks: bool, printer: &mut Printer) -> Status {
    printer.written(format!("the project in `{}` is written", output.display()));
    written::print(generated, output, printer);
    if !run_hooks {
        hooks::list(&generated.hooks, printer);
    } else if let Err(status) = hooks::run(&generated.hooks, output, printer) {
        return status;
    }
    written::print_next(generated, printer);
    Status::Done
}

/// Reports a manifest that could not be read.
fn unreadable(error: &ReadError, printer: &mut Printer) -> Status {
    let hint = "name the manifest: `adl generate --file FILE`; without it, it is `agent.yaml` in the current directory";
    printer.finding(&failure::unreadable(error, hint), &Sources::new());
    Status::Failed
}

/// Reports why there is no project.
fn refused(error: &GenerateError, output: &Path, printer: &mut Printer) -> Status {
    let (finding, status) = failure::not_generated(error, output);
    if let Some(finding) = finding {
        printer.finding(&finding, &Sources::new());
    }
    status
}

/// `weather-agent (Go) in ./out`
fn title(generated: &Generated, output: &Path) -> String {
    let folder = output.display().to_string();
    let folder = if output.is_relative() && !folder.starts_with('.') { format!("./{folder}") } else { folder };
    format!("{} ({}) in {folder}", generated.name, generated.language)
}

/// `3 unchanged`, and what is the user's where there is any.
fn the_rest(generated: &Generated) -> String {
    let unchanged = count(&generated.changes, |action| matches!(action, Action::Unchanged));
    let yours = count(&generated.changes, |action| matches!(action, Action::Kept));
    if yours == 0 { format!("{unchanged} unchanged") } else { format!("{unchanged} unchanged, {yours} left to you") }
}

fn count(changes: &[Change], wanted: impl Fn(&Action) -> bool) -> usize {
    changes.iter().filter(|change| wanted(&change.action)).count()
}
