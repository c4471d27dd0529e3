//! New bytes for one file of the user's: all of them or none, and only over the bytes that were read.
//!
//! The new file is written beside the old one, under its name with `.adl-0` behind: what keeps `.env.*` from being committed keeps
//! that away too. One that a killed run has left is removed by the next; a run that is alive holds its own locked.

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

/// How many names are tried for the new file before it takes the old one's place.
const NAMES: u32 = 100;

/// Why a file was not replaced. It is as before, whatever the reason.
#[derive(Debug, Error)]
pub enum ReplaceError {
    /// It does not hold the bytes any more that the new ones were made from.
    #[error("`{}` was modified by another process", path.display())]
    Changed {
        /// The file as it was named.
        path: PathBuf,
    },
    /// It is marked as read-only.
    #[error("`{}` is read-only", path.display())]
    ReadOnly {
        /// The file as it was named.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file as it was named.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Replaces the contents of the file at `path`, which must still be `before`, by `after`.
///
/// A symbolic link stays, and the file that it leads to is replaced. Mode and, where the system lets us, owner are kept. The
/// new bytes are written and synced beside the file first, then take its place in one step.
///
/// Linux and macOS let two files change places, so that what somebody saves at the last moment is seen and put back. Elsewhere, and
/// on file systems that cannot do it, what is saved between the last look and the rename is lost: to move the old file away first
/// would close that gap of microseconds, but a kill in it would leave no file at all.
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

/// Makes the file at `path`, readable and writable by its owner alone; its folder is there and it is not.
///
/// The bytes are written and synced beside it first, then replace it in one step without losing another process's changes.
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

/// Makes the folders above `path` that are missing.
pub fn make_folders(path: &Path) -> Result<(), ReplaceError> {
    Dir::create_ambient_dir_all(folder_of(path), ambient_authority())
        .map_err(|source| ReplaceError::Write { path: path.to_owned(), source })
}

/// The folder that `path` lies in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file beside the one that is written: first the new one, then perhaps the old one. It is removed in the end.
struct Staged<'a> {
    folder: &'a Dir,
    name: PathBuf,
    /// Whether it can be deleted. It may briefly be a version that another process has just saved.
    is_removed: bool,
    /// Open as long as this is there, for it is locked.
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
            // A file system that cannot lock keeps what a killed run leaves behind.
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

    /// Takes the place of the file called `name`, which must hold `before`. `false`: it does not any more, and stays.
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
        // The new bytes are in their place; that the name lasts through a power cut is more than was asked.
        self.folder.open(".").and_then(|folder| folder.into_std().sync_all()).ok();
        Ok(true)
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if self.is_removed {
            // Gone already when it was moved into its place; a new file has its name beside this one.
            self.folder.remove_file(&self.name).ok();
        }
    }
}

/// Whether a killed run left the file: it is not locked.
fn is_left_behind(folder: &Dir, name: &Path) -> bool {
    folder.symlink_metadata(name).is_ok_and(|metadata| metadata.is_file())
        && folder.open(name).is_ok_and(|file| file.into_std().try_lock().is_ok())
}

/// Lets two files of a folder change places in one step. `false`: that cannot be done here.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(folder: &Dir, one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::io::Errno;
    match rustix::fs::renameat_with(folder, one, folder, other, rustix::fs::RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Lets two files of a folder change places in one step. `false`: that cannot be done here.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(_folder: &Dir, _one: &Path, _other: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
#[path = "replace_tests.rs"]
mod tests;
