//! Replaces single files of the user atomically, and only if they still have the contents that were read.
//!
//! The new file is written beside the old one, with `.adl-0` appended to the name, so that a pattern such as `.env.*`,
//! which keeps secrets from being committed, also matches it. A file that was left by a killed run is removed by the
//! next one; a live run keeps its file locked.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use cap_std::ambient_authority;
#[cfg(unix)]
use cap_std::fs::OpenOptionsExt as _;
use cap_std::fs::{Dir, Metadata, OpenOptions};
use thiserror::Error;

use super::disk::{copy_attributes, place};

/// The number of names that are tried for the new file.
const NAMES: u32 = 100;

/// Why a file was not replaced. The file is unchanged in each case.
#[derive(Debug, Error)]
pub enum ReplaceError {
    /// The file no longer has the contents that the new ones are based on.
    #[error("`{}` was modified by another process", path.display())]
    Changed {
        /// The file as given.
        path: PathBuf,
    },
    /// The file is read-only.
    #[error("`{}` is read-only", path.display())]
    ReadOnly {
        /// The file as given.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file as given.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The user interrupted the run.
    #[error("interrupted")]
    Interrupted,
}

/// Replaces the contents `before` of the file at `path` with `after`.
///
/// If `path` is a symbolic link, its target is replaced. The mode is kept, and the owner if permitted. The new contents
/// are first written and synced to a separate file, which then replaces the old one atomically.
///
/// Linux and macOS can exchange two files, so that a version that another process saves at the last moment is detected
/// and restored. On other systems, and on file systems without this operation, such a version is lost if it is saved
/// between the last check and the rename. Moving the old file away first would avoid this, but a process killed at that
/// moment would leave no file at all.
pub fn replace(path: &Path, before: &[u8], after: &[u8], interrupted: &AtomicBool) -> Result<(), ReplaceError> {
    let failed = |source| ReplaceError::Write { path: path.to_owned(), source };
    let target = path.canonicalize().map_err(failed)?;
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    };
    let folder = Dir::open_ambient_dir(folder, ambient_authority()).map_err(failed)?;
    let name = Path::new(name);
    let metadata = folder.metadata(name).map_err(failed)?;
    if !metadata.is_file() {
        return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")));
    }
    if metadata.permissions().readonly() {
        return Err(ReplaceError::ReadOnly { path: path.to_owned() });
    }
    let staged = Staged::write(&folder, name, after, Some(&metadata)).map_err(failed)?;
    if interrupted.load(Ordering::Relaxed) {
        return Err(ReplaceError::Interrupted);
    }
    if folder.read(name).map_err(failed)? != before {
        return Err(ReplaceError::Changed { path: path.to_owned() });
    }
    if staged.replace(name, before).map_err(failed)? {
        Ok(())
    } else {
        Err(ReplaceError::Changed { path: path.to_owned() })
    }
}

/// Creates the file at `path`, readable and writable only by its owner. Its folder must exist.
///
/// The contents are first written and synced to a separate file, which is then moved to `path`. Fails with
/// [`ReplaceError::Changed`] if `path` exists.
pub fn create(path: &Path, bytes: &[u8], interrupted: &AtomicBool) -> Result<(), ReplaceError> {
    let failed = |source| ReplaceError::Write { path: path.to_owned(), source };
    let Some(name) = path.file_name().map(Path::new) else { return Err(failed(io::ErrorKind::IsADirectory.into())) };
    let folder = Dir::open_ambient_dir(folder_of(path), ambient_authority()).map_err(failed)?;
    let staged = Staged::write(&folder, name, bytes, None).map_err(failed)?;
    if interrupted.load(Ordering::Relaxed) {
        return Err(ReplaceError::Interrupted);
    }
    if place(&folder, &staged.name, name).map_err(failed)? {
        Ok(())
    } else {
        Err(ReplaceError::Changed { path: path.to_owned() })
    }
}

/// Creates the missing folders above `path`.
pub fn make_folders(path: &Path) -> Result<(), ReplaceError> {
    Dir::create_ambient_dir_all(folder_of(path), ambient_authority())
        .map_err(|source| ReplaceError::Write { path: path.to_owned(), source })
}

/// The folder that contains `path`.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file beside the target: the new version or, after an exchange, the old one. It is removed when dropped.
struct Staged<'a> {
    folder: &'a Dir,
    name: PathBuf,
    /// Whether the file may be removed. After an exchange, it can briefly be a version that another process has just
    /// saved.
    is_removed: bool,
    /// Kept open because it holds the lock.
    file: File,
}

impl<'a> Staged<'a> {
    fn write(folder: &'a Dir, name: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        options.mode(0o600);
        for number in 0..NAMES {
            let mut name = OsString::from(name);
            name.push(format!(".adl-{number}"));
            let name = PathBuf::from(name);
            if is_left_behind(folder, &name) {
                folder.remove_file(&name)?;
            }
            let file = match folder.open_with(&name, &options) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                result => result?.into_std(),
            };
            let mut staged = Self { folder, name, is_removed: true, file };
            // On file systems without locks, files of killed runs are not removed.
            staged.file.try_lock().ok();
            staged.file.write_all(bytes)?;
            if let Some(old) = old {
                copy_attributes(old, &staged.file)?;
            }
            staged.file.sync_all()?;
            return Ok(staged);
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Replaces the file `name`, which must have the contents `before`. Returns `false` and keeps the file if it does
    /// not.
    fn replace(mut self, name: &Path, before: &[u8]) -> io::Result<bool> {
        if exchange(self.folder, &self.name, name)? {
            if !self.folder.read(&self.name).is_ok_and(|bytes| bytes == before) {
                self.is_removed = false;
                self.is_removed = exchange(self.folder, &self.name, name)?;
                return Ok(false);
            }
        } else {
            self.folder.rename(&self.name, self.folder, name)?;
        }
        // The new contents are in place. Failing to flush the folder is not an error.
        self.folder.open(".").and_then(|folder| folder.into_std().sync_all()).ok();
        Ok(true)
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if self.is_removed {
            // This fails if the file was moved into place. After a hard link, it removes only the temporary name.
            self.folder.remove_file(&self.name).ok();
        }
    }
}

/// Whether the file was left by a killed run, that is, is not locked.
fn is_left_behind(folder: &Dir, name: &Path) -> bool {
    folder.symlink_metadata(name).is_ok_and(|metadata| metadata.is_file())
        && folder.open(name).is_ok_and(|file| file.into_std().try_lock().is_ok())
}

/// Exchanges two files of a folder atomically. Returns `false` if this is not supported.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(folder: &Dir, one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::io::Errno;
    match rustix::fs::renameat_with(folder, one, folder, other, rustix::fs::RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Exchanges two files of a folder atomically. Returns `false` if this is not supported.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(_folder: &Dir, _one: &Path, _other: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
#[path = "replace_tests.rs"]
mod tests;
