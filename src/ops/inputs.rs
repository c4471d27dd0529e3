//! Finds the manifests for the paths on the command line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::host::{self, ReadError, Walked};
use crate::manifest;
use crate::render::literals::shell_word;

/// The name of standard input in findings.
pub const STANDARD_INPUT: &str = "<stdin>";

/// File name extensions of manifests in folders.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// How many bytes of a file are searched for `apiVersion`.
const BEGINNING: u64 = 64 * 1024;

/// A path on the command line, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A manifest, or a folder with manifests.
    Path(PathBuf),
    /// A manifest on standard input.
    StandardInput,
}

impl Input {
    /// The input as an argument for a POSIX shell.
    pub fn shell_word(&self) -> String {
        match self {
            Self::Path(path) => shell_word(&path.to_string_lossy()),
            Self::StandardInput => "-".to_owned(),
        }
    }
}

/// Why an input has no readable manifest.
#[derive(Debug, Error)]
pub enum InputError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The folder contains no manifest.
    #[error("no manifest in {}", folder.display())]
    NoManifest {
        /// The folder as given.
        folder: PathBuf,
    },
}

/// A manifest, or why there is none.
#[derive(Debug)]
pub(super) enum Found {
    File(PathBuf),
    StandardInput,
    /// A folder that contains no manifest.
    Nothing(PathBuf),
    /// A part of a folder that cannot be read.
    Unreadable(ReadError),
}

impl Found {
    /// Its name in findings: the path, or `<stdin>`.
    pub(super) fn name(&self) -> String {
        match self {
            Self::StandardInput => STANDARD_INPUT.to_owned(),
            Self::File(path) | Self::Nothing(path) | Self::Unreadable(ReadError { path, .. }) => {
                path.display().to_string()
            }
        }
    }

    /// Its bytes.
    pub(super) fn read(self) -> Result<Vec<u8>, InputError> {
        match self {
            Self::File(path) => Ok(host::read(&path)?),
            Self::StandardInput => Ok(host::read_standard_input()?),
            Self::Nothing(folder) => Err(InputError::NoManifest { folder }),
            Self::Unreadable(error) => Err(error.into()),
        }
    }
}

/// Finds the manifests in the given order, without duplicates; those of a folder are sorted by path.
pub(super) fn find(inputs: &[Input]) -> Vec<Found> {
    let mut seen = BTreeSet::new();
    let found = inputs.iter().flat_map(|input| match input {
        Input::StandardInput => vec![Found::StandardInput],
        Input::Path(path) if host::is_directory(path) => find_in(path),
        Input::Path(path) => vec![Found::File(path.clone())],
    });
    found
        .filter(|found| match found {
            Found::File(path) => seen.insert(Some(without_dot(path).to_owned())),
            Found::StandardInput => seen.insert(None),
            Found::Nothing(_) | Found::Unreadable(_) => true,
        })
        .collect()
}

/// The manifests of a folder: `agent.yaml`, `*.agent.yaml`, and files with the `apiVersion` of a manifest.
fn find_in(folder: &Path) -> Vec<Found> {
    let Walked { files, errors } = host::walk(folder, &EXTENSIONS);
    let manifests = files.into_iter().filter(|path| is_manifest(path));
    let mut found: Vec<_> = manifests.map(|path| Found::File(without_dot(&path).to_owned())).collect();
    found.extend(errors.into_iter().map(Found::Unreadable));
    if found.is_empty() {
        found.push(Found::Nothing(folder.to_owned()));
    }
    found
}

fn is_manifest(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if stem.rsplit('.').next() == Some("agent") {
        return true;
    }
    let beginning = host::read_beginning(path, BEGINNING).unwrap_or_default();
    manifest::looks_like_manifest(&String::from_utf8_lossy(&beginning))
}

/// `agents/a.yaml` for `./agents/a.yaml`.
fn without_dot(path: &Path) -> &Path {
    path.strip_prefix(".").unwrap_or(path)
}
