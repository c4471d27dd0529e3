//! `--stdout`: one file of the project, printed.

use std::path::PathBuf;

use super::super::{Printer, Status, failure};
use super::report::NAME_THE_MANIFEST;
use crate::diagnostics::{Code, Diagnostic, Sources};
use crate::ops::{ShowOptions, Shown, show};

pub(super) fn run(file: PathBuf, output: PathBuf, path: String, printer: &mut Printer) -> Status {
    let name = file.display().to_string();
    let options = ShowOptions { file, output, path };
    let outcome = match show(&options) {
        Ok(outcome) => outcome,
        Err(error) => {
            printer.finding(&failure::unreadable(&error, NAME_THE_MANIFEST), &Sources::new());
            return Status::Failed;
        }
    };
    printer.report(&name, &outcome.diagnostics, &outcome.sources);
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
