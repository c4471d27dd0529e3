//! `--watch`: the project follows the manifest while it is edited.

use super::super::{Printer, Status};
use super::arguments::Request;
use super::once;
use crate::diagnostics::{Code, Diagnostic, Sources};
use crate::host::Watch;

/// Generates now and after every change of the manifest, until the user asks to stop. While the manifest is at fault, or files need a
/// decision, the project stays as it is.
pub(super) fn run(request: &Request, printer: &mut Printer) -> Status {
    let file = request.options.file.display();
    let mut watch = match Watch::start(&request.options.file) {
        Ok(watch) => watch,
        Err(error) => {
            let finding =
                Diagnostic::without_place(Code::InternalError, "signals cannot be caught, so nothing is watched");
            printer
                .finding(&finding.note(error.to_string()).help("run the command without `--watch`"), &Sources::new());
            return Status::Failed;
        }
    };
    let first = once(request, printer);
    // What editing the manifest does not mend.
    if first == Status::Failed && !watch.is_interrupted() {
        return first;
    }
    printer.progress(&format!("Watching {file}; Ctrl-C ends it"));
    printer.flush();
    while watch.changed() {
        printer.progress(&format!("\n{file} has changed"));
        once(request, printer);
        printer.flush();
    }
    printer.progress("Stopped watching");
    Status::Done
}
