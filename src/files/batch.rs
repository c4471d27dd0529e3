//! Edits files of the user in any folders as one transaction.
//!
//! Before the first edit, the old contents of all files and a journal are written to a folder of their own. Each edit then
//! replaces one file atomically, and only if it still has the contents that were read ([`replace`]). If an edit fails, the
//! earlier ones are undone in reverse order; after a kill, [`Batches::undo`] does that. A finished batch is renamed and
//! stays as a backup, which can be undone as well.
//!
//! Undoing restores only files that still have the new contents, so it never overwrites later changes.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
#[cfg(unix)]
use cap_std::fs::{DirBuilder, DirBuilderExt as _, OpenOptionsExt as _};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::replace::{ReplaceError, create, make_folders, replace};
use super::root::tolerate;
use super::text::sha256;

const JOURNAL: &str = "journal.json";
const UNFINISHED: &str = ".unfinished";
const SCHEMA_VERSION: u32 = 1;

/// New contents of one file.
#[derive(Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The absolute path.
    pub path: PathBuf,
    /// The contents that the edit is based on; `None` if the file must not exist.
    pub before: Option<Vec<u8>>,
    /// The new contents.
    pub after: Vec<u8>,
}

impl std::fmt::Debug for FileEdit {
    /// Without the contents, which may contain secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileEdit").field("path", &self.path).finish_non_exhaustive()
    }
}

/// The folder with all batches, `<id>` and `<id>.unfinished`.
#[derive(Debug, Clone)]
pub struct Batches {
    folder: PathBuf,
}

/// A batch on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Its name.
    pub id: String,
    /// Whether all of its edits were done. Otherwise its run was killed, or could not be rolled back.
    pub is_finished: bool,
    /// The files that it changed.
    pub files: Vec<PathBuf>,
}

/// The result of undoing a batch.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// The files that have their old contents again.
    pub restored: Vec<PathBuf>,
    /// The files that were changed since and are kept as they are.
    pub kept: Vec<PathBuf>,
}

