//! `adl env`: the variables of an agent and its environment file.
//!
//! The manifest determines the variables. Environment files are parsed like Docker Compose parses them. Values of
//! variables whose name indicates a secret are never returned.

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

/// The manifest and the environment file.
#[derive(Debug, Clone)]
pub struct EnvOptions {
    /// The agent's manifest.
    pub manifest: PathBuf,
    /// The environment file.
    pub file: PathBuf,
}

/// Why an operation on an environment file failed.
#[derive(Debug, Error)]
pub enum EnvError {
    /// The manifest cannot be read.
    #[error(transparent)]
    Manifest(ReadError),
    /// The manifest has errors.
    #[error("the manifest has errors")]
    ManifestAtFault(Findings),
    /// The environment file cannot be read.
    #[error(transparent)]
    File(ReadError),
    /// The environment file has errors.
    #[error("the environment file has errors")]
    FileAtFault(Findings),
    /// The manifest passed every check, but cannot be decoded. This is a bug.
    #[error("the manifest cannot be decoded")]
    Decode(#[from] serde_json::Error),
    /// The file cannot be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] ReplaceError),
    /// The project that contains the file cannot be locked.
    #[error(transparent)]
    Lock(#[from] FilesError),
}

/// Lists every variable of the agent in the order of the documentation. Defaults that contain a secret are masked.
pub fn list_env(manifest: &Path) -> Result<Vec<Variable>, EnvError> {
    let mut variables = load(manifest)?.variables;
    for variable in &mut variables {
        variable.default = shown_default(variable);
    }
    Ok(variables)
}

/// The default, masked if it contains a secret.
fn shown_default(variable: &Variable) -> String {
    let hidden = secrets::gives_away(&variable.name, &variable.default);
    if hidden { secrets::MASK.to_owned() } else { variable.default.clone() }
}

/// Loads the project of a manifest without errors. Warnings are left to `adl validate`.
fn load(path: &Path) -> Result<Project, EnvError> {
    let Checked { sources, document, diagnostics, .. } =
        check_manifest(path, Scope::Manifest).map_err(EnvError::Manifest)?;
    match document.filter(|_| !diagnostics.iter().any(Diagnostic::is_error)) {
        Some(document) => Ok(Project::resolve(&manifest::decode(&document)?)),
        None => Err(EnvError::ManifestAtFault(Findings { sources, diagnostics })),
    }
}
