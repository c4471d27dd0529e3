//! The one place that writes an output folder: all of a changeset, or nothing of it.
//!
//! Every new file is written and synced in `.adl/staging` first, then linked to its place, which fails rather than
//! overwrites. Each step is recorded with its undo; an error or a signal plays the record back. A run that is killed leaves
//! whole files only, and `.adl/staging`, which the next run clears away.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
use cap_std::fs::OpenOptionsExt as _;
use cap_std::fs::{Dir, OpenOptions};

use super::durable;
use super::inspect::{Found, look};
use super::plan::{Comparison, compare};
use super::root::{Guard, Root, restored, tolerate};
use super::tree::folders;
use super::{Action, Change, Changeset, Contents, FilesError, obstacles};

const STAGING: &str = ".adl/staging";
const LOCK_BEFORE: &str = ".adl/staging/before";

/// Carries out `changeset`, and returns what was done to each file, by path.
///
/// The folder is locked and compared anew first. `interrupted` is looked at between the steps: once it is set, what was done
/// is undone.
///
/// # Errors
/// Whatever it is, the folder is as it was before, and the error says so if even that failed.
pub fn apply(changeset: &Changeset, interrupted: &AtomicBool) -> Result<Vec<Change>, FilesError> {
    apply_guarded(changeset, &|| {
        if interrupted.load(Ordering::Relaxed) { Err(FilesError::Interrupted) } else { Ok(()) }
    })
}

fn apply_guarded(changeset: &Changeset, guard: Guard<'_>) -> Result<Vec<Change>, FilesError> {
    let root = Root::open_or_make(&changeset.root, guard)?;
    let mut transaction = Transaction { root: &root.dir, guard, lock: None, undo: Vec::new() };
    match transaction.run(changeset) {
        Ok(changes) => Ok(changes),
        // The folder is the other run's now, whoever made it.
        Err(busy @ FilesError::Busy { .. }) => Err(busy),
        Err(cause) => {
            let mut left = transaction.undo();
            left.extend(root.remove_made());
            Err(restored(cause, left))
        }
    }
}

struct Transaction<'a> {
    root: &'a Dir,
    guard: Guard<'a>,
    /// Keeps other runs out until it is dropped, with the transaction.
    lock: Option<File>,
    undo: Vec<Undo>,
}

/// How to take one step back.
enum Undo {
    RemoveFile(String),
    RemoveFolder(String),
    /// The first is renamed to the second.
    Restore(&'static str, String),
}

impl Transaction<'_> {
    fn run(&mut self, changeset: &Changeset) -> Result<Vec<Change>, FilesError> {
        (self.guard)()?;
        self.lock(changeset)?;
        self.clear_staging()?;
        let Comparison { changes, tree } = compare(self.root, &changeset.tree, &changeset.stamp, changeset.options)?;
        let obstacles = obstacles(&changes);
        if !obstacles.is_empty() {
            return Err(FilesError::InTheWay { obstacles });
        }
        let writes: Vec<_> = changes
            .iter()
            .filter(|change| change.action.writes())
            .filter_map(|change| Some((change, tree.get(&change.path)?)))
            .collect();
        if !writes.is_empty() {
            self.write(&writes)?;
        }
        Ok(changes)
    }

    /// Keeps other runs out. Some network file systems cannot lock a folder; there a second run is only kept from
    /// overwriting.
    fn lock(&mut self, changeset: &Changeset) -> Result<(), FilesError> {
        let failed = |source| FilesError::Folder { path: changeset.root.clone(), source };
        let folder = self.root.open(".").map_err(failed)?.into_std();
        match folder.try_lock() {
            Err(TryLockError::WouldBlock) => Err(FilesError::Busy { path: changeset.root.clone() }),
            Ok(()) | Err(TryLockError::Error(_)) => {
                self.lock = Some(folder);
                Ok(())
            }
        }
    }

