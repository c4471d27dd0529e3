//! The result of generation, including findings about files.

use std::collections::BTreeSet;
use std::path::Path;

use super::super::{Printer, Status, failure};
use super::arguments::{Request, View};
use super::listing::lines;
use crate::diagnostics::{Code, Diagnostic, Sources};
use crate::ops::{Action, Change, GenerateError, Generated, State, generate, obstacles};

/// The help text if the manifest was not found.
pub(super) const NAME_THE_MANIFEST: &str =
    "use `--file FILE` to name the manifest; the default is `agent.yaml` in the current directory";

/// The result of generation.
#[derive(Debug)]
pub(super) struct Report {
    /// The texts that findings about the manifest refer to.
    pub(super) sources: Sources,
    /// Findings about the manifest.
    pub(super) about_manifest: Vec<Diagnostic>,
    /// Codes of errors that `--allow` names, but that cannot be allowed.
    pub(super) not_allowed: BTreeSet<Code>,
    /// All other findings.
    pub(super) findings: Vec<Diagnostic>,
    /// The project, if it was generated or planned.
    pub(super) generated: Option<Generated>,
    /// The exit status.
    pub(super) status: Status,
}

impl Report {
    /// Generates and collects all findings.
    pub(super) fn of(request: &Request, printer: &mut Printer) -> Self {
        let mut report = Self {
            sources: Sources::new(),
            about_manifest: Vec::new(),
            not_allowed: BTreeSet::new(),
            findings: Vec::new(),
            generated: None,
            status: Status::Failed,
        };
        match generate(&request.options, &mut |event| printer.event(event)) {
            Err(error) => report.findings.push(failure::unreadable(&error, NAME_THE_MANIFEST)),
            Ok(outcome) => {
                report.sources = outcome.sources;
                report.about_manifest = outcome.diagnostics;
                report.not_allowed = outcome.not_allowed;
                match outcome.result {
                    Ok(generated) => report.add(generated, request),
                    Err(error) => report.refuse(&error, request),
                }
            }
        }
        report
    }

    fn add(&mut self, generated: Generated, request: &Request) {
        let output = &request.options.output;
        self.findings = findings(&generated, output);
        let is_out_of_date = request.view == View::Check && !generated.is_current();
        self.status = match generated.state {
            State::Blocked => Status::Refused,
            _ if is_out_of_date || generated.marked().next().is_some() => Status::Refused,
            State::Written | State::Planned => Status::Done,
        };
        // The findings about blocked files already explain what to do.
        if is_out_of_date && generated.state != State::Blocked {
            self.findings.push(out_of_date(&generated, output));
        }
        self.generated = Some(generated);
    }

    fn refuse(&mut self, error: &GenerateError, request: &Request) {
        let (finding, status) = failure::generation_failed(error, &request.options.output);
        self.findings.extend(finding);
        self.status = status;
    }
}

/// The findings about the changes.
fn findings(generated: &Generated, output: &Path) -> Vec<Diagnostic> {
    // While decisions are needed, other findings are postponed.
    let reported = generated.changes.iter().filter(|_| generated.state != State::Blocked);
    let mut findings: Vec<_> = reported.filter_map(|change| about(change, generated)).collect();
    if generated.is_unfinished {
        let headline = format!("another run is writing to `{}`, or was interrupted", output.display());
        let finding = Diagnostic::without_place(Code::IncompleteRun, headline)
            .note("the result may change")
            .help("wait until it finishes, or run `adl generate` without `--dry-run`, `--diff` or `--check` to roll back its partial changes");
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

/// The finding about one file.
fn about(change: &Change, generated: &Generated) -> Option<Diagnostic> {
    let path = &change.path;
    let finding = |code, headline| Diagnostic::without_place(code, headline);
    Some(match &change.action {
        Action::Orphaned => finding(
            Code::ObsoleteFileKept,
            format!("`{path}` is no longer part of the project, but you have edited it"),
        )
        .note("it is kept, and is yours from now on")
        .help("delete it if you no longer need it; the project may not build with it"),
        Action::Deleted => {
            finding(Code::SeededFileDeleted, format!("`{path}` is part of the project, but you deleted it"))
                .note("seeded files are written only once; the project may not build without it")
                .help(format!(
                    "remove what needs it from the manifest, or restore it with the output of `{} --stdout {path}`",
                    generated.again
                ))
        }
        Action::SeedChanged { from, to } => seed_changed(path, &generated.seed_diff(path, from.as_deref(), to)),
        Action::Ignored if change.before.is_none() => finding(
            Code::RequiredFileIgnored,
            format!("`{path}` is part of the project, but `.adl-ignore` excludes it"),
        )
        .note("the project may not build without it")
        .help("make the pattern in `.adl-ignore` more specific, or write the file yourself"),
        Action::Create
        | Action::Unchanged
        | Action::Update
        | Action::Merge
        | Action::Kept
        | Action::Conflict
        | Action::Overwrite { .. }
        | Action::Markers
        | Action::Remove
        | Action::Ignored
        | Action::SetAside { .. }
        | Action::Blocked(_) => return None,
    })
}

fn seed_changed(path: &str, diff: &str) -> Diagnostic {
    let headline = format!("`{path}` is yours, and the text that it was seeded from has changed");
    let finding = Diagnostic::without_place(Code::SeededFileOutdated, headline);
    let finding = if diff.is_empty() { finding } else { finding.note(format!("the difference:\n{}", diff.trim_end())) };
    finding.help("apply what matters to your file, such as a new parameter; this is reported once")
}

fn conflicts(generated: &Generated, output: &Path) -> Option<Diagnostic> {
    let of = with_action(generated, &Action::Conflict);
    let files = match of.len() {
        0 => return None,
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let headline = format!(
        "conflicts between your edits and generated changes in {files} of `{}`; nothing was written",
        output.display()
    );
    let mut finding = Diagnostic::without_place(Code::MergeConflict, headline).help(
        "show both texts with `--diff --on-conflict markers`, then choose: `--on-conflict keep` keeps your text, `overwrite` writes the \
         generated text and saves yours as `NAME.orig`, `markers` writes both with conflict markers",
    );
    finding.notes.extend(of.iter().map(|change| format!("`{}`{}", change.path, lines(change))));
    Some(finding)
}

fn markers(generated: &Generated) -> Option<Diagnostic> {
    let files = match generated.marked().count() {
        0 => return None,
        1 => "1 file contains".to_owned(),
        count => format!("{count} files contain"),
    };
    let mut finding = Diagnostic::without_place(Code::ConflictMarkers, format!("{files} conflict markers"))
        .help("resolve each conflict and remove its markers; the project does not build with them");
    finding.notes.extend(generated.marked().map(|(change, line)| format!("`{}`, line {line}", change.path)));
    Some(finding)
}

fn with_action<'g>(generated: &'g Generated, action: &Action) -> Vec<&'g Change> {
    generated.changes.iter().filter(|change| change.action == *action).collect()
}

/// The project is out of date.
fn out_of_date(generated: &Generated, output: &Path) -> Diagnostic {
    let count = generated.drifted().count();
    let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let headline = format!("project in `{}` is out of date: {files} would change", output.display());
    Diagnostic::without_place(Code::ProjectOutOfDate, headline)
        .help(format!("run `{}`, and commit the changes", generated.again))
}
