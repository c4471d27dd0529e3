//! `adl generate`

mod arguments;
mod diff;
mod findings;
mod hooks;
mod json;
mod listing;
mod one_file;
mod reason;
mod report;
mod watch;

use super::policy::print_not_allowed;
use super::{Printer, Status};
use crate::diagnostics::Sources;
use crate::ops::{Change, ShowOptions, State};
use arguments::{Request, View};
use report::Report;

pub(super) use arguments::Arguments;
pub(super) use json::GENERATION_SCHEMA;

pub(super) fn run(mut arguments: Arguments, printer: &mut Printer) -> Status {
    if let Some(path) = arguments.stdout.take() {
        let Arguments { file, output, policy, .. } = arguments;
        return one_file::run(&ShowOptions { file, output, path, policy: policy.policy() }, printer);
    }
    let request = Request::new(arguments);
    if request.view == View::Watched { watch::run(&request, printer) } else { once(&request, printer) }
}

/// Generates, or shows what that would do, and tells what came of it.
fn once(request: &Request, printer: &mut Printer) -> Status {
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

/// Tells people what came of it, up to the hooks.
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
            (View::Diff | View::Check, _) => diff::print(generated, printer),
        }
    }
    printer.findings(&report.findings, &Sources::new());
    print_not_allowed(&report.not_allowed, printer);
    if request.shows_adoption && report.status == Status::Done {
        printer.progress("Nothing was written; `--adopt --yes` does it");
    }
}

/// What comes after a project that was written and is in order: its hooks, and what to run next.
fn follow_up(request: &Request, report: &mut Report, printer: &mut Printer) {
    let Some(generated) = report.generated.as_ref().filter(|generated| generated.state == State::Written) else {
        return;
    };
    let output = &request.options.output;
    printer.written(format!("the project in `{}` is written", output.display()));
    if report.status != Status::Done {
        return;
    }
    let is_watched = request.view == View::Watched;
    let has_changed = generated.changes.iter().any(Change::writes);
    if request.run_hooks
        && (has_changed || !is_watched)
        && let Some(failed) = hooks::run(&generated.hooks, output, printer)
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
        hooks::list(&generated.hooks, printer);
    }
    listing::print_next(generated, printer);
}
