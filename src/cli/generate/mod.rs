//! `adl generate`: runs the operation, prints the result and returns the exit status.

mod arguments;
mod json;
mod listing;
mod report;

use std::path::Path;

use super::policy::print_not_allowed;
use super::{Printer, Status, failure};
use crate::diagnostics::{Code, Diagnostic, Sources};
use crate::host::Watch;
use crate::ops::{Change, Hook, ShowOptions, Shown, State, run_hooks, show};
use arguments::{Request, View};
use report::{NAME_THE_MANIFEST, Report};

pub(super) use arguments::Arguments;
pub(super) use json::GENERATION_SCHEMA;

pub(super) fn run(mut arguments: Arguments, printer: &mut Printer) -> Status {
    if let Some(path) = arguments.stdout.take() {
        let Arguments { file, output, policy, .. } = arguments;
        return print_one_file(&ShowOptions { file, output, path, policy: policy.policy() }, printer);
    }
    let request = Request::new(arguments);
    if request.view == View::Watched { watch(&request, printer) } else { generate(&request, printer) }
}

/// Generates or shows what generating would do, and prints the result.
fn generate(request: &Request, printer: &mut Printer) -> Status {
    let mut report = Report::of(request, printer);
    if !request.json {
        print(request, &report, printer);
    }
    follow_up(request, &mut report, printer);
    if request.json {
        json::print(request, &report, printer);
    }
    report.status
}

/// Prints the result for people, except hooks and the next commands.
fn print(request: &Request, report: &Report, printer: &mut Printer) {
    let output = &request.options.output;
    printer.report(&request.options.file.display().to_string(), &report.about_manifest, &report.sources);
    if let Some(generated) = &report.generated {
        match (request.view, generated.state) {
            (View::Written | View::Watched, State::Blocked) => {}
            (View::Written | View::Watched, _) => listing::print_written(generated, output, printer),
            (View::DryRun, _) => listing::print_plan(generated, output, printer),
            (View::Check, _) if report.status == Status::Done => {
                listing::print_current(generated, output, printer);
            }
            (View::Diff | View::Check, _) => listing::print_diff(generated, printer),
        }
    }
    printer.findings(&report.findings, &Sources::new());
    print_not_allowed(&report.not_allowed, printer);
    if request.shows_adoption && report.status == Status::Done {
        printer.progress("Nothing was written; use `--adopt --yes` to write");
    }
}

/// After a project without problems was written: runs or lists hooks and prints the next commands.
fn follow_up(request: &Request, report: &mut Report, printer: &mut Printer) {
    let Some(generated) = report.generated.as_ref().filter(|generated| generated.state == State::Written) else {
        return;
    };
    let output = &request.options.output;
    printer.written(format!("the project in `{}` was written", output.display()));
    if report.status != Status::Done {
        return;
    }
    let is_watched = request.view == View::Watched;
    let has_changed = generated.changes.iter().any(Change::writes);
    if request.run_hooks
        && (has_changed || !is_watched)
        && let Some(failed) = run_all_hooks(&generated.hooks, output, printer)
    {
        if !request.json {
            printer.finding(&failed, &Sources::new());
        }
        report.findings.push(failed);
        report.status = Status::Failed;
        return;
    }
    if request.json || is_watched {
        return;
    }
    if !request.run_hooks {
        list_hooks(&generated.hooks, printer);
    }
    listing::print_next(generated, printer);
}

/// Lists hooks, which are not run.
fn list_hooks(hooks: &[Hook], printer: &mut Printer) {
    if hooks.is_empty() {
        return;
    }
    printer.data("\nHooks of the manifest, to run in the project (`--run-hooks` runs them):");
    for hook in hooks {
        printer.data(&format!("  {hook}"));
    }
}

/// Runs hooks and returns a finding about the first that fails.
fn run_all_hooks(hooks: &[Hook], output: &Path, printer: &mut Printer) -> Option<Diagnostic> {
    let result = run_hooks(hooks, output, &mut |hook| {
        printer.progress(&format!("Running hook `{hook}`"));
        printer.flush();
    });
    result.err().map(|error| failure::hook_failed(&error, output))
}

/// `--stdout`: prints one file of the project.
fn print_one_file(options: &ShowOptions, printer: &mut Printer) -> Status {
    let outcome = match show(options) {
        Ok(outcome) => outcome,
        Err(error) => {
            printer.finding(&failure::unreadable(&error, NAME_THE_MANIFEST), &Sources::new());
            return Status::Failed;
        }
    };
    printer.report(&options.file.display().to_string(), &outcome.diagnostics, &outcome.sources);
    print_not_allowed(&outcome.not_allowed, printer);
    match outcome.result {
        Ok(Shown::File(bytes)) => {
            printer.bytes(&bytes);
            Status::Done
        }
        Ok(Shown::Unknown { meant, paths }) => {
            let headline = format!("the project has no file `{}`", options.path);
            let mut finding = Diagnostic::without_place(Code::UnknownOutputFile, headline).help(match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "choose one of these files".to_owned(),
            });
            finding.notes.push(format!("files of the project:\n{}", paths.join("\n")));
            printer.finding(&finding, &Sources::new());
            Status::Failed
        }
        Err(error) => {
            let (finding, status) = failure::generation_failed(&error, &options.output);
            printer.findings(finding.as_slice(), &Sources::new());
            status
        }
    }
}

/// `--watch`: generates now and after every change of the manifest, until interrupted. The project is left unchanged
/// while the manifest has errors or files need a decision.
fn watch(request: &Request, printer: &mut Printer) -> Status {
    let file = request.options.file.display();
    let mut watched = match Watch::start(&request.options.file) {
        Ok(watched) => watched,
        Err(error) => {
            let finding =
                Diagnostic::without_place(Code::InternalError, "cannot catch signals, so `--watch` is not available");
            printer
                .finding(&finding.note(error.to_string()).help("run the command without `--watch`"), &Sources::new());
            return Status::Failed;
        }
    };
    let first = generate(request, printer);
    // Changes of the manifest would not help.
    if first == Status::Failed && !watched.is_interrupted() {
        return first;
    }
    printer.progress(&format!("Watching {file}; press Ctrl-C to stop"));
    printer.flush();
    while watched.changed() {
        printer.progress(&format!("\n{file} changed"));
        generate(request, printer);
        printer.flush();
    }
    printer.progress("Stopped watching");
    Status::Done
}
