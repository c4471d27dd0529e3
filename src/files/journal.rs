//! `.adl/staging/journal.json`: the steps of a transaction, so that an unfinished transaction can be rolled back.
//!
//! The journal does not record progress. Which steps were done follows from the folder: from the files that are still
//! staged and the hashes of the files in place. The same rollback therefore serves errors, signals and killed
//! processes, and it can itself be interrupted at any point and repeated. It never overwrites a file: it checks each
//! file before it moves it and only uses unused names.
//!
//! The journal may come from someone else, such as the author of a cloned repository. It is therefore only used in the
//! folder in which it was written, and only if it names nothing but files that a transaction may write.

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

/// The steps of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Journal {
    schema_version: u32,
    /// Identity of the folder that contains the journal, see [`staging::identity`].
    identity: u64,
    /// The folders to create, outermost first.
    pub(super) made: Vec<String>,
    /// The steps in the order of execution.
    pub(super) steps: Vec<Step>,
}

/// A file that is written, replaced or removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Step {
    /// Path relative to the output folder.
    pub(super) path: String,
    /// Hash of the file before the step; `None` if it does not exist.
    pub(super) before: Option<String>,
    /// Hash of the file after the step; `None` if it does not exist.
    pub(super) after: Option<String>,
}

/// The result of rolling back a transaction.
#[derive(Debug, Default)]
pub(super) struct RolledBack {
    /// Files that were kept because they were modified since.
    pub(super) kept: Vec<Kept>,
    /// Paths that could not be rolled back, each with the cause.
    pub(super) left: Vec<(String, io::Error)>,
}

/// A file that a rollback kept because it was modified after the transaction wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Path relative to the output folder.
    pub path: String,
    /// Path of the version from before the transaction; `None` if there was none.
    pub backup: Option<String>,
}

impl Journal {
    /// Creates the journal of a comparison; steps have the order of its edits. The staging folder must exist.
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

    /// Reads the journal of `root`. Returns `None` if there is none, or if it is incomplete and no step was done.
    ///
    /// # Errors
    /// Returns an error if the journal cannot be read or is not trusted. It is then unknown which staged files are
    /// still needed.
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
            // The journal was not written completely, and no file has been moved yet.
            Err(_) if !staging::has_old(root)? => Ok(None),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        }
    }

    /// Checks that the journal belongs to this folder and only names paths that a transaction may write.
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

    /// Serializes the journal.
    pub(super) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The folders to remove if the removed files leave them empty, outermost first.
    pub(super) fn emptied(&self) -> Vec<&str> {
        let above = |has_after: bool| {
            let steps = self.steps.iter().filter(move |step| step.after.is_some() == has_after);
            steps.flat_map(|step| folders(&step.path)).collect::<BTreeSet<_>>()
        };
        above(false).difference(&above(true)).copied().collect()
    }

    /// Every folder in which an entry is added or removed.
    pub(super) fn touched(&self) -> BTreeSet<&str> {
        self.steps.iter().flat_map(|step| folders(&step.path)).chain([".", staging::FOLDER]).collect()
    }

    /// Rolls back the steps that were done, in reverse order. `guard` is called before every step, but cannot
    /// interrupt.
    ///
    /// A removed folder is created again with the default mode; its former attributes are not restored.
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
                // Something else has replaced the folder.
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
        // After a power cut, the journal can reappear although the old file is gone. In that case, the new file is
        // kept.
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
            // Another process saved the file just before it was moved.
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

    /// Whether the new file is in place. Equal contents are not enough: on a case-insensitive file system, the path may
    /// lead to the file that another step is about to move.
    fn is_placed(&self, index: usize, root: &Dir) -> io::Result<bool> {
        let new = staging::new(index);
        Ok(self.after.is_some()
            && State::of(root, &self.path)?.is(self.after.as_deref())
            && (!exists(root, &new) || is_same_file(root, &new, &self.path)?))
    }
}

/// Moves the file `from` back to `path`. If something else exists there, uses a backup name and returns it.
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
        // Equal contents exist if a rollback was killed between placing the file and removing `from`.
        if place(root, from, &name)? || has_equal_contents(root, from, &name)? {
            tolerate(root.remove_file(from))?;
            return Ok((name != path).then_some(name));
        }
    }
    unreachable!("a folder holds fewer files than there are numbers")
}

fn has_equal_contents(root: &Dir, one: &str, other: &str) -> io::Result<bool> {
    let state = State::of(root, one)?;
    Ok(matches!(state, State::File(_)) && state == State::of(root, other)?)
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
