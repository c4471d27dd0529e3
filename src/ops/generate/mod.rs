//! `adl generate`: generates a project from a manifest. Writes the complete project or nothing.

mod commands;
mod manifest_copy;
mod prepare;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use thiserror::Error;

use crate::diagnostics::{Code, Diagnostic, Sources};
use crate::files::{self, Action, Change, Control, Event, FileTree, FilesError, PlanOptions, Target};
use crate::host::{self, ReadError};
use crate::ops::diff;
use crate::ops::policy::Policy;
use crate::render::RenderError;
use crate::secrets::Secrets;
use crate::targets;
use prepare::{Prepared, prepare};

pub use commands::{Hook, HookError, HookProblem, run_hooks};
pub use prepare::{ShowOptions, Shown, show};

/// What to generate, and where.
#[derive(Debug, Clone)]
pub struct GenerateOptions {
    /// The manifest.
    pub file: PathBuf,
    /// The output folder, created if it does not exist.
    pub output: PathBuf,
    /// Whether to write anything.
    pub mode: GenerateMode,
    /// How to handle files that differ from the generated ones.
    pub plan: PlanOptions,
    /// Which warnings are ignored or errors.
    pub policy: Policy,
}

/// Whether to write anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenerateMode {
    /// Write the project.
    Write,
    /// Write nothing; the outcome contains the changes.
    Plan,
}

/// The result of processing a manifest.
#[derive(Debug)]
pub struct GenerateOutcome<T> {
    /// The texts that the findings refer to.
    pub sources: Sources,
    /// All findings, sorted by location.
    pub diagnostics: Vec<Diagnostic>,
    /// Codes that the policy allows but that are errors, which cannot be allowed.
    pub not_allowed: BTreeSet<Code>,
    /// The result.
    pub result: Result<T, GenerateError>,
}

/// A project, and the changes to the output folder.
#[derive(Debug)]
pub struct Generated {
    /// The agent's name.
    pub name: String,
    /// The display name of the language.
    pub language: &'static str,
    /// Whether it was written.
    pub state: State,
    /// The change of each file, sorted by path.
    pub changes: Vec<Change>,
    /// Whether another run is writing or was interrupted, so that the changes may turn out to be different.
    pub is_unfinished: bool,
    /// The manifest's hooks for the generated project, see [`run_hooks`].
    pub hooks: Vec<Hook>,
    /// The command that generates this project, for a POSIX shell.
    pub again: String,
    /// The commands to run next, one per line, for a POSIX shell.
    pub next: Vec<String>,
    /// The rendered files.
    tree: FileTree,
    secrets: Secrets,
}

/// The state of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// All changes were written.
    Written,
    /// Nothing was written, as requested.
    Planned,
    /// Nothing was written, because at least one change [blocks](crate::files::Action::blocks) the others.
    Blocked,
}

impl Generated {
    /// Whether the output folder is up to date.
    pub fn is_current(&self) -> bool {
        !self.is_unfinished && self.drifted().next().is_none()
    }

    /// The files with unresolved conflict markers, with the line of the first marker.
    pub fn marked(&self) -> impl Iterator<Item = (&Change, usize)> {
        // Markers that are only planned do not count.
        let marked =
            self.changes.iter().filter(|change| self.state == State::Written || change.action != Action::Markers);
        marked.filter_map(|change| Some((change, change.unresolved()?)))
    }

    /// The changes that generating would make. Files that the user edited are included only if there is something new
    /// to report.
    pub fn drifted(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| {
            let is_reported_once = matches!(change.action, Action::SeedChanged { .. } | Action::Orphaned);
            change.writes() || change.action.blocks() || is_reported_once
        })
    }

    /// A change as a unified diff for `patch -p1`, with secrets masked; empty if the contents do not change.
    pub fn diff(&self, change: &Change) -> String {
        diff::of_change(change, &|text| self.shown(&change.path, text))
    }

    /// The diff between the text that the seeded file at `path` was created with and the text it would be created with
    /// now, without the user's edits. Empty if the original text is unknown.
    pub fn seed_diff(&self, path: &str, from: Option<&str>, to: &str) -> String {
        let (before, after) = (format!("{path} (as it was seeded)"), format!("{path} (as it would be now)"));
        from.map(|from| diff::unified(&before, &after, &self.shown(path, from), &self.shown(path, to)))
            .unwrap_or_default()
    }

    fn shown(&self, path: &str, text: &str) -> String {
        let rendered = self.tree.get(path).map(|file| String::from_utf8_lossy(&file.bytes)).unwrap_or_default();
        self.secrets.shown(path, text, &rendered)
    }
}

/// Why nothing was written.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// At least one finding is an error.
    #[error("the manifest has errors")]
    Manifest,
    /// The manifest passed every check, but cannot be decoded. This is a bug.
    #[error("the manifest cannot be decoded")]
    Decode(#[from] serde_json::Error),
    /// The project cannot be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The project cannot be written, or files conflict.
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// Generates a project. `tell` receives events as they happen. An error means that the manifest cannot be read.
pub fn generate(
    options: &GenerateOptions,
    tell: &mut dyn FnMut(&Event),
) -> Result<GenerateOutcome<Generated>, ReadError> {
    let GenerateOutcome { sources, diagnostics, not_allowed, result } =
        prepare(&options.file, &options.output, &options.policy)?;
    let result = result.and_then(|prepared| write(prepared, options, tell));
    Ok(GenerateOutcome { sources, diagnostics, not_allowed, result })
}

fn write(
    prepared: Prepared,
    options: &GenerateOptions,
    tell: &mut dyn FnMut(&Event),
) -> Result<Generated, GenerateError> {
    let Prepared { project, plan, tree, stamp, secrets } = prepared;
    let target =
        Target { root: options.output.clone(), tree, stamp, options: options.plan, boundaries: targets::BOUNDARIES };
    let mut is_unfinished = false;
    let result = match options.mode {
        GenerateMode::Plan => files::plan(&target).map(|changeset| {
            is_unfinished = changeset.is_unfinished();
            changeset.into_changes()
        }),
        GenerateMode::Write => {
            let interrupted = host::catch_interrupts()
                .map_err(|source| FilesError::Folder { path: options.output.clone(), source })?;
            let tell = RefCell::new(tell);
            let control = Control { interrupted: &interrupted, tell: &|event| (tell.borrow_mut())(event) };
            files::apply(&target, control)
        }
    };
    let (state, changes) = match result {
        Err(FilesError::Blocked { changes }) => (State::Blocked, changes),
        Err(error) => return Err(error.into()),
        Ok(changes) if changes.iter().any(|change| change.action.blocks()) => (State::Blocked, changes),
        Ok(changes) if options.mode == GenerateMode::Plan => (State::Planned, changes),
        Ok(changes) => (State::Written, changes),
    };
    Ok(Generated {
        again: commands::command_again(&options.file, &options.output),
        next: commands::next_commands(&project, &plan, &options.output),
        hooks: project.hooks.iter().filter_map(|command| Hook::parse(command, &secrets)).collect(),
        language: project.language.target().name(),
        name: project.name,
        state,
        changes,
        is_unfinished,
        tree: target.tree,
        secrets,
    })
}