/// Why a batch was not done.
#[derive(Debug, Error)]
pub enum BatchError {
    /// A file was not replaced; all edits were undone.
    #[error(transparent)]
    Edit(#[from] ReplaceError),
    /// The folder of the batches cannot be used; no file was changed.
    #[error("cannot write `{}`", path.display())]
    Journal {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// There is no such batch, or its journal is invalid.
    #[error("there is no backup `{id}`")]
    Unknown {
        /// Its name.
        id: String,
    },
    /// Undoing failed. The old contents are still in the folder of the batch.
    #[error("cannot undo `{id}`: {}", cause)]
    NotUndone {
        /// Its name.
        id: String,
        /// The cause.
        cause: Box<BatchError>,
    },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Journal {
    schema_version: u32,
    steps: Vec<Step>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Step {
    path: PathBuf,
    /// Whether the file existed; its contents are in `<index>.before`.
    existed: bool,
    /// Hash of the new contents.
    after: String,
    /// The folders to create for the file, outermost first.
    made: Vec<PathBuf>,
}

type Hook<'a> = &'a dyn Fn() -> Result<(), BatchError>;

impl Batches {
    /// The batches in a folder, which is created when needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All batches, oldest first.
    ///
    /// # Errors
    /// If the folder exists and cannot be read.
    pub fn list(&self) -> io::Result<Vec<Batch>> {
        let folder = match Dir::open_ambient_dir(&self.folder, ambient_authority()) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut batches = Vec::new();
        for entry in folder.entries()? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let (id, is_finished) = match name.strip_suffix(UNFINISHED) {
                Some(id) => (id.to_owned(), false),
                None => (name.clone(), true),
            };
            if entry.file_type()?.is_dir() {
                let journal = read_journal(&entry.open_dir()?).unwrap_or_default();
                let files = journal.into_iter().flat_map(|journal| journal.steps).map(|step| step.path);
                batches.push(Batch { id, is_finished, files: files.collect() });
            }
        }
        batches.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(batches)
    }

    /// Does all edits, or none. `label` becomes part of the name of the batch, which is returned.
    ///
    /// # Errors
    /// Unless the error is [`BatchError::NotUndone`], every file has its old contents, except for files that another
    /// process changed meanwhile.
    pub fn commit(&self, label: &str, edits: &[FileEdit], interrupted: &AtomicBool) -> Result<String, BatchError> {
        let guard = || {
            let is_interrupted = interrupted.load(Ordering::Relaxed);
            if is_interrupted { Err(BatchError::Edit(ReplaceError::Interrupted)) } else { Ok(()) }
        };
        self.commit_guarded(label, edits, &guard)
    }

    fn commit_guarded(&self, label: &str, edits: &[FileEdit], guard: Hook<'_>) -> Result<String, BatchError> {
        let failed = |source| BatchError::Journal { path: self.folder.clone(), source };
        let (id, batch) = self.start(label).map_err(failed)?;
        if let Err(error) = prepare(&batch, edits, guard, &failed) {
            self.discard(&id).map_err(failed)?;
            return Err(error);
        }
        let done = edits.iter().try_for_each(|edit| {
            guard()?;
            edit.apply()
        });
        match done.and_then(|()| guard()) {
            Ok(()) => self.finish(&id).map(|()| id).map_err(failed),
            Err(cause) => match self.undo(&id) {
                Ok(_) => Err(cause),
                Err(error) => Err(BatchError::NotUndone { id, cause: Box::new(error) }),
            },
        }
    }

    /// Restores the old contents of all files that still have the new ones, and removes the batch. If files are kept, the
    /// batch stays as a backup.
    ///
    /// # Errors
    /// If the batch does not exist or a file cannot be written. The batch stays, and this can be repeated.
    pub fn undo(&self, id: &str) -> Result<Undone, BatchError> {
        self.undo_guarded(id, &|| Ok(()))
    }

    fn undo_guarded(&self, id: &str, guard: Hook<'_>) -> Result<Undone, BatchError> {
        let unknown = || BatchError::Unknown { id: id.to_owned() };
        let failed = |source| BatchError::Journal { path: self.folder.clone(), source };
        let names = [format!("{id}{UNFINISHED}"), id.to_owned()];
        let opened = names.iter().find_map(|name| {
            Dir::open_ambient_dir(self.folder.join(name), ambient_authority()).ok().map(|batch| (name, batch))
        });
        let (name, batch) = opened.filter(|_| is_id(id)).ok_or_else(unknown)?;
        let mut undone = Undone::default();
        // Without a journal, no file has been changed.
        let steps = read_journal(&batch).map_err(failed)?.map(|journal| journal.steps).unwrap_or_default();
        for (index, step) in steps.iter().enumerate().rev() {
            guard()?;
            let before = step.existed.then(|| batch.read(format!("{index}.before"))).transpose().map_err(failed)?;
            match step.undo(before.as_deref())? {
                Some(true) => undone.restored.push(step.path.clone()),
                Some(false) => undone.kept.push(step.path.clone()),
                None => {}
            }
        }
        guard()?;
        if undone.kept.is_empty() {
            self.discard(name.strip_suffix(UNFINISHED).unwrap_or(name)).map_err(failed)?;
        } else {
            self.finish(id).map_err(failed)?;
        }
        Ok(undone)
    }

    /// Removes all finished batches but the last `keep`, and returns the names of the removed ones.
    ///
    /// # Errors
    /// If the folder cannot be read or a batch not be removed.
    pub fn prune(&self, keep: usize) -> io::Result<Vec<String>> {
        let finished: Vec<_> = self.list()?.into_iter().filter(|batch| batch.is_finished).collect();
        let old = finished.len().saturating_sub(keep);
        let mut removed = Vec::new();
        for batch in finished.into_iter().take(old) {
            self.discard(&batch.id)?;
            removed.push(batch.id);
        }
        Ok(removed)
    }

    /// Creates the folder of a new batch, whose name sorts after all others.
    fn start(&self, label: &str) -> io::Result<(String, Dir)> {
        Dir::create_ambient_dir_all(&self.folder, ambient_authority())?;
        let folder = Dir::open_ambient_dir(&self.folder, ambient_authority())?;
        let number = |batch: &Batch| batch.id.split('-').next().and_then(|number| number.parse::<u64>().ok());
        let last = self.list()?.iter().filter_map(number).max().unwrap_or(0);
        let id = format!("{:06}-{label}", last + 1);
        let name = format!("{id}{UNFINISHED}");
        #[cfg(unix)]
        folder.create_dir_with(&name, DirBuilder::new().mode(0o700))?;
        #[cfg(not(unix))]
        folder.create_dir(&name)?;
        let batch = folder.open_dir(&name)?;
        Ok((id, batch))
    }

    fn finish(&self, id: &str) -> io::Result<()> {
        let folder = Dir::open_ambient_dir(&self.folder, ambient_authority())?;
        tolerate(folder.rename(format!("{id}{UNFINISHED}"), &folder, id))?;
        folder.open(".").and_then(|folder| folder.into_std().sync_all()).ok();
        Ok(())
    }

    /// Removes a batch: first its journal, without which the rest means nothing.
    fn discard(&self, id: &str) -> io::Result<()> {
        let folder = Dir::open_ambient_dir(&self.folder, ambient_authority())?;
        for name in [format!("{id}{UNFINISHED}"), id.to_owned()] {
            tolerate(folder.remove_file(Path::new(&name).join(JOURNAL)))?;
            tolerate(folder.remove_dir_all(&name))?;
        }
        Ok(())
    }
}

/// Writes the old contents and the journal, all of which reach the disk before the first edit.
fn prepare(
    batch: &Dir,
    edits: &[FileEdit],
    guard: Hook<'_>,
    failed: &dyn Fn(io::Error) -> BatchError,
) -> Result<(), BatchError> {
    let mut steps = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        guard()?;
        if let Some(before) = &edit.before {
            write(batch, &format!("{index}.before"), before).map_err(failed)?;
        }
        let missing = edit.path.ancestors().skip(1).take_while(|folder| folder.symlink_metadata().is_err());
        let mut made: Vec<_> = missing.map(Path::to_owned).collect();
        made.reverse();
        let after = sha256(&edit.after);
        steps.push(Step { path: edit.path.clone(), existed: edit.before.is_some(), after, made });
    }
    guard()?;
    let journal = serde_json::to_vec(&Journal { schema_version: SCHEMA_VERSION, steps }).map_err(io::Error::from);
    write(batch, JOURNAL, &journal.map_err(failed)?).map_err(failed)?;
    batch.open(".").and_then(|folder| folder.into_std().sync_all()).map_err(failed)
}

/// Writes a file that only its owner can read.
fn write(folder: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    options.mode(0o600);
    let mut file = folder.open_with(name, &options)?.into_std();
    file.write_all(bytes)?;
    file.sync_all()
}

/// The journal of a batch; `None` if it was not written completely, so that no edit was done.
fn read_journal(batch: &Dir) -> io::Result<Option<Journal>> {
    match batch.read(JOURNAL) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a text can be the name of a batch, so that it leads to no other folder.
fn is_id(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Single files are not interrupted.
static NEVER: AtomicBool = AtomicBool::new(false);

impl FileEdit {
    fn apply(&self) -> Result<(), BatchError> {
        if let Some(before) = &self.before {
            return Ok(replace(&self.path, before, &self.after, &NEVER)?);
        }
        make_folders(&self.path)?;
        Ok(create(&self.path, &self.after, &NEVER)?)
    }
}

impl Step {
    /// Undoes the step if it was done. Returns whether the file was restored, or `None` if there was nothing to undo.
    fn undo(&self, before: Option<&[u8]>) -> Result<Option<bool>, BatchError> {
        let failed = |source| ReplaceError::Write { path: self.path.clone(), source };
        let current = match std::fs::read(&self.path) {
            Ok(bytes) => Some(bytes),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
            Err(error) => return Err(failed(error).into()),
        };
        if current.as_deref() == before {
            self.remove_folders();
            return Ok(None);
        }
        let Some(current) = current.filter(|current| sha256(current) == self.after) else { return Ok(Some(false)) };
        if let Some(before) = before {
            replace(&self.path, &current, before, &NEVER)?;
        } else if let (Some(folder), Some(name)) = (self.path.parent(), self.path.file_name()) {
            let folder = Dir::open_ambient_dir(folder, ambient_authority()).map_err(failed)?;
            folder.remove_file(Path::new(name)).map_err(failed)?;
            self.remove_folders();
        }
        Ok(Some(true))
    }

    /// Removes the folders that were created for the file, if they are empty.
    fn remove_folders(&self) {
        for folder in self.made.iter().rev() {
            if let (Some(above), Some(name)) = (folder.parent(), folder.file_name())
                && let Ok(above) = Dir::open_ambient_dir(above, ambient_authority())
            {
                above.remove_dir(Path::new(name)).ok();
            }
        }
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
