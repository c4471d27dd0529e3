//! The manifest's commands for the finished project: shown, or run where that was asked for.

use std::path::Path;

use super::super::{Printer, Status, failure};
use crate::diagnostics::Sources;
use crate::ops::{Hook, run_hooks};

/// Prints hooks for the user to run.
pub(super) fn list(hooks: &[Hook], printer: &mut Printer) {
    if hooks.is_empty() {
        return;
    }
    printer.data("\nHooks of the manifest, for you to run in the project (`--run-hooks` does it):");
    for hook in hooks {
        printer.data(&format!("  {hook}"));
    }
}

/// Runs hooks. An error is the status to end with; it has been reported.
pub(super) fn run(hooks: &[Hook], output: &Path, printer: &mut Printer) -> Result<(), Status> {
    let result = run_hooks(hooks, output, &mut |hook| {
        printer.progress(&format!("Running the hook `{hook}`"));
        printer.flush();
    });
    result.map_err(|error| {
        printer.finding(&failure::hook_failed(&error, output), &Sources::new());
        Status::Failed
    })
}
