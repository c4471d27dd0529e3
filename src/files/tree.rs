//! The files of an output folder, in memory.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{PathError, check_path};
use crate::merge::Strategy;

/// Whom a file of the output belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// Ours: follows the manifest.
    Generated,
    /// Written once, then the user's.
    Seeded,
    /// We own named entries, the user owns the rest.
    Shared,
}

impl Owner {
    /// The word for it, in the lock and in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Seeded => "seeded",
            Self::Shared => "shared",
        }
    }
}

/// One file: its bytes, whose it is, and whether it may be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// Whose it is.
    pub owner: Owner,
    /// How it is brought up to date where the user has edited it too.
    pub strategy: Strategy,
    /// Mode 0755 instead of 0644, both less the umask.
    pub executable: bool,
}

/// The files of an output folder by path, in byte order of the paths.
///
/// Paths are relative, have `/` between components and can exist together on every file system.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileTree {
    files: BTreeMap<String, Contents>,
    /// Lower-case form of every file and folder, with the spelling that is in use.
    taken: BTreeMap<String, Taken>,
    source: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Taken {
    spelling: String,
    is_file: bool,
}

impl FileTree {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    ///
    /// # Errors
    /// The path is not one that [`check_path`] accepts, or cannot exist beside one that is here already. The tree is
    /// then as before.
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

    /// Says that the tree was made from a file of the folder itself, at `path`. That is never written, moved or removed; as long as it
    /// is what we wrote last, it stays known.
    pub fn set_source(&mut self, path: &str) {
        self.source = Some(path.to_owned());
    }

    /// Whether the tree was made from the file at `path` of the folder.
    pub(super) fn is_source(&self, path: &str) -> bool {
        self.source.as_deref() == Some(path)
    }

    /// The file at `path`.
    pub fn get(&self, path: &str) -> Option<&Contents> {
        self.files.get(path)
    }

    /// Every file, in byte order of the paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Contents)> {
        self.files.iter().map(|(path, contents)| (path.as_str(), contents))
    }

    /// How many files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
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
    fn refuses_paths_that_cannot_exist_together() {
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
