//! `adl fix`

use super::inputs::InputArguments;
use super::printer::counted;
use super::{Printer, Status, failure};
use crate::diagnostics::{Diagnostic, Sources};
use crate::ops::{Applied, FixMode, FixOptions, Fixed, Fixes, fix};

/// Fix manifests and upgrade older ones
///
/// Applies the safe suggestions of `adl validate`, including upgrades of older
/// manifests. Comments, order, quotes and line endings are preserved. Findings
/// that need a decision are reported as `adl validate` reports them.
///
/// Folders are searched like in `adl validate`. A manifest from standard input
/// or a pipe is written to standard output.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl fix\n  adl fix --diff agents/weather.yaml\n  adl fix --check agents/\n  adl fix - < old.yaml > new.yaml\n"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: InputArguments,
    /// Print a unified diff instead of writing
    #[arg(long)]
    diff: bool,
    /// Write nothing; exit with status 1 if anything would change
    #[arg(long)]
    check: bool,
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    let Arguments { inputs, diff, check } = arguments;
    let mode = if diff || check { FixMode::DryRun } else { FixMode::Write };
    let files = fix(&FixOptions { inputs: inputs.inputs(), mode });
    let view = View {
        diff,
        mode,
        stdout_is_manifest: mode == FixMode::Write && files.iter().any(|file| output(file).is_some()),
    };
    let mut status = Status::Done;
    for file in &files {
        status = status.max(view.show(file, printer));
    }
    let applied: usize =
        files.iter().filter_map(|file| file.result.as_ref().ok()).map(|fixes| fixes.applied.len()).sum();
    if files.len() > 1 && !diff {
        view.print_line(&format!("{}: {}", counted(files.len(), "manifest"), view.count(applied)), printer);
    }
    if check && applied > 0 { status.max(Status::Refused) } else { status }
}

/// The fixed manifest from standard input or a pipe.
fn output(file: &Fixed) -> Option<&[u8]> {
    file.result.as_ref().ok()?.output.as_deref()
}

/// How to show the outcome.
struct View {
    diff: bool,
    mode: FixMode,
    /// Whether standard output contains a fixed manifest. The list of fixes is then printed to standard error.
    stdout_is_manifest: bool,
}

impl View {
    /// Shows one manifest.
    fn show(&self, file: &Fixed, printer: &mut Printer) -> Status {
        let failure = match &file.result {
            Ok(Fixes { written: Err(error), .. }) => failure::replace_failed(&file.name, error),
            Err(error) => failure::unreadable_input(error, "fix"),
            Ok(fixes) => return self.show_fixes(&file.name, fixes, printer),
        };
        printer.finding(&failure, &Sources::new());
        Status::Failed
    }

    fn show_fixes(&self, name: &str, fixes: &Fixes, printer: &mut Printer) -> Status {
        if self.diff {
            printer.text(&fixes.diff);
        } else {
            self.print_line(&format!("{name}: {}", self.count(fixes.applied.len())), printer);
            for Applied { code, headline, text } in &fixes.applied {
                self.print_line(&format!("  {code}  {headline}: {text}"), printer);
            }
        }
        if let Some(output) = fixes.output.as_ref().filter(|_| self.stdout_is_manifest) {
            printer.bytes(output);
        }
        printer.report(name, &fixes.diagnostics, &fixes.sources);
        if fixes.diagnostics.iter().any(Diagnostic::is_error) { Status::Refused } else { Status::Done }
    }

    fn print_line(&self, line: &str, printer: &mut Printer) {
        if self.stdout_is_manifest { printer.progress(line) } else { printer.data(line) }
    }

    fn count(&self, fixes: usize) -> String {
        match (fixes, self.mode) {
            (0, _) => "nothing to fix".to_owned(),
            (1, FixMode::Write) => "1 fix applied".to_owned(),
            (_, FixMode::Write) => format!("{fixes} fixes applied"),
            (1, FixMode::DryRun) => "1 fix available".to_owned(),
            (_, FixMode::DryRun) => format!("{fixes} fixes available"),
        }
    }
}
