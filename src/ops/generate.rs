//! `adl generate`: turns a manifest into a project, all of it or nothing.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{Checked, Scope, check};
use crate::diagnostics::{Diagnostic, Sources};
use crate::files::{self, Change, FilesError, Obstacle, PlanOptions, Stamp};
use crate::host::{self, ReadError};
use crate::manifest;
use crate::project::{Group, Language, Project};
use crate::render::literals::shell_word;
use crate::render::{self, RenderError};
use crate::targets;

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

/// What came of it.
#[derive(Debug)]
pub struct GenerateOutcome {
    /// The texts that the findings point into.
    pub sources: Sources,
    /// All findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// What was made of the manifest.
    pub result: Result<Generated, GenerateError>,
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
pub fn generate(options: &GenerateOptions) -> Result<GenerateOutcome, ReadError> {
    let Checked { sources, document, diagnostics } = check(&options.file, Scope::Generation)?;
    let Some(document) = document.filter(|_| !diagnostics.iter().any(Diagnostic::is_error)) else {
        return Ok(GenerateOutcome { sources, diagnostics, result: Err(GenerateError::Manifest) });
    };
    let stamp = Stamp::new(env!("CARGO_PKG_VERSION"), sources.text(document.file()).as_bytes());
    let result = manifest::decode(&document)
        .map_err(GenerateError::from)
        .and_then(|manifest| write(&Project::resolve(&manifest), stamp, options));
    Ok(GenerateOutcome { sources, diagnostics, result })
}

fn write(project: &Project, stamp: Stamp, options: &GenerateOptions) -> Result<Generated, GenerateError> {
    let (language, plan) = match &project.language {
        Language::Go { module, version } => ("Go", targets::go::plan(project, module, *version)),
        Language::TypeScript => return Err(GenerateError::NoTemplates { language: "TypeScript" }),
        Language::Rust => return Err(GenerateError::NoTemplates { language: "Rust" }),
    };
    let changeset = files::plan(render::render(&plan)?, stamp, &options.output, options.plan)?;
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
    let next = next_commands(project, &options.output);
    Ok(Generated { name: project.name.clone(), language, changes, obstacles, next })
}

fn next_commands(project: &Project, output: &Path) -> Vec<String> {
    let mut commands = Vec::new();
    if output != Path::new(".") {
        let folder = output.display().to_string();
        let folder = if folder.starts_with('-') { format!("./{folder}") } else { folder };
        commands.push(format!("cd {}", shell_word(&folder)));
    }
    commands.push("go test ./...".to_owned());
    let to_set = project.variables.iter().filter(|variable| variable.required || variable.group == Group::Reference);
    commands.extend(to_set.map(|variable| format!("export {}=...", variable.name)));
    commands.push("go run .".to_owned());
    commands
}
