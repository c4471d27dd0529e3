//! `adl env`: the variables of an agent, and the env file that sets them.
//!
//! What the agent reads follows from the manifest; what a file sets is read as Docker Compose reads it. No value under a name that
//! tells of a secret leaves this module.

mod base;
mod check;
mod difference;
mod file;
mod needs;
mod settings;
mod sync;
mod value;

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::check::{Checked, Scope, check as check_manifest};
use super::validate::Findings;
use crate::diagnostics::Diagnostic;
use crate::files::{FilesError, ReplaceError};
use crate::host::ReadError;
use crate::manifest;
use crate::project::{Project, Variable};
use crate::render::RenderError;
use crate::secrets;

pub use check::{CheckedEnv, check_env};
pub use difference::{Deviation, Difference, ShownValue, diff_env};
pub use sync::{SyncMode, Synced, sync_env};

/// Which env file, and for which agent.
#[derive(Debug, Clone)]
pub struct EnvOptions {
    /// The agent's manifest.
    pub manifest: PathBuf,
    /// The env file.
    pub file: PathBuf,
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum EnvError {
    /// The manifest cannot be read.
    #[error(transparent)]
    Manifest(ReadError),
    /// The manifest is at fault; the findings say how.
    #[error("the manifest has errors")]
    ManifestAtFault(Findings),
    /// The env file cannot be read.
    #[error(transparent)]
    File(ReadError),
    /// The env file is none; the findings say why.
    #[error("the environment file has errors")]
    FileAtFault(Findings),
    /// The manifest passed every check and is not what the types say: a fault of the program.
    #[error("the manifest cannot be decoded")]
    Decode(#[from] serde_json::Error),
    /// The manifest's language has no templates.
    #[error("{language} has no templates yet")]
    NoTemplates {
        /// The language's name.
        language: &'static str,
    },
    /// The file cannot be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] ReplaceError),
    /// The project that it lies in cannot be locked.
    #[error(transparent)]
    Lock(#[from] FilesError),
}

/// Every variable of the agent, in the order of its documentation. A default that gives a secret away is masked.
pub fn list_env(manifest: &Path) -> Result<Vec<Variable>, EnvError> {
    let mut variables = load(manifest)?.variables;
    for variable in &mut variables {
        variable.default = shown_default(variable);
    }
    Ok(variables)
}

/// What the agent is built with, as far as it may be shown.
fn shown_default(variable: &Variable) -> String {
    let hidden = secrets::gives_away(&variable.name, &variable.default);
    if hidden { secrets::MASK.to_owned() } else { variable.default.clone() }
}

/// The project of a manifest without a fault. Warnings are for `adl validate` to give.
fn load(path: &Path) -> Result<Project, EnvError> {
    let Checked { sources, document, diagnostics, .. } =
        check_manifest(path, Scope::Manifest).map_err(EnvError::Manifest)?;
    match document.filter(|_| !diagnostics.iter().any(Diagnostic::is_error)) {
        Some(document) => Ok(Project::resolve(&manifest::decode(&document)?)),
        None => Err(EnvError::ManifestAtFault(Findings { sources, diagnostics })),
    }
}
