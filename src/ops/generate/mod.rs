//! `adl generate`: turns a manifest into a project, all of it or nothing.

mod hooks;
mod manifest_copy;
mod next;
mod prepare;
mod show;

use std::path::PathBuf;

use thiserror::Error;

use crate::diagnostics::{Diagnostic, Sources};
use crate::files::{self, Change, FilesError, Obstacle, PlanOptions};
use crate::host::{self, ReadError};
use crate::render::RenderError;
use prepare::{Prepared, prepare};

pub use hooks::{Hook, HookError, HookProblem, run_hooks};
pub use show::{ShowOptions, Shown, show};

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
}

/// Whether anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenerateMode {
    /// The project is written.
    Write,
    /// Nothing is: the outcome says what would be.
    DryRun,
}

/// What came of a manifest.
#[derive(Debug)]
pub struct GenerateOutcome<T> {
    /// The texts that the findings point into.
    pub sources: Sources,
    /// All findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// What was made of the manifest.
    pub result: Result<T, GenerateError>,
}

/// A project that was written, or would be.
#[derive(Debug)]
pub struct Generated {
    /// The agent's name.
    pub name: String,
    /// The language, as people write it.
    pub language: &'static str,
    /// What happened to each file, or would, by path.
    pub changes: Vec<Change>,
    /// What is in the way of a dry run; empty for a project that was written.
    pub obstacles: Vec<Obstacle>,
    /// The manifest's commands for the finished project, see [`run_hooks`].
    pub hooks: Vec<Hook>,
    /// What to run next, a line each, ready for a POSIX shell.
    pub next: Vec<String>,
}

/// Why nothing was written.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// At least one finding is an error.
    #[error("the manifest is at fault")]
    Manifest,
    /// Its language has no templates.
    #[error("{language} has no templates yet")]
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
    /// It cannot be written, or files are in the way.
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// Generates a project. An error means that the manifest could not be read.
pub fn generate(options: &GenerateOptions) -> Result<GenerateOutcome<Generated>, ReadError> {
    let GenerateOutcome { sources, diagnostics, result } = prepare(&options.file, &options.output)?;
    let result = result.and_then(|prepared| write(prepared, options));
    Ok(GenerateOutcome { sources, diagnostics, result })
}

fn write(prepared: Prepared, options: &GenerateOptions) -> Result<Generated, GenerateError> {
    let Prepared { project, plan, tree, stamp } = prepared;
    let changeset = files::plan(tree, stamp, &options.output, options.plan)?;
    let obstacles = changeset.obstacles();
    let changes = match options.mode {
        GenerateMode::DryRun => changeset.changes().to_vec(),
        GenerateMode::Write if !obstacles.is_empty() => return Err(FilesError::InTheWay { obstacles }.into()),
        GenerateMode::Write => {
            let interrupted = host::catch_interrupts()
                .map_err(|source| FilesError::Folder { path: options.output.clone(), source })?;
            files::apply(&changeset, &interrupted)?
        }
    };
    Ok(Generated {
        next: next::commands(&project, &plan, &options.output),
        hooks: project.hooks.iter().filter_map(|command| Hook::parse(command)).collect(),
        language: project.language.target().name(),
        name: project.name,
        changes,
        obstacles,
    })
}
