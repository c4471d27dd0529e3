//! The manifest's commands for the finished project: shown, or run where that was asked for.

use std::path::Path;

use super::super::{Printer, failure};
use crate::diagnostics::Diagnostic;
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

/// Runs hooks, and returns a finding about one that did not end well.
pub(super) fn run(hooks: &[Hook], output: &Path, printer: &mut Printer) -> Option<Diagnostic> {
    let result = run_hooks(hooks, output, &mut |hook| {
        printer.progress(&format!("Running the hook `{hook}`"));
        printer.flush();
    });
    result.err().map(|error| failure::hook_failed(&error, output))
}
