use super::hash::sha256;

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

impl Edit {
    /// A file where none is.
    pub(super) fn create(path: &str, bytes: &[u8], mode: Mode) -> Self {
        Self { path: path.to_owned(), before: None, after: Some(After { bytes: bytes.to_vec(), mode }) }
    }

    /// Other bytes for a file; its mode stays.
    pub(super) fn replace(path: &str, before: &[u8], after: &[u8]) -> Self {
        let after = After { bytes: after.to_vec(), mode: Mode::Like(path.to_owned()) };
        Self { path: path.to_owned(), before: Some(sha256(before)), after: Some(after) }
    }

    /// No file any more.
    pub(super) fn remove(path: &str, before: &[u8]) -> Self {
        Self { path: path.to_owned(), before: Some(sha256(before)), after: None }
    }
}
