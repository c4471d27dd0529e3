//! The files of an output folder in memory.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{PathError, check_path};
use crate::merge::Strategy;

/// The owner of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// `adl`: the file is updated when the manifest changes.
    Generated,
    /// The user: the file is only written if it does not exist.
    Seeded,
    /// Both: `adl` owns certain entries, the user owns the rest.
    Shared,
}

impl Owner {
    /// The name of the owner in the lock and in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Seeded => "seeded",
            Self::Shared => "shared",
        }
    }
}

/// A file: its bytes, owner and mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The contents of the file.
    pub bytes: Vec<u8>,
    /// Owner of the file.
    pub owner: Owner,
    /// How the file is merged if the user has edited it.
    pub strategy: Strategy,
    /// Whether the mode is 0755 instead of 0644, both less the umask.
    pub executable: bool,
}

/// The files of an output folder, sorted by path.
///
/// Paths are relative, use `/` as separator, and can coexist on every file system.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileTree {
    files: BTreeMap<String, Contents>,
    /// The lower-case form of every file and folder, with its actual spelling.
    taken: BTreeMap<String, Taken>,
    source: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Taken {
    spelling: String,
    is_file: bool,
}

impl FileTree {
    /// Creates an empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    ///
    /// # Errors
    /// Returns an error and leaves the tree unchanged if [`check_path`] rejects the path, or if the path cannot coexist
    /// with another one of the tree.
    pub fn insert(&mut self, path: &str, contents: Contents) -> Result<(), PathError> {
        check_path(path)?;
        let wanted = || folders(path).map(|folder| (folder, false)).chain([(path, true)]);
        for (spelling, is_file) in wanted() {
            if let Some(taken) = self.taken.get(&spelling.to_ascii_lowercase())
                && (is_file || taken.is_file || taken.spelling != spelling)
            {
                return Err(PathError::Taken { path: path.to_owned(), other: taken.spelling.clone() });
            }
        }
        for (spelling, is_file) in wanted() {
            self.taken.insert(spelling.to_ascii_lowercase(), Taken { spelling: spelling.to_owned(), is_file });
        }
        self.files.insert(path.to_owned(), contents);
        Ok(())
    }

    /// Declares that the tree was generated from the file at `path` inside the folder. That file is never written,
    /// moved or removed. It stays in the lock while it equals the text that was written last.
    pub fn set_source(&mut self, path: &str) {
        self.source = Some(path.to_owned());
    }

    /// Whether the tree was generated from the file at `path`.
    pub(super) fn is_source(&self, path: &str) -> bool {
        self.source.as_deref() == Some(path)
    }

    /// The file at `path`.
    pub fn get(&self, path: &str) -> Option<&Contents> {
        self.files.get(path)
    }

    /// All files, in byte order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Contents)> {
        self.files.iter().map(|(path, contents)| (path.as_str(), contents))
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the tree has no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// The folders above `path`, outermost first: `a` and `a/b` for `a/b/c`.
pub(super) fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(end, _)| path.get(..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents() -> Contents {
        Contents { bytes: b"x".to_vec(), owner: Owner::Generated, strategy: Strategy::Text, executable: false }
    }

    #[test]
    fn iterates_in_byte_order() {
        let mut tree = FileTree::new();
        for path in ["b", "a/z", "a.go", "a/b/c"] {
            tree.insert(path, contents()).unwrap();
        }
        assert_eq!(tree.iter().map(|(path, _)| path).collect::<Vec<_>>(), ["a.go", "a/b/c", "a/z", "b"]);
    }

    #[test]
    fn rejects_paths_that_cannot_coexist() {
        for (first, second) in [
            ("a", "a"),
            ("Readme.md", "README.md"),
            ("tools/a.go", "Tools/b.go"),
            ("a", "a/b"),
            ("a/b", "a"),
            ("A/b", "a"),
        ] {
            let mut tree = FileTree::new();
            tree.insert(first, contents()).unwrap();
            assert!(matches!(tree.insert(second, contents()), Err(PathError::Taken { .. })), "{first} {second}");
            assert_eq!(tree.len(), 1);
        }
    }
}
