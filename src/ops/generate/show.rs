//! One file of a project as it would be generated.

use std::path::PathBuf;

use super::GenerateOutcome;
use super::prepare::{Prepared, prepare};
use crate::host::ReadError;
use crate::names;
use crate::ops::policy::Policy;

/// Which file of which project.
#[derive(Debug, Clone)]
pub struct ShowOptions {
    /// The manifest.
    pub file: PathBuf,
    /// The output folder, which is not written.
    pub output: PathBuf,
    /// The file's path below the output folder, `/` between components.
    pub path: String,
    /// What the user thinks of warnings about the manifest.
    pub policy: Policy,
}

/// What a path of a project leads to.
#[derive(Debug)]
pub enum Shown {
    /// The whole file.
    File(Vec<u8>),
    /// The project has no such file.
    Unknown {
        /// The path that was probably meant.
        meant: Option<String>,
        /// Every path.
        paths: Vec<String>,
    },
}

/// Renders one file of the project. An error means that the manifest could not be read.
pub fn show(options: &ShowOptions) -> Result<GenerateOutcome<Shown>, ReadError> {
    let GenerateOutcome { sources, diagnostics, not_allowed, result } =
        prepare(&options.file, &options.output, &options.policy)?;
    let result = result.map(|Prepared { tree, .. }| {
        let path = options.path.strip_prefix("./").unwrap_or(&options.path);
        match tree.get(path) {
            Some(file) => Shown::File(file.bytes.clone()),
            None => Shown::Unknown {
                meant: names::closest(path, tree.iter().map(|(path, _)| path)).map(str::to_owned),
                paths: tree.iter().map(|(path, _)| path.to_owned()).collect(),
            },
        }
    });
    Ok(GenerateOutcome { sources, diagnostics, not_allowed, result })
}
