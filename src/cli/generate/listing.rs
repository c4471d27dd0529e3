//! What is said of a project that was written, or would be.

use std::path::Path;

use super::super::Printer;
use super::super::printer::counted;
use super::reason::reason;
use crate::ops::{Action, Change, Generated, State};

/// Says what was made, and what happened to files that were there before.
pub(super) fn print_written(generated: &Generated, output: &Path, printer: &mut Printer) {
    printer.data(&format!("Generated {}: {}", title(generated, output), summary(generated)));
    let is_new = |change: &Change| matches!(change.action, Action::Create);
    let is_quiet =
        |change: &Change| matches!(change.action, Action::Unchanged | Action::Kept) && change.notes.is_empty();
    if !generated.changes.iter().all(is_new) {
        list(generated.changes.iter().filter(|change| !is_quiet(change)), printer);
    }
}

/// Lists every file with what would happen to it and why.
pub(super) fn print_plan(generated: &Generated, output: &Path, printer: &mut Printer) {
    printer.data(&format!("Would generate {}: {}", title(generated, output), summary(generated)));
    list(generated.changes.iter(), printer);
}

/// Says that there is nothing to do.
pub(super) fn print_current(generated: &Generated, output: &Path, printer: &mut Printer) {
    printer.data(&format!("{} is what the manifest says", title(generated, output)));
}

/// Says what to run next.
pub(super) fn print_next(generated: &Generated, printer: &mut Printer) {
    printer.data("\nNext:");
    for command in &generated.next {
        printer.data(&format!("  {command}"));
    }
}

fn list<'c>(changes: impl Iterator<Item = &'c Change>, printer: &mut Printer) {
    for change in changes {
        let (action, owner) = (change.action.name(), change.owner.name());
        let why = if change.action == Action::Unchanged { String::new() } else { format!("  ({})", reason(change)) };
        printer.data(&format!("  {action:<12}  {owner:<9}  {}{why}", change.path));
        for note in &change.notes {
            let line = note.line.map(|line| format!("line {line}: ")).unwrap_or_default();
            printer.data(&format!("    {line}{}", note.text));
        }
    }
}

/// `weather-agent (Go) in ./out`
fn title(generated: &Generated, output: &Path) -> String {
    let folder = output.display().to_string();
    let folder = if output.is_relative() && !folder.starts_with('.') { format!("./{folder}") } else { folder };
    format!("{} ({}) in {folder}", generated.name, generated.language)
}

/// `3 files written, 1 removed, 60 unchanged, 2 left to you`
fn summary(generated: &Generated) -> String {
    let count = |wanted: fn(&Action) -> bool| generated.changes.iter().filter(|change| wanted(&change.action)).count();
    let gone = count(|action| matches!(action, Action::Remove | Action::SetAside { .. }));
    let written = counted(generated.changes.iter().filter(|change| change.writes()).count() - gone, "file");
    let (write, remove) =
        if generated.state == State::Written { ("written", "removed") } else { ("to write", "to remove") };
    let mut parts = vec![format!("{written} {write}")];
    let others = [
        (gone, remove),
        (count(Action::blocks), "in question"),
        (count(|action| matches!(action, Action::Kept | Action::Left | Action::SeedChanged { .. })), "left to you"),
        (count(|action| matches!(action, Action::Deleted)), "deleted by you"),
        (count(|action| matches!(action, Action::Ignored)), "ignored"),
    ];
    parts.push(format!("{} unchanged", count(|action| matches!(action, Action::Unchanged))));
    parts.extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    parts.join(", ")
}
