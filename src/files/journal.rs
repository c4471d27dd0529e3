//! `.adl/staging/journal.json`: what a transaction is about to do, so that it can be rolled back by whoever finds it half done.
//!
//! How far it came is not written down: it shows in the folder itself, in what the staging still holds and in the hashes of what is in
//! place. So one way back serves an error, a signal and a kill, and can itself be ended at any moment and begun anew. It overwrites
//! nothing: what it moves it has looked at, and every name it gives is free.
//!
//! Somebody else may have written what is found there, such as a repository that was cloned. So a journal counts only in the very
//! folder in which it was written, and names only files that a transaction writes.

use std::collections::BTreeSet;
use std::io;

use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};

use super::disk::{State, backup_names, exists, is_same_file, place};
use super::edit::Comparison;
use super::path::is_written;
use super::root::{Guard, tolerate};
use super::staging::{self, pass};
use super::tree::folders;

const SCHEMA_VERSION: u32 = 1;

/// What a transaction is about to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Journal {
    schema_version: u32,
    /// The folder that it lies in, see [`staging::identity`].
    identity: u64,
    /// Folders that are made, outermost first.
    pub(super) made: Vec<String>,
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

/// What rolling back a transaction came to.
#[derive(Debug, Default)]
pub(super) struct RolledBack {
    /// Files that were modified since, which are kept.
    pub(super) kept: Vec<Kept>,
    /// What could not be rolled back.
    pub(super) left: Vec<(String, io::Error)>,
}

/// A file that is kept although its transaction was rolled back, because it was modified since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Below the output folder.
    pub path: String,
    /// Where the text from before the transaction is; `None`: there was none.
    pub backup: Option<String>,
}

impl Journal {
    /// The journal of a comparison, whose edits it refers to by their order. The folder of the staging is there.
    pub(super) fn new(root: &Dir, comparison: &Comparison) -> io::Result<Self> {
        let steps = comparison.edits.iter().map(|edit| Step {
            path: edit.path.clone(),
            before: edit.before.clone(),
            after: edit.after.as_ref().map(|after| after.hash.clone()),
        });
        Ok(Self {
            schema_version: SCHEMA_VERSION,
            identity: staging::identity(root)?,
            made: comparison.folders.clone(),
            steps: steps.collect(),
        })
    }

