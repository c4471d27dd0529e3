//! `.adl/staging/journal.json`: what a transaction is about to do, so that it can be taken back by whoever finds it half done.
//!
//! How far it came is not written down: it shows in the folder itself, in what the staging still holds and in the hashes of what is in
//! place. So one way back serves an error, a signal and a kill, and can itself be ended at any moment and begun anew.

use std::collections::BTreeSet;
use std::io;

use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};

use super::compare::Comparison;
use super::hash::sha256;
use super::root::{Guard, tolerate};
use super::staging::{self, pass};
use super::tree::folders;

const SCHEMA_VERSION: u32 = 1;

/// What a transaction is about to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Journal {
    schema_version: u32,
    /// Folders that are made, outermost first.
    pub(super) made: Vec<String>,
    /// Folders that go if the removals leave them empty, outermost first.
    pub(super) emptied: Vec<String>,
    /// In the order in which they are done.
    pub(super) steps: Vec<Step>,
}

/// A file that is written, replaced or removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Step {
    /// Below the output folder.
    pub(super) path: String,
    /// Hash of what is there before; `None`: nothing.
    pub(super) before: Option<String>,
    /// Hash of what is there afterwards; `None`: nothing.
    pub(super) after: Option<String>,
}

/// What taking back a transaction came to.
#[derive(Debug, Default)]
pub(super) struct TakenBack {
    /// Files that somebody has written since, which therefore stay.
    pub(super) kept: Vec<Kept>,
    /// What could not be taken back.
    pub(super) left: Vec<(String, io::Error)>,
}

/// A file that stays as it is although the transaction that wrote it was taken back: somebody has written it since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Below the output folder.
    pub path: String,
    /// Where the text from before the transaction is; `None`: there was none.
    pub backup: Option<String>,
}

/// What is at a path.
enum State {
    Nothing,
    File(String),
    Other,
}

impl Journal {
    /// The journal of a comparison, whose edits it refers to by their order.
    pub(super) fn new(comparison: &Comparison) -> Self {
        let edits = &comparison.edits;
        let steps = edits.iter().map(|edit| Step {
            path: edit.path.clone(),
            before: edit.before.clone(),
            after: edit.after.as_ref().map(|after| sha256(&after.bytes)),
        });
        let above = |has_after: bool| {
            let paths = edits.iter().filter(move |edit| edit.after.is_some() == has_after).map(|edit| &edit.path);
            paths.flat_map(|path| folders(path)).collect::<BTreeSet<_>>()
        };
        let emptied = above(false).difference(&above(true)).map(|&folder| folder.to_owned()).collect();
        Self { schema_version: SCHEMA_VERSION, made: comparison.folders.clone(), emptied, steps: steps.collect() }
    }

    /// Reads the journal of `root`; `None`: there is none, or it was not written to its end and nothing has been done.
    ///
    /// # Errors
    /// It cannot be read, or is none that we understand: then nobody knows what of the staging is still needed.
    pub(super) fn load(root: &Dir) -> io::Result<Option<Self>> {
        let bytes = match root.read(staging::JOURNAL) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match serde_json::from_slice::<Self>(&bytes) {
            Ok(journal) if journal.schema_version == SCHEMA_VERSION => Ok(Some(journal)),
            Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "it is from another version of adl")),
            Err(error) if error.is_eof() => Ok(None),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        }
    }

    /// The bytes of the file.
    pub(super) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Takes back what has been done, newest first. `guard` sees every step and can stop none.
    pub(super) fn take_back(&self, root: &Dir, guard: Guard<'_>) -> TakenBack {
        let mut result = TakenBack::default();
        if self.is_done(root) {
            return result;
        }
        for (index, step) in self.steps.iter().enumerate().rev().filter(|(_, step)| step.after.is_some()) {
            step.take_back(index, root, guard, &mut result);
        }
        for folder in self.made.iter().rev() {
            pass(guard);
            if let Err(error) = tolerate(root.remove_dir(folder)) {
                result.left.push((folder.clone(), error));
            }
        }
        for folder in &self.emptied {
            if !root.is_dir(folder) {
                pass(guard);
                if let Err(error) = root.create_dir(folder) {
                    result.left.push((folder.clone(), error));
                }
            }
        }
        for (index, step) in self.steps.iter().enumerate().rev().filter(|(_, step)| step.after.is_none()) {
            step.take_back(index, root, guard, &mut result);
        }
        result
    }

    /// Whether all was done, and what was kept of the old state is being cleared away: after a power cut a journal can be back.
    fn is_done(&self, root: &Dir) -> bool {
        self.steps.iter().enumerate().any(|(index, step)| {
            let is_replaced = step.before.is_some() && step.before != step.after && step.after.is_some();
            is_replaced
                && !exists(root, &staging::old(index))
                && matches!(state(root, &step.path), Ok(State::File(hash)) if Some(&hash) == step.after.as_ref())
        })
    }
}

impl Step {
    fn take_back(&self, index: usize, root: &Dir, guard: Guard<'_>, result: &mut TakenBack) {
        if let Err(error) = self.try_to_take_back(index, root, guard, &mut result.kept) {
            result.left.push((self.path.clone(), error));
        }
    }

    fn try_to_take_back(&self, index: usize, root: &Dir, guard: Guard<'_>, kept: &mut Vec<Kept>) -> io::Result<()> {
        let old = staging::old(index);
        let has_old = exists(root, &old);
        match state(root, &self.path)? {
            State::File(hash) if Some(&hash) == self.after.as_ref() => {
                pass(guard);
                if has_old { root.rename(old, root, &self.path) } else { tolerate(root.remove_file(&self.path)) }
            }
            State::Nothing if has_old => {
                pass(guard);
                root.rename(old, root, &self.path)
            }
            State::Nothing => Ok(()),
            State::File(hash) if !has_old && Some(&hash) == self.before.as_ref() => Ok(()),
            State::File(_) | State::Other => {
                let backup = has_old.then(|| free_name(root, &self.path));
                if let Some(backup) = &backup {
                    pass(guard);
                    root.rename(old, root, backup)?;
                }
                kept.push(Kept { path: self.path.clone(), backup });
                Ok(())
            }
        }
    }
}

fn state(root: &Dir, path: &str) -> io::Result<State> {
    match root.symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(State::File(sha256(&root.read(path)?))),
        Ok(_) => Ok(State::Other),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(State::Nothing)
        }
        Err(error) => Err(error),
    }
}

fn exists(root: &Dir, path: &str) -> bool {
    root.symlink_metadata(path).is_ok()
}

fn free_name(root: &Dir, path: &str) -> String {
    let mut name = format!("{path}.orig");
    let mut number = 1_u32;
    while exists(root, &name) {
        number += 1;
        name = format!("{path}.orig.{number}");
    }
    name
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
