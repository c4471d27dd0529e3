//! What the user must know of the files of a project: each a finding with a code and a next step.

use std::path::Path;

use super::super::failure;
use super::reason::lines;
use crate::diagnostics::{Code, Diagnostic};
use crate::ops::{Action, Change, Generated, State, obstacles};

/// The findings about the changes.
pub(super) fn of(generated: &Generated, output: &Path) -> Vec<Diagnostic> {
    // As long as something must be decided, the rest can wait.
    let told = generated.changes.iter().filter(|_| generated.state != State::Blocked);
    let mut findings: Vec<_> = told.filter_map(|change| about(change, generated)).collect();
    if generated.is_unfinished {
        let headline = format!("another run is writing to `{}`, or was ended half-way", output.display());
        let finding = Diagnostic::without_place(Code::IncompleteRun, headline)
            .note("what would happen may turn out to be different")
            .help("wait for it to end, or run `adl generate` without a flag that only looks: it takes back what is half done");
        findings.push(finding);
    }
    let obstacles = obstacles(&generated.changes);
    if !obstacles.is_empty() {
        findings.push(failure::output_blocked(&obstacles, output));
    }
    findings.extend(conflicts(generated, output));
    findings.extend(markers(generated));
    findings
}

/// What there is to know about one file.
fn about(change: &Change, generated: &Generated) -> Option<Diagnostic> {
    let path = &change.path;
    let finding = |code, headline| Diagnostic::without_place(code, headline);
    Some(match &change.action {
        Action::Left => finding(
            Code::ObsoleteFileKept,
            format!("`{path}` is no longer part of the project, but you have edited it"),
        )
        .note("it stays as it is, and is yours from now on")
        .help("delete it when you need nothing of it any more: the project may not build with it"),
        Action::Deleted => {
            finding(Code::SeededFileDeleted, format!("`{path}` is part of the project, and you have deleted it"))
                .note("a file that is yours does not come back by itself; the project may not build without it")
                .help(format!(
                    "take what it is for out of the manifest, or write it again with what `{} --stdout {path}` prints",
                    generated.again
                ))
        }
        Action::SeedChanged { from, to } => seed_changed(path, &generated.seed_diff(path, from.as_deref(), to)),
        Action::Ignored if change.before.is_none() => finding(
            Code::RequiredFileIgnored,
            format!("`{path}` is part of the project, and `.adl-ignore` keeps it from being written"),
        )
        .note("the project may not build without it")
        .help("narrow the pattern in `.adl-ignore`, or write the file yourself"),
        Action::Create
        | Action::Unchanged
        | Action::Update
        | Action::Merge
        | Action::Kept
        | Action::Conflict
        | Action::Overwrite { .. }
        | Action::Mark
        | Action::Remove
        | Action::Ignored
        | Action::SetAside { .. }
        | Action::InTheWay(_) => return None,
    })
}

fn seed_changed(path: &str, diff: &str) -> Diagnostic {
    let headline = format!("`{path}` is yours, and what it was seeded from has changed");
    let finding = Diagnostic::without_place(Code::SeededFileOutdated, headline);
    let finding =
        if diff.is_empty() { finding } else { finding.note(format!("what would be different:\n{}", diff.trim_end())) };
    finding.help("change your file likewise where it matters, such as a parameter that is new; this is said once")
}

fn conflicts(generated: &Generated, output: &Path) -> Option<Diagnostic> {
    let of = with_action(generated, &Action::Conflict);
    let files = match of.len() {
        0 => return None,
        1 => "1 file has edits".to_owned(),
        count => format!("{count} files have edits"),
    };
    let headline = format!(
        "{files} of yours where what is generated has changed too, in `{}`; nothing was written",
        output.display()
    );
    let mut finding = Diagnostic::without_place(Code::MergeConflict, headline).help(
        "look at both texts with `--diff --on-conflict markers`, then decide: `--on-conflict keep` leaves yours, `overwrite` writes \
         what is generated and keeps yours in a file beside it, `markers` writes both for you to choose",
    );
    finding.notes.extend(of.iter().map(|change| format!("`{}`{}", change.path, lines(change))));
    Some(finding)
}

fn markers(generated: &Generated) -> Option<Diagnostic> {
    let files = match generated.marked().count() {
        0 => return None,
        1 => "1 file holds".to_owned(),
        count => format!("{count} files hold"),
    };
    let mut finding = Diagnostic::without_place(Code::ConflictMarkers, format!("{files} conflict markers"))
        .help("choose a side at each `<<<<<<<`, and remove the markers: the project does not build with them");
    finding.notes.extend(generated.marked().map(|(change, line)| format!("`{}`, line {line}", change.path)));
    Some(finding)
}

fn with_action<'g>(generated: &'g Generated, action: &Action) -> Vec<&'g Change> {
    generated.changes.iter().filter(|change| change.action == *action).collect()
}

/// The project is not what the manifest says.
pub(super) fn out_of_date(generated: &Generated, output: &Path) -> Diagnostic {
    let count = generated.drifted().count();
    let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let headline = format!("the project in `{}` is not what the manifest says: {files} would change", output.display());
    Diagnostic::without_place(Code::ProjectOutOfDate, headline)
        .help(format!("run `{}`, and commit what it changes", generated.again))
}
