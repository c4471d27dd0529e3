//! `adl fix`

use super::inputs::InputArguments;
use super::printer::counted;
use super::{Printer, Status, failure};
use crate::diagnostics::{Diagnostic, Sources};
use crate::ops::{Applied, FixMode, FixOptions, Fixed, Fixes, fix};

/// Mend manifests and bring them up to date
///
/// Does what `adl validate` suggests wherever it follows from the file itself,
/// the forms of older manifests included. Comments, order, quotes and line
/// endings of everything else stay as they are. What only a person can decide
/// is listed, as `adl validate` lists it.
///
/// Folders are searched as `adl validate` searches them. What comes from
/// standard input or a pipe goes to standard output, fixed.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl fix\n  adl fix --diff agents/weather.yaml\n  adl fix --check agents/\n  adl fix - < old.yaml > new.yaml\n"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: InputArguments,
    /// Show what would change as a unified diff, and write nothing
    #[arg(long)]
    diff: bool,
    /// Write nothing, and end with status 1 if anything would change
    #[arg(long)]
    check: bool,
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    let Arguments { inputs, diff, check } = arguments;
    let mode = if diff || check { FixMode::DryRun } else { FixMode::Write };
    let files = fix(&FixOptions { inputs: inputs.inputs(), mode });
    let view =
        View { diff, mode, gives_text: mode == FixMode::Write && files.iter().any(|file| output(file).is_some()) };
    let mut status = Status::Done;
    for file in &files {
        status = status.max(view.show(file, printer));
    }
    let applied: usize =
        files.iter().filter_map(|file| file.result.as_ref().ok()).map(|fixes| fixes.applied.len()).sum();
    if files.len() > 1 && !diff {
        view.tell(&format!("{}: {}", counted(files.len(), "manifest"), view.count(applied)), printer);
    }
    if check && applied > 0 { status.max(Status::Refused) } else { status }
}

/// The fixed bytes of what came from standard input or a pipe.
fn output(file: &Fixed) -> Option<&[u8]> {
    file.result.as_ref().ok()?.output.as_deref()
}

/// How the outcome is shown.
struct View {
    diff: bool,
    mode: FixMode,
    /// Standard output is for a fixed text: the list of fixes goes to standard error.
    gives_text: bool,
}

impl View {
    /// Shows one manifest.
    fn show(&self, file: &Fixed, printer: &mut Printer) -> Status {
        let failure = match &file.result {
            Ok(Fixes { written: Err(error), .. }) => failure::not_replaced(&file.name, error),
            Err(error) => failure::unjudged(error, "fix"),
            Ok(fixes) => return self.show_fixes(&file.name, fixes, printer),
        };
        printer.finding(&failure, &Sources::new());
        Status::Failed
    }

    fn show_fixes(&self, name: &str, fixes: &Fixes, printer: &mut Printer) -> Status {
        if self.diff {
            printer.text(&fixes.diff);
        } else {
            self.tell(&format!("{name}: {}", self.count(fixes.applied.len())), printer);
            for Applied { code, headline, text } in &fixes.applied {
                self.tell(&format!("  {code}  {headline}: {text}"), printer);
            }
        }
        if let Some(output) = fixes.output.as_ref().filter(|_| self.gives_text) {
            printer.bytes(output);
        }
        printer.report(name, &fixes.diagnostics, &fixes.sources);
        if fixes.diagnostics.iter().any(Diagnostic::is_error) { Status::Refused } else { Status::Done }
    }

    fn tell(&self, line: &str, printer: &mut Printer) {
        if self.gives_text { printer.progress(line) } else { printer.data(line) }
    }

    fn count(&self, fixes: usize) -> String {
        match (fixes, self.mode) {
            (0, _) => "nothing to fix".to_owned(),
            (1, FixMode::Write) => "1 fix".to_owned(),
            (_, FixMode::Write) => format!("{fixes} fixes"),
            (1, FixMode::DryRun) => "1 fix to do".to_owned(),
            (_, FixMode::DryRun) => format!("{fixes} fixes to do"),
        }
    }
}
