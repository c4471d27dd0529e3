//! Operations on single files of an output folder: inspecting, placing without overwriting, copying attributes and
//! flushing to disk.
//!
//! On Linux, one call flushes the whole file system, which is much faster than one call for each file of a project.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::Path;

use cap_std::fs::{Dir, Metadata};

use super::text::sha256;

/// What exists at a path. Links are not followed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing, or a parent of the path is not a folder.
    Nothing,
    /// A regular file; the SHA-256 hash of its bytes.
    File(String),
    /// A folder, link, pipe, socket or device.
    Other,
}

impl State {
    /// Returns the state of `path`.
    pub(super) fn of(root: &Dir, path: &str) -> io::Result<Self> {
        match root.symlink_metadata(path) {
            // Opening anything other than a regular file could block forever.
            Ok(metadata) if metadata.is_file() => Ok(Self::File(sha256(&root.read(path)?))),
            Ok(_) => Ok(Self::Other),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(Self::Nothing)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether this is a file with this hash, or nothing if `hash` is `None`.
    pub(super) fn is(&self, hash: Option<&str>) -> bool {
        match self {
            Self::Nothing => hash.is_none(),
            Self::File(found) => hash == Some(found),
            Self::Other => false,
        }
    }
}

/// Whether anything exists at `path`.
pub(super) fn exists(root: &Dir, path: &str) -> bool {
    root.symlink_metadata(path).is_ok()
}

/// Whether two paths refer to the same file.
pub(super) fn is_same_file(root: &Dir, one: &str, other: &str) -> io::Result<bool> {
    let handle = |path| same_file::Handle::from_file(root.open(path)?.into_std());
    Ok(handle(one)? == handle(other)?)
}

/// Hard-links the file `from` to `to`, or renames it if the file system does not support hard links. Returns `false` if
/// `to` already exists.
pub(super) fn place(root: &Dir, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<bool> {
    let (from, to) = (from.as_ref(), to.as_ref());
    match root.hard_link(from, root, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(_) if root.symlink_metadata(to).is_err() => root.rename(from, root, to).map(|()| true),
        result => result.map(|()| true),
    }
}

/// Backup names for `path`, in order of preference: `PATH.orig`, `PATH.orig.2` and so on.
pub(super) fn backup_names(path: &str) -> impl Iterator<Item = String> {
    let first = format!("{path}.orig");
    let others = (2_u64..).map({
        let first = first.clone();
        move |number| format!("{first}.{number}")
    });
    std::iter::once(first).chain(others)
}

/// Copies the mode of a file to another, and its owner if permitted.
pub(super) fn copy_attributes(from: &Metadata, to: &File) -> io::Result<()> {
    copy_owner(from, to);
    to.set_permissions(from.permissions().into_std(to)?)
}

#[cfg(unix)]
fn copy_owner(from: &Metadata, to: &File) {
    use cap_std::fs::MetadataExt as _;
    std::os::unix::fs::fchown(to, Some(from.uid()), Some(from.gid())).ok();
}

#[cfg(not(unix))]
fn copy_owner(_: &Metadata, _: &File) {}

/// Flushes one file to disk, unless [`flush_all`] does.
pub(super) fn flush_file(file: &File) -> io::Result<()> {
    if cfg!(target_os = "linux") { Ok(()) } else { file.sync_all() }
}

/// Flushes all writes to disk.
#[cfg(target_os = "linux")]
pub(super) fn flush_all(root: &Dir) -> io::Result<()> {
    // `root` itself is opened with `O_PATH`, which `syncfs` does not accept.
    Ok(rustix::fs::syncfs(root.open(".")?)?)
}

/// Flushes all writes to disk.
#[cfg(not(target_os = "linux"))]
pub(super) fn flush_all(_root: &Dir) -> io::Result<()> {
    Ok(())
}

/// Flushes the entries of folders to disk.
pub(super) fn flush_folders(root: &Dir, paths: &BTreeSet<&str>) -> io::Result<()> {
    if cfg!(target_os = "linux") { flush_all(root) } else { paths.iter().try_for_each(|path| flush_folder(root, path)) }
}

/// Flushes the entries of one folder to disk, if the system supports it. A missing folder is not an error.
pub(super) fn flush_folder(root: &Dir, path: &str) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, NotFound, Unsupported};
    match root.open(path).and_then(|folder| folder.sync_all()) {
        Err(error) if cfg!(not(unix)) || matches!(error.kind(), InvalidInput | NotFound | Unsupported) => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flushing_a_missing_folder_succeeds() {
        let scratch = tempfile::tempdir().unwrap();
        let root = Dir::open_ambient_dir(scratch.path(), cap_std::ambient_authority()).unwrap();
        root.create_dir("a").unwrap();
        for path in [".", "a", "a/gone", "gone"] {
            flush_folder(&root, path).unwrap();
        }
    }
}
