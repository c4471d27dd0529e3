//! From what the user names to the manifests that are meant.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::host::{self, ReadError, Walked};
use crate::manifest;
use crate::render::literals::shell_word;

/// What standard input is called in findings.
pub const STANDARD_INPUT: &str = "<stdin>";

/// What a manifest may be called when it is looked for.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// How far into a file its `apiVersion` is looked for, in bytes.
const BEGINNING: u64 = 64 * 1024;

/// What the user names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A manifest, or a folder to look for manifests in.
    Path(PathBuf),
    /// A manifest on standard input.
    StandardInput,
}

impl Input {
    /// As it is named on the command line of a POSIX shell.
    pub fn shell_word(&self) -> String {
        match self {
            Self::Path(path) => shell_word(&path.to_string_lossy()),
            Self::StandardInput => "-".to_owned(),
        }
    }
}

/// Why there is no manifest to look at where one was named.
#[derive(Debug, Error)]
pub enum InputError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is a folder without a manifest.
    #[error("no manifest in {}", folder.display())]
    NoManifest {
        /// The folder as it was named.
        folder: PathBuf,
    },
}

/// One manifest that is meant, or what stands in its place.
#[derive(Debug)]
pub(super) enum Found {
    File(PathBuf),
    StandardInput,
    /// A folder without any manifest.
    Nothing(PathBuf),
    /// A part of a folder that cannot be looked into.
    Unreadable(ReadError),
}

impl Found {
    /// What findings call it: its path, or `<stdin>`.
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

/// Finds the manifests, in the order in which they are named and each once; those of a folder by path.
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

/// The manifests of a folder: `agent.yaml`, `*.agent.yaml`, and files of any name that say so.
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
