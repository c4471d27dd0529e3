//! Single files of an output folder: what is at a path, and names that are given without taking them from anybody.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;

use super::hash::sha256;

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
