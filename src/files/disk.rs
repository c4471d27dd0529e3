//! Single files of an output folder: what is at a path, names that are given without taking them from anybody, attributes that are
//! kept, and writes that last through a power cut.
//!
//! Linux flushes a whole file system in one call, which for a project's files costs a fraction of a call for each of them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::Path;

use cap_std::fs::{Dir, Metadata};

use super::text::sha256;

/// What is at a path. Links are not followed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing, or a file where a folder above it would have to be.
    Nothing,
    /// A file with bytes of this hash.
    File(String),
    /// A folder, link, pipe, socket or device.
    Other,
}

impl State {
    /// Looks at `path`.
    pub(super) fn of(root: &Dir, path: &str) -> io::Result<Self> {
        match root.symlink_metadata(path) {
            // Opening anything else could wait for ever.
            Ok(metadata) if metadata.is_file() => Ok(Self::File(sha256(&root.read(path)?))),
            Ok(_) => Ok(Self::Other),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(Self::Nothing)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether it is a file with this hash, or nothing where that is `None`.
    pub(super) fn is(&self, hash: Option<&str>) -> bool {
        match self {
            Self::Nothing => hash.is_none(),
            Self::File(found) => hash == Some(found),
            Self::Other => false,
        }
    }
}

/// Whether anything is at `path`.
pub(super) fn exists(root: &Dir, path: &str) -> bool {
    root.symlink_metadata(path).is_ok()
}

/// Whether two paths name one and the same file.
pub(super) fn is_same_file(root: &Dir, one: &str, other: &str) -> io::Result<bool> {
    let handle = |path| same_file::Handle::from_file(root.open(path)?.into_std());
    Ok(handle(one)? == handle(other)?)
}

/// Gives the file at `from` the name `to` too, or `to` alone where the file system has no hard links. `false`: something has that
/// name already.
pub(super) fn place(root: &Dir, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<bool> {
    let (from, to) = (from.as_ref(), to.as_ref());
    match root.hard_link(from, root, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(_) if root.symlink_metadata(to).is_err() => root.rename(from, root, to).map(|()| true),
        result => result.map(|()| true),
    }
}

/// The names for what stood at `path` and has to give way, best first: `PATH.orig`, `PATH.orig.2` and so on.
pub(super) fn backup_names(path: &str) -> impl Iterator<Item = String> {
    let first = format!("{path}.orig");
    let others = (2_u64..).map({
        let first = first.clone();
        move |number| format!("{first}.{number}")
    });
    std::iter::once(first).chain(others)
}

/// Gives a file the mode of another and, where the system lets us, its owner.
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

/// Makes the bytes of one file last, where [`flush_all`] does not.
pub(super) fn flush_file(file: &File) -> io::Result<()> {
    if cfg!(target_os = "linux") { Ok(()) } else { file.sync_all() }
}

/// Makes everything that was written last.
#[cfg(target_os = "linux")]
pub(super) fn flush_all(root: &Dir) -> io::Result<()> {
    // The handle of the folder itself only names it; the call wants one that is open.
    Ok(rustix::fs::syncfs(root.open(".")?)?)
}

/// Makes everything that was written last.
#[cfg(not(target_os = "linux"))]
pub(super) fn flush_all(_root: &Dir) -> io::Result<()> {
    Ok(())
}

/// Makes the names in folders last.
pub(super) fn flush_folders(root: &Dir, paths: &BTreeSet<&str>) -> io::Result<()> {
    if cfg!(target_os = "linux") { flush_all(root) } else { paths.iter().try_for_each(|path| flush_folder(root, path)) }
}

/// Makes the names in one folder last, where the system can. One that is gone has no names.
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
    fn a_folder_that_was_removed_is_no_failure() {
        let scratch = tempfile::tempdir().unwrap();
        let root = Dir::open_ambient_dir(scratch.path(), cap_std::ambient_authority()).unwrap();
        root.create_dir("a").unwrap();
        for path in [".", "a", "a/gone", "gone"] {
            flush_folder(&root, path).unwrap();
        }
    }
}
