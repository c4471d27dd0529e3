//! What a comparison comes to: the changes, and the edits of single files that make them.

use super::Change;
use super::text::sha256;

/// What would happen, and how.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    /// By path.
    pub(super) changes: Vec<Change>,
    /// What has to be done for it, removals and the rest in no order; nothing as long as a change blocks.
    pub(super) edits: Vec<Edit>,
    /// The folders that have to be made, outermost first.
    pub(super) folders: Vec<String>,
    /// Files that the comparison depends on and that no edit touches.
    pub(super) consulted: Vec<Consulted>,
}

/// A file that was read to decide about others.
#[derive(Debug)]
pub(super) struct Consulted {
    /// Below the output folder, with links followed.
    pub(super) path: String,
    /// Of its bytes; `None`: it was not there.
    pub(super) hash: Option<String>,
}

/// One file that a transaction writes, replaces or removes. A file that is moved is two of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    /// Below the output folder, with links followed.
    pub(super) path: String,
    /// Hash of the bytes that are there; `None`: nothing may be there.
    pub(super) before: Option<String>,
    /// What will be there; `None`: nothing.
    pub(super) after: Option<After>,
}

/// What will be at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct After {
    /// The whole file.
    pub(super) bytes: Vec<u8>,
    /// Of the bytes.
    pub(super) hash: String,
    /// Who may do what with it.
    pub(super) mode: Mode,
}

/// Who may do what with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    /// 0644, less the umask.
    Plain,
    /// 0755, less the umask.
    Executable,
    /// As the file at this path, links followed.
    Like(String),
}

impl After {
    /// These bytes, which are hashed here.
    pub(super) fn new(bytes: Vec<u8>, mode: Mode) -> Self {
        Self { hash: sha256(&bytes), bytes, mode }
    }
}

impl Edit {
    /// A file where none is.
    pub(super) fn create(path: &str, after: After) -> Self {
        Self { path: path.to_owned(), before: None, after: Some(after) }
    }

    /// Other bytes for a file whose bytes have the hash `before`.
    pub(super) fn replace(path: &str, before: String, after: After) -> Self {
        Self { path: path.to_owned(), before: Some(before), after: Some(after) }
    }

    /// No file any more; its bytes have the hash `before`.
    pub(super) fn remove(path: &str, before: String) -> Self {
        Self { path: path.to_owned(), before: Some(before), after: None }
    }
}
