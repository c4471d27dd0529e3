//! The files of a folder.

use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::{ReadError, ReadProblem};

/// What lies in a folder and in those below it.
#[derive(Debug, Default)]
pub struct Walked {
    /// The files, by path.
    pub files: Vec<PathBuf>,
    /// What could not be looked into.
    pub errors: Vec<ReadError>,
}

/// Lists the files below `folder` whose extension is one of `extensions`.
///
/// Left out are hidden files and folders, and what `.gitignore` and `.ignore` files of the folder, of those below it and of those
/// above it exclude, whether there is a repository or not. The user's own settings of git do not count, so that two machines see
/// the same files. Links to files are listed, links to folders are not followed.
pub fn walk(folder: &Path, extensions: &[&str]) -> Walked {
    let mut walked = Walked::default();
    let mut builder = WalkBuilder::new(folder);
    builder.require_git(false).git_global(false).git_exclude(false).sort_by_file_path(Path::cmp);
    for entry in builder.build() {
        match entry {
            Ok(entry) => {
                let path = entry.into_path();
                let extension = path.extension().and_then(|extension| extension.to_str());
                if extension.is_some_and(|extension| extensions.contains(&extension)) && path.is_file() {
                    walked.files.push(path);
                }
            }
            Err(error) => walked.errors.push(read_error(folder, error)),
        }
    }
    walked
}

fn read_error(folder: &Path, error: ignore::Error) -> ReadError {
    let path = path_of(&error).unwrap_or(folder).to_owned();
    let problem = error.into_io_error().unwrap_or_else(|| io::Error::other("its files cannot be listed"));
    ReadError { path, problem: ReadProblem::Io(problem) }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::Partial(_)
        | ignore::Error::Io(_)
        | ignore::Error::Glob { .. }
        | ignore::Error::UnrecognizedFileType(_)
        | ignore::Error::InvalidDefinition => None,
    }
}