    fn write(&mut self, writes: &[(&Change, &Contents)]) -> Result<(), FilesError> {
        self.make_folders(STAGING)?;
        self.make_folder(STAGING)?;
        let mut files = Vec::with_capacity(writes.len());
        for (index, (_, file)) in writes.iter().enumerate() {
            files.push(self.stage(&staged(index), file)?);
        }
        self.step(STAGING, |root| durable::files(root, &files))?;
        drop(files);
        // The lock names the other files, so it comes last.
        let (locks, files): (Vec<_>, Vec<_>) =
            writes.iter().enumerate().partition(|(_, (change, _))| change.path == super::LOCK_PATH);
        for (index, (change, _)) in files.into_iter().chain(locks) {
            self.make_folders(&change.path)?;
            if change.action == Action::Update {
                self.replace(&staged(index), &change.path)?;
            } else {
                self.place(&staged(index), &change.path)?;
            }
        }
        self.sync_folders(writes)?;
        // All is in its place. What cannot be cleared away now, the next run clears away.
        self.root.remove_dir_all(STAGING).ok();
        Ok(())
    }

    /// Does one step, once the guard lets it.
    fn step<T>(&self, path: &str, operation: impl FnOnce(&Dir) -> io::Result<T>) -> Result<T, FilesError> {
        (self.guard)()?;
        operation(self.root).map_err(|source| FilesError::Write { path: path.to_owned(), source })
    }

    /// Removes what a run that was killed has left.
    fn clear_staging(&self) -> Result<(), FilesError> {
        if look(self.root, STAGING).is_ok_and(|found| found == Found::Folder) {
            self.step(STAGING, |root| root.remove_dir_all(STAGING))?;
        }
        Ok(())
    }

    fn make_folders(&mut self, path: &str) -> Result<(), FilesError> {
        for folder in folders(path) {
            if !self.root.is_dir(folder) {
                self.make_folder(folder)?;
            }
        }
        Ok(())
    }

    fn make_folder(&mut self, path: &str) -> Result<(), FilesError> {
        self.step(path, |root| root.create_dir(path))?;
        self.undo.push(Undo::RemoveFolder(path.to_owned()));
        Ok(())
    }

    fn stage(&mut self, staged: &str, contents: &Contents) -> Result<cap_std::fs::File, FilesError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        options.mode(if contents.executable { 0o777 } else { 0o666 });
        let mut file = self.step(staged, |root| root.open_with(staged, &options))?;
        self.undo.push(Undo::RemoveFile(staged.to_owned()));
        self.step(staged, |_| file.write_all(&contents.bytes))?;
        Ok(file)
    }

    /// Puts a new file in its place, where nothing may be.
    fn place(&mut self, staged: &str, path: &str) -> Result<(), FilesError> {
        self.step(path, |root| match root.hard_link(staged, root, path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists && look(root, path)? == Found::Nothing => {
                // A file system without hard links.
                root.rename(staged, root, path)
            }
            result => result,
        })?;
        self.undo.push(Undo::RemoveFile(path.to_owned()));
        Ok(())
    }

    /// Puts a new lock in the place of the old one.
    fn replace(&mut self, staged: &str, path: &str) -> Result<(), FilesError> {
        self.undo.push(Undo::RemoveFile(LOCK_BEFORE.to_owned()));
        self.step(path, |root| root.copy(path, root, LOCK_BEFORE))?;
        self.step(path, |root| root.rename(staged, root, path))?;
        self.undo.push(Undo::Restore(LOCK_BEFORE, path.to_owned()));
        Ok(())
    }

    /// Makes the new names last through a power cut.
    fn sync_folders(&self, writes: &[(&Change, &Contents)]) -> Result<(), FilesError> {
        let touched: BTreeSet<&str> =
            writes.iter().flat_map(|(change, _)| folders(&change.path)).chain(["."]).collect();
        self.step(".", |root| durable::folders(root, &touched))
    }

    /// Takes every step back, newest first. Returns what could not be taken back.
    fn undo(&mut self) -> Vec<(String, io::Error)> {
        let mut left = Vec::new();
        while let Some(step) = self.undo.pop() {
            let (result, path) = match step {
                Undo::RemoveFile(path) => (tolerate(self.root.remove_file(&path)), path),
                Undo::RemoveFolder(path) => (tolerate(self.root.remove_dir(&path)), path),
                Undo::Restore(from, path) => (self.root.rename(from, self.root, &path), path),
            };
            if let Err(error) = result {
                left.push((path, error));
            }
        }
        left
    }
}

fn staged(index: usize) -> String {
    format!("{STAGING}/{index}")
}

#[cfg(test)]
#[path = "transaction_tests.rs"]
mod tests;
