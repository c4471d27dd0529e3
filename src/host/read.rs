//! Reading one file whole.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The largest file that is read, in bytes: far above any manifest, far below what a machine holds.
pub const READ_LIMIT: u64 = 64 * 1024 * 1024;

/// A file could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", path.display())]
pub struct ReadError {
    /// The file as it was named.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub problem: ReadProblem,
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadProblem {
    /// There is nothing under this name.
    #[error("it does not exist")]
    Missing,
    /// The name belongs to a directory.
    #[error("it is a directory")]
    Directory,
    /// It has more than [`READ_LIMIT`] bytes.
    #[error("it is too large")]
    TooLarge,
    /// The system refused.
    #[error(transparent)]
    Io(io::Error),
}

/// Reads a file of at most [`READ_LIMIT`] bytes.
pub fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    read_limited(path).map_err(|problem| ReadError { path: path.to_owned(), problem })
}

fn read_limited(path: &Path) -> Result<Vec<u8>, ReadProblem> {
    let file = File::open(path).map_err(problem)?;
    let metadata = file.metadata().map_err(problem)?;
    if metadata.is_dir() {
        return Err(ReadProblem::Directory);
    }
    let bytes = Vec::with_capacity(usize::try_from(metadata.len().min(READ_LIMIT)).unwrap_or(0));
    read_to_limit(file, bytes)
}

/// Reads at most [`READ_LIMIT`] bytes from standard input, up to its end.
pub fn read_standard_input() -> Result<Vec<u8>, ReadError> {
    let result = read_to_limit(io::stdin().lock(), Vec::new());
    result.map_err(|problem| ReadError { path: PathBuf::from("<stdin>"), problem })
}

fn read_to_limit(source: impl io::Read, mut bytes: Vec<u8>) -> Result<Vec<u8>, ReadProblem> {
    source.take(READ_LIMIT + 1).read_to_end(&mut bytes).map_err(problem)?;
    if bytes.len() as u64 > READ_LIMIT {
        return Err(ReadProblem::TooLarge);
    }
    Ok(bytes)
}

/// The first `limit` bytes of a file, or all of a smaller one.
pub fn read_beginning(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether the path leads to a directory, through links or not.
pub fn is_directory(path: &Path) -> bool {
    path.is_dir()
}

/// Whether the path leads to a file, through links or not.
pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// Whether two paths lead to one file, by links or names of any kind.
pub fn is_same_file(path: &Path, other: &Path) -> bool {
    same_file::is_same_file(path, other).unwrap_or(false)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others need no words of their own")]
fn problem(error: io::Error) -> ReadProblem {
    match error.kind() {
        io::ErrorKind::NotFound => ReadProblem::Missing,
        io::ErrorKind::IsADirectory => ReadProblem::Directory,
        _ => ReadProblem::Io(error),
    }
}
