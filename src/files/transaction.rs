//! The one place that writes an output folder: all of a target, or nothing of it.
//!
//! Every new file is written and synced in `.adl/staging` first, and with them a [`Journal`]. Then each old file is moved into the
//! staging, looked at once more, and the new one linked into its place, which fails rather than overwrites. The removal of the journal
//! is the one moment at which the new state counts; until then an error or a signal rolls everything back, and so does the run after
//! one that was killed.

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

/// How a run is watched and stopped.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Once it is set, what was done is rolled back.
    pub interrupted: &'a AtomicBool,
    /// Told at once what the user should know.
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

/// Something that the user should know at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Another run is writing to the folder; this one waits up to ten seconds.
    Waiting,
    /// An earlier run was interrupted. Its changes were rolled back, except for files that were modified since.
    RolledBack(Vec<Kept>),
    /// The changes are rolled back, except for files that were modified since. The error says why, and what was not restored.
    Kept(Vec<Kept>),
}

/// Makes a folder what it is to become, and returns what was done to each file, by path.
///
/// The folder is locked, what a killed run has left is rolled back, and the target compared with what is there.
///
/// # Errors
/// In each case the folder is unchanged, except for files that another process modified; `control` is notified of these.
/// The error says so if even that failed.
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

/// Rolls back what a run that was killed has done in `root`.
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

/// Rolls back what has been done of a journal, and clears away what it was done with.
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
            // A name that goes must be gone before one comes that some file systems hold for the same.
            comparison.edits.sort_by_key(|edit| edit.after.is_some());
            self.write(&comparison, tell)?;
        }
        Ok(comparison.changes)
    }

    fn write(&self, comparison: &Comparison, tell: &dyn Fn(&Event)) -> Result<(), FilesError> {
        let journal = match self.stage(comparison) {
            Ok(journal) => journal,
            // Nothing has been done that could be rolled back.
            Err(cause) => return Err(restored(cause, staging::clear(self.root, self.guard))),
        };
        if let Err(cause) = self.carry_out(&journal, &comparison.consulted) {
            let RolledBack { kept, left } = roll_back(self.root, &journal, self.guard);
            if !kept.is_empty() {
                tell(&Event::Kept(kept));
            }
            return Err(restored(cause, left));
        }
        // All is in its place. What cannot be cleared away now, the next run clears away.
        staging::clear(self.root, self.guard);
        Ok(())
    }

    /// Does one step, once the guard lets it.
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

    /// Makes what is staged visible, provided that the files which it was decided with are as they were.
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

    /// Moves an old file into the staging. It must be the one that was compared.
    fn take(&self, index: usize, path: &str, before: Option<&str>) -> Result<(), FilesError> {
        let old = staging::old(index);
        let is_same = self.step(path, |root| match root.rename(path, root, &old) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            result => result.and_then(|()| Ok(State::of(root, &old)?.is(before))),
        })?;
        if is_same { Ok(()) } else { Err(FilesError::Changed { path: path.to_owned() }) }
    }

    /// Puts a new file in its place, where nothing may be.
    fn place(&self, staged: &str, path: &str) -> Result<(), FilesError> {
        let is_placed = self.step(path, |root| place(root, staged, path))?;
        if is_placed { Ok(()) } else { Err(FilesError::Changed { path: path.to_owned() }) }
    }
}

/// The error with what the system does not say: files are moved between `.adl/staging` and their places in one step, which no
/// system does from one mount to another.
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
