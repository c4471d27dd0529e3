//! `--stdout`: one file of the project, printed.

use super::super::policy::print_not_allowed;
use super::super::{Printer, Status, failure};
use super::report::NAME_THE_MANIFEST;
use crate::diagnostics::{Code, Diagnostic, Sources};
use crate::ops::{ShowOptions, Shown, show};

pub(super) fn run(options: &ShowOptions, printer: &mut Printer) -> Status {
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
                None => "name one of them".to_owned(),
            });
            finding.notes.push(format!("it has these:\n{}", paths.join("\n")));
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
