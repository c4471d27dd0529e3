//! `adl generate`

use std::path::{Path, PathBuf};

use super::{Printer, Status, failure};
use crate::diagnostics::Sources;
use crate::ops::{Action, Change, GenerateMode, GenerateOptions, Generated, PlanOptions, generate};

/// Turn a manifest into an agent
///
/// Checks the manifest as `adl validate` does, then writes the whole project,
/// or nothing at all. A file that exists and differs is never overwritten: the
/// run stops before it writes anything and lists what is in the way.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl generate --output agent\n  adl generate -f agents/weather.yaml -o weather --dry-run\n"
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
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    let Arguments { file, output, dry_run } = arguments;
    let name = file.display().to_string();
    let mode = if dry_run { GenerateMode::DryRun } else { GenerateMode::Write };
    let options = GenerateOptions { file, output: output.clone(), mode, plan: PlanOptions::default() };
    let outcome = match generate(&options) {
        Ok(outcome) => outcome,
        Err(error) => {
            let hint = "name the manifest: `adl generate --file FILE`; without it, it is `agent.yaml` in the current directory";
            printer.finding(&failure::unreadable(&error, hint), &Sources::new());
            return Status::Failed;
        }
    };
    printer.report(&name, &outcome.diagnostics, &outcome.sources);
    match outcome.result {
        Ok(generated) => {
            match mode {
                GenerateMode::Write => print_written(&generated, &output, printer),
                GenerateMode::DryRun => print_plan(&generated, &output, printer),
            }
            if generated.obstacles.is_empty() {
                return Status::Done;
            }
            printer.finding(&failure::in_the_way(&generated.obstacles, &output), &Sources::new());
            Status::Refused
        }
        Err(error) => {
            let (finding, status) = failure::not_generated(&error, &output);
            if let Some(finding) = finding {
                printer.finding(&finding, &Sources::new());
            }
            status
        }
    }
}

fn print_written(generated: &Generated, output: &Path, printer: &mut Printer) {
    let written = count(&generated.changes, Action::writes);
    printer.data(&format!(
        "Generated {}: {} written, {}",
        title(generated, output),
        files(written),
        the_rest(generated)
    ));
    print_deleted(generated, printer);
    printer.data("\nNext:");
    for command in &generated.next {
        printer.data(&format!("  {command}"));
    }
}

fn print_plan(generated: &Generated, output: &Path, printer: &mut Printer) {
    let to_write = count(&generated.changes, Action::writes);
    printer.data(&format!(
        "Would generate {}: {} to write, {}",
        title(generated, output),
        files(to_write),
        the_rest(generated)
    ));
    for change in &generated.changes {
        let action = change.action.name();
        printer.data(&format!("  {action:<14}  {:<9}  {}", change.owner.name(), change.path));
    }
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

/// Files that are the user's and that the user has removed: the project may not build without them.
fn print_deleted(generated: &Generated, printer: &mut Printer) {
    for change in generated.changes.iter().filter(|change| change.action == Action::Deleted) {
        printer.data(&format!("Left out, as you deleted it: {}", change.path));
    }
}

fn count(changes: &[Change], wanted: impl Fn(&Action) -> bool) -> usize {
    changes.iter().filter(|change| wanted(&change.action)).count()
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}
