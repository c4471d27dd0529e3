//! The output folder itself: opens it, or creates it and its missing parents, and locks it.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::{Control, Event, FilesError};

/// The interval between attempts to lock the folder.
const POLL: Duration = Duration::from_millis(50);

/// How long a run waits for another one before it fails.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Called before every step that changes the disk. An error aborts the transaction.
pub(super) type Guard<'a> = &'a dyn Fn() -> Result<(), FilesError>;

/// Where the output folder is or would be.
pub(super) enum Place {
    /// The folder exists. If its path is a symbolic link, this is the target.
    There(Dir),
    /// The folder does not exist: its nearest existing ancestor, and the missing path below that.
    Missing { above: Dir, missing: PathBuf },
}

/// Finds the output folder without creating it.
pub(super) fn find(path: &Path) -> Result<Place, FilesError> {
    let failed = |source| FilesError::Folder { path: path.to_owned(), source };
    if let Some(folder) = reserved_folder(path) {
        let why = format!("it lies in a folder `{folder}`, which is reserved");
        return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, why)));
    }
    let absent = match open(path) {
        Ok(dir) => return Ok(Place::There(dir)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => error,
        Err(error) => return Err(failed(error)),
    };
    for ancestor in path.ancestors().skip(1) {
        match open(ancestor) {
            Ok(above) => {
                let missing = path.strip_prefix(ancestor).unwrap_or(path);
                if !missing.components().all(|component| matches!(component, Component::Normal(_))) {
                    return Err(failed(absent));
                }
                return Ok(Place::Missing { above, missing: missing.to_owned() });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Err(failed(absent))
}

/// The reserved folder (`.adl` or `.git`) that `path` is or lies in, as given or after following links.
fn reserved_folder(path: &Path) -> Option<&'static str> {
    let real = path.ancestors().find_map(|above| {
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        above.canonicalize().ok()
    });
    let is_in = |folder: &&str| {
        let paths = [Some(path), real.as_deref()].into_iter().flatten();
        paths.flat_map(Path::components).any(|component| component.as_os_str().eq_ignore_ascii_case(folder))
    };
    [".adl", ".git"].into_iter().find(is_in)
}

fn open(path: &Path) -> io::Result<Dir> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    Dir::open_ambient_dir(path, ambient_authority())
}

/// An open output folder, and the folders that were created for it.
pub(super) struct Root {
    pub(super) dir: Dir,
    _lock: Option<FolderLock>,
    made: Option<Made>,
}

/// Keeps other runs out of a folder until dropped. Some network file systems cannot lock a folder; there, concurrent
/// runs only do not overwrite each other's files.
#[derive(Debug)]
pub struct FolderLock {
    _folder: File,
}

impl FolderLock {
    /// Locks the existing folder at `path` like [`apply`](super::apply).
    ///
    /// # Errors
    /// Returns an error if the folder cannot be opened, if another run holds the lock for too long, or if the user
    /// interrupts.
    pub fn take(path: &Path, control: Control<'_>) -> Result<Self, FilesError> {
        let guard = || control.guard();
        wait(path, &guard, &|| (control.tell)(&Event::Waiting), PATIENCE, || {
            let dir = open(path).map_err(|source| FilesError::Folder { path: path.to_owned(), source })?;
            lock(path, &dir)
        })
    }
}

/// Returns `None` if another run holds the lock.
fn lock(path: &Path, dir: &Dir) -> Result<Option<FolderLock>, FilesError> {
    let folder = dir.open(".").map_err(|source| FilesError::Folder { path: path.to_owned(), source })?.into_std();
    Ok(match folder.try_lock() {
        Ok(()) | Err(TryLockError::Error(_)) => Some(FolderLock { _folder: folder }),
        Err(TryLockError::WouldBlock) => None,
    })
}

/// Retries while another run holds the lock: calls `waiting` once and fails after `patience`.
fn wait<T>(
    path: &Path,
    guard: Guard<'_>,
    waiting: &dyn Fn(),
    patience: Duration,
    attempt: impl Fn() -> Result<Option<T>, FilesError>,
) -> Result<T, FilesError> {
    let mut waited = Duration::ZERO;
    loop {
        if let Some(done) = attempt()? {
            return Ok(done);
        }
        if waited >= patience {
            return Err(FilesError::Busy { path: path.to_owned() });
        }
        if waited.is_zero() {
            waiting();
        }
        guard()?;
        std::thread::sleep(POLL);
        waited += POLL;
    }
}

struct Made {
    above: Dir,
    /// Outermost first.
    folders: Vec<PathBuf>,
}

impl Root {
    /// Opens and locks the output folder, creating it if necessary. If this fails, created folders are removed.
    ///
    /// Waits for another run. The folder is opened again for each attempt, because the other run may have removed it.
    pub(super) fn open_alone(
        path: &Path,
        guard: Guard<'_>,
        waiting: &dyn Fn(),
        patience: Duration,
    ) -> Result<Self, FilesError> {
        wait(path, guard, waiting, patience, || {
            let root = Self::open_or_create(path, guard)?;
            // If another run has locked the folder, it owns the folder, even if this run created it.
            Ok(lock(path, &root.dir)?.map(|lock| Self { _lock: Some(lock), ..root }))
        })
    }

    fn open_or_create(path: &Path, guard: Guard<'_>) -> Result<Self, FilesError> {
        let (above, missing) = match find(path)? {
            Place::There(dir) => return Ok(Self { dir, _lock: None, made: None }),
            Place::Missing { above, missing } => (above, missing),
        };
        let mut made = Made { above, folders: Vec::new() };
        match made.make(path, &missing, guard) {
            Ok(dir) => Ok(Self { dir, _lock: None, made: Some(made) }),
            Err(cause) => Err(restored(cause, made.remove())),
        }
    }

    /// Removes the folders that were created. Returns the paths that could not be removed, each with the cause.
    pub(super) fn remove_made(self) -> Vec<(String, io::Error)> {
        self.made.map_or_else(Vec::new, Made::remove)
    }
}

impl Made {
    fn make(&mut self, path: &Path, missing: &Path, guard: Guard<'_>) -> Result<Dir, FilesError> {
        let failed = |source| FilesError::Folder { path: path.to_owned(), source };
        let mut folder = PathBuf::new();
        for component in missing {
            folder.push(component);
            guard()?;
            match self.above.create_dir(&folder) {
                Ok(()) => self.folders.push(folder.clone()),
                // Another run created the folder, so this run must not remove it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
        }
        guard()?;
        self.above.open_dir(missing).map_err(failed)
    }

    fn remove(self) -> Vec<(String, io::Error)> {
        let remove = |folder: &PathBuf| {
            tolerate(self.above.remove_dir(folder)).err().map(|error| (folder.display().to_string(), error))
        };
        self.folders.iter().rev().filter_map(remove).collect()
    }
}

/// The error to report if `cause` was followed by a rollback that left `left` behind.
pub(super) fn restored(cause: FilesError, left: Vec<(String, io::Error)>) -> FilesError {
    if left.is_empty() { cause } else { FilesError::NotRolledBack { cause: Box::new(cause), left } }
}

/// Ignores the errors that are expected in a rollback: a file that is already gone, and a folder that is not empty.
pub(super) fn tolerate(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) => Ok(()),
        other => other,
    }
}
