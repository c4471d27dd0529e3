//! `--dry-run`: what would be written.

use std::path::Path;

use super::super::Printer;
use super::super::printer::counted;
use super::{count, the_rest, title};
use crate::ops::{Action, Generated};

/// Lists every file with what would happen to it.
pub(super) fn print(generated: &Generated, output: &Path, printer: &mut Printer) {
    let to_write = count(&generated.changes, Action::writes);
    printer.data(&format!(
        "Would generate {}: {} to write, {}",
        title(generated, output),
        counted(to_write, "file"),
        the_rest(generated)
    ));
    for change in &generated.changes {
        let action = change.action.name();
        printer.data(&format!("  {action:<14}  {:<9}  {}", change.owner.name(), change.path));
    }
}
