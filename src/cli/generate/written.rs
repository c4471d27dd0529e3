//! What is said of a project that was written.

use std::path::Path;

use super::super::Printer;
use super::super::printer::counted;
use super::{count, the_rest, title};
use crate::ops::{Action, Generated};

/// Says what was made.
pub(super) fn print(generated: &Generated, output: &Path, printer: &mut Printer) {
    let written = count(&generated.changes, Action::writes);
    printer.data(&format!(
        "Generated {}: {} written, {}",
        title(generated, output),
        counted(written, "file"),
        the_rest(generated)
    ));
    print_deleted(generated, printer);
}

/// Files that are the user's and that the user has removed: the project may not build without them.
fn print_deleted(generated: &Generated, printer: &mut Printer) {
    for change in generated.changes.iter().filter(|change| change.action == Action::Deleted) {
        printer.data(&format!("Left out, as you deleted it: {}", change.path));
    }
}

/// Says what to run next.
pub(super) fn print_next(generated: &Generated, printer: &mut Printer) {
    printer.data("\nNext:");
    for command in &generated.next {
        printer.data(&format!("  {command}"));
    }
}
