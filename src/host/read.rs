//! Reads whole files, and lists the files of a folder.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ignore::WalkBuilder;

/// The maximum size of a file in bytes.
pub const READ_LIMIT: u64 = 64 * 1024 * 1024;

/// How long to wait for a process that writes to a pipe. A shell starts one much faster.
pub const PIPE_PATIENCE: Duration = Duration::from_secs(5);

/// A file could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", path.display())]
pub struct ReadError {
    /// The path as given.
    pub path: PathBuf,
    /// The cause.
    #[source]
    pub problem: ReadProblem,
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadProblem {
    /// The file does not exist.
    #[error("it does not exist")]
    Missing,
    /// The path is a broken symbolic link.
    #[error("it is a broken symbolic link")]
    Dangling,
    /// The path is a directory.
    #[error("it is a directory")]
    Directory,
    /// The path is a device or a socket.
    #[error("it is not a file")]
    NoFile,
    /// The path is a pipe that no process has opened for writing within [`PIPE_PATIENCE`].
    #[error("no process writes to the pipe")]
    NoWriter,
    /// The file has more than [`READ_LIMIT`] bytes.
    #[error("it is too large")]
    TooLarge,
    /// Another I/O error.
    #[error(transparent)]
    Io(io::Error),
}

/// Reads a file, or a pipe such as `<(command)` in a shell, of at most [`READ_LIMIT`] bytes.
pub fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    read_limited(path).map_err(|problem| ReadError { path: path.to_owned(), problem })
}

fn read_limited(path: &Path) -> Result<Vec<u8>, ReadProblem> {
    let metadata = std::fs::metadata(path).map_err(|error| {
        let dangles = error.kind() == io::ErrorKind::NotFound && path.is_symlink();
        if dangles { ReadProblem::Dangling } else { problem(error) }
    })?;
    let file = match Kind::of(&metadata) {
        Kind::File => File::open(path).map_err(problem)?,
        Kind::Pipe => open_pipe(path)?,
        Kind::Directory => return Err(ReadProblem::Directory),
        Kind::Other => return Err(ReadProblem::NoFile),
    };
    let bytes = Vec::with_capacity(usize::try_from(metadata.len().min(READ_LIMIT)).unwrap_or(0));
    read_to_limit(file, bytes)
}

/// The type of a file, after following links.
enum Kind {
    File,
    Pipe,
    Directory,
    Other,
}

impl Kind {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        if std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type()) {
            return Self::Pipe;
        }
        match metadata {
            _ if metadata.is_file() => Self::File,
            _ if metadata.is_dir() => Self::Directory,
            _ => Self::Other,
        }
    }
}

/// Opens a pipe. This blocks until another process opens the other end, so it happens in a thread, which is abandoned
/// after [`PIPE_PATIENCE`].
fn open_pipe(path: &Path) -> Result<File, ReadProblem> {
    let (sender, receiver) = mpsc::channel();
    let path = path.to_owned();
    thread::spawn(move || sender.send(File::open(path)));
    receiver.recv_timeout(PIPE_PATIENCE).map_err(|_nobody| ReadProblem::NoWriter)?.map_err(problem)
}

/// Reads standard input to its end, at most [`READ_LIMIT`] bytes.
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

/// The first `limit` bytes of a file, or the whole file if it is smaller.
pub fn read_beginning(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether the path is a directory, after following links.
pub fn is_directory(path: &Path) -> bool {
    path.is_dir()
}

/// Whether the path is a regular file, after following links.
pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// The canonical path, without links, `.` and `..`.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Whether there is something at a path, through links or not.
pub fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether two paths refer to the same file.
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

/// The result of [`walk`].
#[derive(Debug, Default)]
pub struct Walked {
    /// The files found, sorted by path.
    pub files: Vec<PathBuf>,
    /// The files and folders that could not be read.
    pub errors: Vec<ReadError>,
}

/// Lists the files below `folder` whose extension is one of `extensions`.
///
/// Hidden files and folders are skipped, and files excluded by `.gitignore` and `.ignore` files in the folder, in
/// subfolders and in parent folders, even outside a repository. The user's global git configuration is ignored, so that
/// the result is the same on every machine. Links to files are listed; links to folders are not followed.
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
