//! The files that a plan reads and changes, each read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::McpError;
use crate::files::{FileEdit, sha256};
use crate::host::{self, ReadProblem};

/// Files with the contents on the disk and those after the plan.
#[derive(Default)]
pub(super) struct Texts {
    files: BTreeMap<PathBuf, Text>,
}

struct Text {
    before: Option<String>,
    after: Option<String>,
}

impl Texts {
    /// The planned contents of a file; `None` if there is no file.
    pub(super) fn get(&mut self, path: &Path) -> Result<Option<&str>, McpError> {
        let path = real(path);
        if !self.files.contains_key(&path) {
            let before = match host::read(&path) {
                Ok(bytes) => {
                    let text = String::from_utf8(bytes);
                    Some(text.map_err(|_invalid| McpError::unreadable(&path, "it is not UTF-8 text"))?)
                }
                Err(error) if matches!(error.problem, ReadProblem::Missing) => None,
                Err(error) => return Err(McpError::unreadable(&path, &error.problem.to_string())),
            };
            self.files.insert(path.clone(), Text { after: before.clone(), before });
        }
        Ok(self.files.get(&path).and_then(|text| text.after.as_deref()))
    }

    /// Plans new contents. The file must have been read.
    pub(super) fn set(&mut self, path: &Path, text: String) {
        if let Some(file) = self.files.get_mut(&real(path)) {
            file.after = Some(text);
        }
    }

    /// The changes.
    pub(super) fn edits(&self) -> Vec<FileEdit> {
        let changed = self.files.iter().filter(|(_, text)| text.after != text.before);
        let edit = |(path, text): (&PathBuf, &Text)| FileEdit {
            path: path.clone(),
            before: text.before.clone().map(String::into_bytes),
            after: text.after.clone().unwrap_or_default().into_bytes(),
        };
        changed.map(edit).collect()
    }
}

/// Identifies edits by what they read and write, in 16 hex digits.
pub(super) fn token(edits: &[FileEdit]) -> String {
    let line = |edit: &FileEdit| {
        let before = edit.before.as_deref().map(sha256).unwrap_or_default();
        format!("{}\0{before}\0{}\n", edit.path.display(), sha256(&edit.after))
    };
    let text: String = edits.iter().map(line).collect();
    let mut token = sha256(format!("{}\n{text}", env!("CARGO_PKG_VERSION")).as_bytes());
    token.truncate(16);
    token
}

/// The path without links, so that a file is read and written once.
fn real(path: &Path) -> PathBuf {
    if let Ok(path) = host::real_path(path) {
        return path;
    }
    match (path.parent().map(real), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
