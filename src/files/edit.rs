//! The result of a comparison: the changes, and the edits of single files that implement them.

use super::Change;
use super::text::sha256;

/// The result of a comparison.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    /// The changes, sorted by path.
    pub(super) changes: Vec<Change>,
    /// The edits, in no particular order. Empty if a change blocks.
    pub(super) edits: Vec<Edit>,
    /// The folders to create, outermost first.
    pub(super) folders: Vec<String>,
    /// Files that the comparison depends on but no edit changes.
    pub(super) consulted: Vec<Consulted>,
}

/// A file that was read to decide about others.
#[derive(Debug)]
pub(super) struct Consulted {
    /// Path relative to the output folder, with links followed.
    pub(super) path: String,
    /// Hash of the file; `None` if it did not exist.
    pub(super) hash: Option<String>,
}

/// One file that a transaction writes, replaces or removes. Moving a file takes two edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    /// Path relative to the output folder, with links followed.
    pub(super) path: String,
    /// Expected hash of the current contents; `None` if the file must not exist.
    pub(super) before: Option<String>,
    /// The new file; `None` to remove it.
    pub(super) after: Option<After>,
}

/// The new contents and mode of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct After {
    /// The whole contents.
    pub(super) bytes: Vec<u8>,
    /// Hash of the contents.
    pub(super) hash: String,
    /// The mode of the file.
    pub(super) mode: Mode,
}

/// The mode of a new file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    /// 0644, less the umask.
    Plain,
    /// 0755, less the umask.
    Executable,
    /// The attributes of the file at this path, with links followed.
    Like(String),
}

impl After {
    /// Creates the new state of a file and hashes `bytes`.
    pub(super) fn new(bytes: Vec<u8>, mode: Mode) -> Self {
        Self { hash: sha256(&bytes), bytes, mode }
    }
}

impl Edit {
    /// Creates a file.
    pub(super) fn create(path: &str, after: After) -> Self {
        Self { path: path.to_owned(), before: None, after: Some(after) }
    }

    /// Replaces a file whose contents have the hash `before`.
    pub(super) fn replace(path: &str, before: String, after: After) -> Self {
        Self { path: path.to_owned(), before: Some(before), after: Some(after) }
    }

    /// Removes a file whose contents have the hash `before`.
    pub(super) fn remove(path: &str, before: String) -> Self {
        Self { path: path.to_owned(), before: Some(before), after: None }
    }
}