    /// Reads the journal of `root`; `None`: there is none, or nothing has been done of it.
    ///
    /// # Errors
    /// It cannot be read or is not trusted, so it is unknown which staged files are still needed.
    pub(super) fn load(root: &Dir) -> io::Result<Option<Self>> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            schema_version: u32,
        }
        match root.symlink_metadata(staging::JOURNAL) {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Err(invalid("it is not a file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
        let bytes = root.read(staging::JOURNAL)?;
        if serde_json::from_slice(&bytes).is_ok_and(|Version { schema_version }| schema_version != SCHEMA_VERSION) {
            return Err(invalid("it is from another version of adl"));
        }
        match serde_json::from_slice::<Self>(&bytes) {
            Ok(journal) => journal.check(root).map(|()| Some(journal)),
            // Nothing of the user's has been moved: it was not written to its end.
            Err(_) if !staging::has_old(root)? => Ok(None),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        }
    }

    /// Whether it speaks of this folder, and of nothing that a transaction does not write.
    fn check(&self, root: &Dir) -> io::Result<()> {
        if self.identity != staging::identity(root)? {
            return Err(invalid("it was written in another folder, of which this is a copy; delete `.adl/staging`"));
        }
        let paths = || self.steps.iter().map(|step| &step.path).chain(&self.made);
        if let Some(path) = paths().find(|path| !is_written(path)) {
            return Err(invalid(&format!("it names `{}`, which adl does not write", path.escape_debug())));
        }
        let folders: BTreeSet<&str> = paths().flat_map(|path| folders(path)).collect();
        let is_link = |folder: &&str| root.symlink_metadata(folder).is_ok_and(|metadata| metadata.is_symlink());
        match folders.into_iter().find(is_link) {
            Some(link) => Err(invalid(&format!("it names files below `{link}`, which is a symbolic link"))),
            None => Ok(()),
        }
    }

    /// The bytes of the file.
    pub(super) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Folders that go if the removals leave them empty, outermost first.
    pub(super) fn emptied(&self) -> Vec<&str> {
        let above = |has_after: bool| {
            let steps = self.steps.iter().filter(move |step| step.after.is_some() == has_after);
            steps.flat_map(|step| folders(&step.path)).collect::<BTreeSet<_>>()
        };
        above(false).difference(&above(true)).copied().collect()
    }

    /// Every folder in which a name comes or goes.
    pub(super) fn touched(&self) -> BTreeSet<&str> {
        self.steps.iter().flat_map(|step| folders(&step.path)).chain([".", staging::FOLDER]).collect()
    }

    /// Rolls back what has been done, newest first. `guard` sees every step and can stop none.
    ///
    /// A folder that had become empty is made anew, with the mode of a new one: what it had besides its files is not worth a step of
    /// its own.
    pub(super) fn roll_back(&self, root: &Dir, guard: Guard<'_>) -> RolledBack {
        let mut result = RolledBack::default();
        let roll_back = |has_after: bool, result: &mut RolledBack| {
            for (index, step) in self.steps.iter().enumerate().rev() {
                if step.after.is_some() == has_after {
                    match step.roll_back(index, root, guard) {
                        Ok(kept) => result.kept.extend(kept),
                        Err(error) => result.left.push((step.path.clone(), error)),
                    }
                }
            }
        };
        roll_back(true, &mut result);
        for folder in self.made.iter().rev() {
            pass(guard);
            match tolerate(root.remove_dir(folder)) {
                // What has taken its place is not ours.
                Err(error) if error.kind() != io::ErrorKind::NotADirectory => result.left.push((folder.clone(), error)),
                _ => {}
            }
        }
        roll_back(false, &mut result);
        result
    }
}

impl Step {
    fn roll_back(&self, index: usize, root: &Dir, guard: Guard<'_>) -> io::Result<Option<Kept>> {
        let (old, undone) = (staging::old(index), staging::undone(index));
        let has_old = exists(root, &old);
        // Without the old file, which a journal that came back after a power cut may speak of, the new one is better than none.
        if (has_old || self.before.is_none()) && self.is_placed(index, root)? {
            pass(guard);
            root.rename(&self.path, root, &undone)?;
        }
        match State::of(root, &undone)? {
            State::Nothing => {}
            state if state.is(self.after.as_deref()) => {
                pass(guard);
                root.remove_file(&undone)?;
            }
            // Somebody saved the file just before it was moved.
            State::File(_) | State::Other => {
                pass(guard);
                put_back(root, &undone, &self.path)?;
            }
        }
        if has_old {
            pass(guard);
            let backup = put_back(root, &old, &self.path)?;
            return Ok(backup.map(|backup| Kept { path: self.path.clone(), backup: Some(backup) }));
        }
        let state = State::of(root, &self.path)?;
        let is_known = state == State::Nothing || state.is(self.before.as_deref()) || state.is(self.after.as_deref());
        Ok((!is_known).then(|| Kept { path: self.path.clone(), backup: None }))
    }

    /// Whether the new file is in its place. A file with the same bytes is not enough: where case does not count, it may be the very
    /// file that another step is about to move.
    fn is_placed(&self, index: usize, root: &Dir) -> io::Result<bool> {
        let new = staging::new(index);
        Ok(self.after.is_some()
            && State::of(root, &self.path)?.is(self.after.as_deref())
            && (!exists(root, &new) || is_same_file(root, &new, &self.path)?))
    }
}

/// Moves the file at `from` to `path`, or to a free name beside it where something else is by now; that name is returned.
fn put_back(root: &Dir, from: &str, path: &str) -> io::Result<Option<String>> {
    let is_blocking = |folder: &&str| root.symlink_metadata(folder).is_ok_and(|metadata| !metadata.is_dir());
    let blocking = folders(path).find(is_blocking);
    if blocking.is_none()
        && let Some((folder, _)) = path.rsplit_once('/')
    {
        root.create_dir_all(folder)?;
    }
    let own = blocking.is_none().then(|| path.to_owned());
    for name in own.into_iter().chain(backup_names(blocking.unwrap_or(path))) {
        // The same bytes are there when this was ended between the next two steps.
        if place(root, from, &name)? || is_twin(root, from, &name)? {
            tolerate(root.remove_file(from))?;
            return Ok((name != path).then_some(name));
        }
    }
    unreachable!("a folder holds fewer files than there are numbers")
}

fn is_twin(root: &Dir, one: &str, other: &str) -> io::Result<bool> {
    let state = State::of(root, one)?;
    Ok(matches!(state, State::File(_)) && state == State::of(root, other)?)
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
