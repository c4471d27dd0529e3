//! Writes an output folder atomically: the whole target or nothing.
//!
//! All new files and a [`Journal`] are first written and synced to `.adl/staging`. Then each old file is moved into the
//! staging folder and checked again, and the new file is linked into its place, which fails instead of overwriting.
//! Removing the journal completes the transaction. Before that, an error or a signal rolls everything back; after a
//! kill, the next run does.

use std::fmt;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[cfg(unix)]
use cap_std::fs::OpenOptionsExt as _;
use cap_std::fs::{Dir, OpenOptions};

use super::compare::compare;
use super::disk::{self, State, place};
use super::edit::{After, Comparison, Consulted, Mode};
use super::journal::{Journal, Kept, RolledBack};
use super::root::{Guard, PATIENCE, Root, restored, tolerate};
use super::{Change, FilesError, Target, staging};

/// How a run reports events and is interrupted.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// If set, the run stops and rolls back its changes.
    pub interrupted: &'a AtomicBool,
    /// Called immediately for each event.
    pub tell: &'a dyn Fn(&Event),
}

impl Control<'_> {
    pub(super) fn guard(&self) -> Result<(), FilesError> {
        if self.interrupted.load(Ordering::Relaxed) { Err(FilesError::Interrupted) } else { Ok(()) }
    }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("interrupted", self.interrupted).finish_non_exhaustive()
    }
}

/// An event that the user should know immediately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Another run is writing to the folder; this one waits up to ten seconds.
    Waiting,
    /// An earlier run was interrupted. Its changes were rolled back, except for files that were modified since.
    RolledBack(Vec<Kept>),
    /// The changes were rolled back, except for files that were modified since. The error of the run contains the
    /// cause, and the paths that could not be restored.
    Kept(Vec<Kept>),
}

/// Brings a folder to the target state and returns the change of each file, sorted by path.
///
/// Locks the folder, rolls back an earlier run that was killed, and compares the folder with the target.
///
/// # Errors
/// On each error the folder is unchanged, except for files that another process modified; these are reported to
/// `control`. If the rollback fails, the error is [`FilesError::NotRolledBack`].
pub fn apply(target: &Target, control: Control<'_>) -> Result<Vec<Change>, FilesError> {
    apply_guarded(target, &|| control.guard(), control.tell, PATIENCE)
}

fn apply_guarded(
    target: &Target,
    guard: Guard<'_>,
    tell: &dyn Fn(&Event),
    patience: Duration,
) -> Result<Vec<Change>, FilesError> {
    let root = Root::open_alone(&target.root, guard, &|| tell(&Event::Waiting), patience)?;
    let transaction = Transaction { root: &root.dir, guard };
    match transaction.run(target, tell) {
        Ok(changes) => Ok(changes),
        Err(cause) => Err(restored(cause, root.remove_made())),
    }
}

/// Rolls back the changes of a killed run in `root`.
fn recover(root: &Dir, guard: Guard<'_>, tell: &dyn Fn(&Event)) -> Result<(), FilesError> {
    if !staging::is_unfinished(root) {
        return Ok(());
    }
    let journal = Journal::load(root)
        .map_err(|source| FilesError::NotRecovered { left: vec![(staging::JOURNAL.to_owned(), source)] })?;
    let left = match journal {
        Some(journal) => {
            let RolledBack { kept, left } = roll_back(root, &journal, guard);
            if left.is_empty() {
                tell(&Event::RolledBack(kept));
            } else if !kept.is_empty() {
                tell(&Event::Kept(kept));
            }
            left
        }
        None => staging::clear(root, guard),
    };
    if left.is_empty() { Ok(()) } else { Err(FilesError::NotRecovered { left }) }
}

/// Rolls back the steps of a journal that were done, and removes the staging folder.
fn roll_back(root: &Dir, journal: &Journal, guard: Guard<'_>) -> RolledBack {
    let mut result = journal.roll_back(root, guard);
    if result.left.is_empty()
        && let Err(error) = disk::flush_folders(root, &journal.touched())
    {
        result.left.push((".".to_owned(), error));
    }
    if result.left.is_empty() {
        result.left = staging::clear(root, guard);
    }
    result
}

struct Transaction<'a> {
    root: &'a Dir,
    guard: Guard<'a>,
}

