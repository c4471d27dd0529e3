//! Output for people: the files of a project, the reason for each change, and the diff.

use std::path::Path;

use super::super::Printer;
use super::super::printer::counted;
use crate::host;
use crate::ops::{Action, Change, Generated, State};

/// Prints a summary, and the actions for existing files.
pub(super) fn print_written(generated: &Generated, output: &Path, printer: &mut Printer) {
    printer.data(&format!("Generated {}: {}", title(generated, output), summary(generated)));
    let is_new = |change: &Change| matches!(change.action, Action::Create);
    let is_quiet =
        |change: &Change| matches!(change.action, Action::Unchanged | Action::Kept) && change.notes.is_empty();
    if !generated.changes.iter().all(is_new) {
        list(generated.changes.iter().filter(|change| !is_quiet(change)), printer);
    }
}

/// Lists every file with its action and the reason.
pub(super) fn print_plan(generated: &Generated, output: &Path, printer: &mut Printer) {
    printer.data(&format!("Would generate {}: {}", title(generated, output), summary(generated)));
    list(generated.changes.iter(), printer);
}

/// Reports that there is nothing to do.
pub(super) fn print_current(generated: &Generated, output: &Path, printer: &mut Printer) {
    printer.data(&format!("{} is up to date", title(generated, output)));
}

/// Prints the commands to run next.
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

/// `3 files written, 1 removed, 60 unchanged, 2 kept`
fn summary(generated: &Generated) -> String {
    let count = |wanted: fn(&Action) -> bool| generated.changes.iter().filter(|change| wanted(&change.action)).count();
    let gone = count(|action| matches!(action, Action::Remove | Action::SetAside { .. }));
    let written = counted(generated.changes.iter().filter(|change| change.writes()).count() - gone, "file");
    let (write, remove) =
        if generated.state == State::Written { ("written", "removed") } else { ("to write", "to remove") };
    let mut parts = vec![format!("{written} {write}")];
    let others = [
        (gone, remove),
        (count(Action::blocks), "blocked"),
        (count(|action| matches!(action, Action::Kept | Action::Orphaned | Action::SeedChanged { .. })), "kept"),
        (count(|action| matches!(action, Action::Deleted)), "deleted by you"),
        (count(|action| matches!(action, Action::Ignored)), "ignored"),
    ];
    parts.push(format!("{} unchanged", count(|action| matches!(action, Action::Unchanged))));
    parts.extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    parts.join(", ")
}

/// Why the action happens.
pub(super) fn reason(change: &Change) -> String {
    let plain = match &change.action {
        Action::Create => "does not exist yet",
        Action::Unchanged => "already up to date",
        Action::Update => "the generated text changed; you have not edited the file",
        Action::Merge => "your text and the generated changes are merged",
        Action::Kept => "your text is kept",
        Action::Conflict => return format!("your edits conflict with generated changes{}", lines(change)),
        Action::Overwrite { backup } => return format!("your text is saved as `{backup}`"),
        Action::Markers => return format!("both texts are written with conflict markers{}", lines(change)),
        Action::Remove => "no longer part of the project; you have not edited it",
        Action::Orphaned => "no longer part of the project, but you have edited it; it is kept and now yours",
        Action::Deleted => "you deleted it; seeded files are written only once",
        Action::SeedChanged { .. } => "it is yours; a new one would be different",
        Action::Ignored => "listed in `.adl-ignore`",
        Action::SetAside { backup } => return format!("written by another generator; saved as `{backup}`"),
        Action::Blocked(obstacle) => return obstacle.to_string(),
    };
    match &change.renamed_from {
        Some(before) => format!("{plain}; renamed from `{before}`"),
        None => plain.to_owned(),
    }
}

/// `, line 3` or `, lines 3, 7`; empty if no line is known.
pub(super) fn lines(change: &Change) -> String {
    let lines: Vec<_> = change.notes.iter().filter_map(|note| note.line).map(|line| line.to_string()).collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!(", line {line}"),
        lines => format!(", lines {}", lines.join(", ")),
    }
}

/// Prints the diff of every file that would change, coloured on a terminal.
pub(super) fn print_diff(generated: &Generated, printer: &mut Printer) {
    let coloured = host::stdout_wants_colour();
    for diff in generated.changes.iter().map(|change| generated.diff(change)) {
        printer.text(&if coloured { painted(&diff) } else { diff });
    }
}

const RESET: &str = "\x1b[0m";

fn painted(diff: &str) -> String {
    let lines = diff.lines().enumerate().map(|(index, line)| {
        let colour = match line.as_bytes() {
            // The header with both names.
            _ if index < 2 => "\x1b[1m",
            [b'-', ..] => "\x1b[31m",
            [b'+', ..] => "\x1b[32m",
            [b'@', ..] => "\x1b[36m",
            _ => return format!("{line}\n"),
        };
        format!("{colour}{line}{RESET}\n")
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::painted;

    #[test]
    fn colours_each_kind_of_line() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c\n";
        let expected = "\x1b[1m--- a/x\x1b[0m\n\x1b[1m+++ b/x\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n c\n";
        assert_eq!(painted(diff), expected);
    }
}
