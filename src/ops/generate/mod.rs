//! `adl generate`: turns a manifest into a project, all of it or nothing.

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

/// What to generate, and where to.
#[derive(Debug, Clone)]
pub struct GenerateOptions {
    /// The manifest.
    pub file: PathBuf,
    /// The output folder; made when it is missing.
    pub output: PathBuf,
    /// Whether anything is written.
    pub mode: GenerateMode,
    /// What happens to files that are not as they were left.
    pub plan: PlanOptions,
    /// What the user thinks of warnings about the manifest.
    pub policy: Policy,
}

/// Whether anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenerateMode {
    /// The project is written.
    Write,
    /// Nothing is: the outcome says what would be.
    Plan,
}

/// What came of a manifest.
#[derive(Debug)]
pub struct GenerateOutcome<T> {
    /// The texts that the findings point into.
    pub sources: Sources,
    /// All findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// Codes that the policy allows and that were found as errors: those stay.
    pub not_allowed: BTreeSet<Code>,
    /// What was made of the manifest.
    pub result: Result<T, GenerateError>,
}

/// A project, and what stands between it and the folder.
#[derive(Debug)]
pub struct Generated {
    /// The agent's name.
    pub name: String,
    /// The language, as people write it.
    pub language: &'static str,
    /// Whether it was written.
    pub state: State,
    /// What happened to each file, or would, by path.
    pub changes: Vec<Change>,
    /// Whether another run is writing, or was interrupted, so that what would happen may turn out to be different.
    pub is_unfinished: bool,
    /// The manifest's commands for the finished project, see [`run_hooks`].
    pub hooks: Vec<Hook>,
    /// The command that generates this project, ready for a POSIX shell.
    pub again: String,
    /// What to run next, a line each, ready for a POSIX shell.
    pub next: Vec<String>,
    /// Every file as it is rendered.
    tree: FileTree,
    secrets: Secrets,
}

/// How far a generation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Every change was made.
    Written,
    /// None was made, as was asked for.
    Planned,
    /// None was made, nor would be: at least one [blocks](crate::files::Action::blocks) the others.
    Blocked,
}

impl Generated {
    /// Whether the folder is what the manifest says.
    pub fn is_current(&self) -> bool {
        !self.is_unfinished && self.drifted().next().is_none()
    }

    /// The files with unresolved conflict markers, with the line of the first marker.
    pub fn marked(&self) -> impl Iterator<Item = (&Change, usize)> {
        // Markers that would be written are none yet.
        let marked =
            self.changes.iter().filter(|change| self.state == State::Written || change.action != Action::Markers);
        marked.filter_map(|change| Some((change, change.unresolved()?)))
    }

    /// What generating would change. A file that the user has edited counts only when there is something new for it.
    pub fn drifted(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| {
            let is_told_once = matches!(change.action, Action::SeedChanged { .. } | Action::Orphaned);
            change.writes() || change.action.blocks() || is_told_once
        })
    }

    /// A change as a unified diff for `patch -p1`, with secrets masked; empty when the bytes stay as they are.
    pub fn diff(&self, change: &Change) -> String {
        diff::of_change(change, &|text| self.shown(&change.path, text))
    }

    /// What the seeded file at `path` would be now, against what it was seeded as; the user's own text is no part of it. Empty when
    /// that is lost.
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
    /// Its language has no templates.
    #[error("{language} is not supported yet")]
    NoTemplates {
        /// The language's name.
        language: &'static str,
    },
    /// The manifest passed every check and is not what the types say: a fault of the program.
    #[error("the manifest cannot be decoded")]
    Decode(#[from] serde_json::Error),
    /// The project cannot be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// It cannot be written, or files conflict.
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// Generates a project. `tell` hears at once what the user should know. An error means that the manifest could not be read.
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