impl Transaction<'_> {
    fn run(&self, target: &Target, tell: &dyn Fn(&Event)) -> Result<Vec<Change>, FilesError> {
        (self.guard)()?;
        recover(self.root, self.guard, tell)?;
        let mut comparison = compare(Some(self.root), target)?;
        if comparison.changes.iter().any(|change| change.action.blocks()) {
            return Err(FilesError::Blocked { changes: comparison.changes });
        }
        if !comparison.edits.is_empty() {
            // Remove old names before creating new ones that a case-insensitive file system treats as equal.
            comparison.edits.sort_by_key(|edit| edit.after.is_some());
            self.write(&comparison, tell)?;
        }
        Ok(comparison.changes)
    }

    fn write(&self, comparison: &Comparison, tell: &dyn Fn(&Event)) -> Result<(), FilesError> {
        let journal = match self.stage(comparison) {
            Ok(journal) => journal,
            // No step has been done yet, so there is nothing to roll back.
            Err(cause) => return Err(restored(cause, staging::clear(self.root, self.guard))),
        };
        if let Err(cause) = self.carry_out(&journal, &comparison.consulted) {
            let RolledBack { kept, left } = roll_back(self.root, &journal, self.guard);
            if !kept.is_empty() {
                tell(&Event::Kept(kept));
            }
            return Err(restored(cause, left));
        }
        // All files are in place. If the staging folder cannot be removed now, the next run removes it.
        staging::clear(self.root, self.guard);
        Ok(())
    }

    /// Performs one step, unless the guard fails.
    fn step<T>(&self, path: &str, operation: impl FnOnce(&Dir) -> io::Result<T>) -> Result<T, FilesError> {
        (self.guard)()?;
        operation(self.root).map_err(|source| FilesError::Write { path: path.to_owned(), source: explained(source) })
    }

    /// Writes all new files and the journal to the staging folder.
    fn stage(&self, comparison: &Comparison) -> Result<Journal, FilesError> {
        for folder in [".adl", staging::FOLDER] {
            self.make_folder(folder)?;
        }
        for (index, edit) in comparison.edits.iter().enumerate() {
            if let Some(After { bytes, mode, .. }) = &edit.after {
                self.stage_file(&staging::new(index), bytes, mode)?;
            }
        }
        let journal = self.step(staging::JOURNAL, |root| Journal::new(root, comparison))?;
        self.stage_file(staging::JOURNAL, &journal.to_json(), &Mode::Plain)?;
        self.step(staging::FOLDER, disk::flush_all)?;
        Ok(journal)
    }

    fn stage_file(&self, path: &str, bytes: &[u8], mode: &Mode) -> Result<(), FilesError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        options.mode(match mode {
            Mode::Plain => 0o666,
            Mode::Executable => 0o777,
            Mode::Like(_) => 0o600,
        });
        let mut file = self.step(path, |root| Ok(root.open_with(path, &options)?.into_std()))?;
        self.step(path, |root| {
            file.write_all(bytes)?;
            if let Mode::Like(model) = mode {
                disk::copy_attributes(&root.metadata(model)?, &file)?;
            }
            disk::flush_file(&file)
        })
    }

    /// Moves the staged files into place, and checks that the consulted files have not changed.
    fn carry_out(&self, journal: &Journal, consulted: &[Consulted]) -> Result<(), FilesError> {
        let steps = || journal.steps.iter().enumerate();
        for (index, step) in steps().filter(|(_, step)| step.after.is_none()) {
            self.take(index, &step.path, step.before.as_deref())?;
        }
        for folder in journal.emptied().into_iter().rev() {
            self.step(folder, |root| tolerate(root.remove_dir(folder)))?;
        }
        for folder in &journal.made {
            self.make_folder(folder)?;
        }
        for (index, step) in steps().filter(|(_, step)| step.after.is_some()) {
            if step.before.is_some() {
                self.take(index, &step.path, step.before.as_deref())?;
            }
            self.place(&staging::new(index), &step.path)?;
        }
        self.step(".", |root| disk::flush_folders(root, &journal.touched()))?;
        for Consulted { path, hash } in consulted {
            if !self.step(path, |root| State::of(root, path))?.is(hash.as_deref()) {
                return Err(FilesError::Changed { path: path.clone() });
            }
        }
        self.step(staging::JOURNAL, staging::end)
    }

    fn make_folder(&self, path: &str) -> Result<(), FilesError> {
        self.step(path, |root| match root.create_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            result => result,
        })
    }

    /// Moves an old file into the staging folder. Fails if it differs from the file that was compared.
    fn take(&self, index: usize, path: &str, before: Option<&str>) -> Result<(), FilesError> {
        let old = staging::old(index);
        let is_same = self.step(path, |root| match root.rename(path, root, &old) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            result => result.and_then(|()| Ok(State::of(root, &old)?.is(before))),
        })?;
        if is_same { Ok(()) } else { Err(FilesError::Changed { path: path.to_owned() }) }
    }

    /// Moves a new file to `path`. Fails if something exists there.
    fn place(&self, staged: &str, path: &str) -> Result<(), FilesError> {
        let is_placed = self.step(path, |root| place(root, staged, path))?;
        if is_placed { Ok(()) } else { Err(FilesError::Changed { path: path.to_owned() }) }
    }
}

/// Explains an error if the system's message is not helpful: files cannot be moved atomically from `.adl/staging` to
/// another mount.
fn explained(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::CrossesDevices {
        let why = "a folder of the project is a mount point, so files cannot be moved into it from `.adl/staging`";
        return io::Error::new(error.kind(), why);
    }
    error
}

#[cfg(test)]
#[path = "transaction_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "kill_tests.rs"]
mod kills;
