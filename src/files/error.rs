use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::{Change, PathError};

/// Why an output folder could not be compared or written.
///
/// Unless the error is [`FilesError::NotRolledBack`], the folder is unchanged, except for files reported with
/// [`Event::Kept`](super::Event::Kept).
#[derive(Debug, Error)]
pub enum FilesError {
    /// The output folder, or a folder above it, cannot be opened.
    #[error("cannot use `{}` as the output folder", path.display())]
    Folder {
        /// The folder as given.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A path of the tree is not allowed in an output folder.
    #[error(transparent)]
    Path(#[from] PathError),
    /// An existing file or folder cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// Path relative to the output folder.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// There are obstacles or unresolved conflicts.
    #[error("blocked files: {}", changes.iter().filter(|change| change.action.blocks()).count())]
    Blocked {
        /// The changes of all files, sorted by path.
        changes: Vec<Change>,
    },
    /// Another process modified a file during this run.
    #[error("`{path}` was modified by another process")]
    Changed {
        /// Path relative to the output folder.
        path: String,
    },
    /// Another run is writing to the same folder.
    #[error("another run is writing to `{}`", path.display())]
    Busy {
        /// The output folder.
        path: PathBuf,
    },
    /// A folder or file cannot be written.
    #[error("cannot write `{path}`")]
    Write {
        /// Path relative to the output folder, or of the folder itself.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// An earlier run was interrupted, and its changes cannot be rolled back.
    #[error("an earlier run could not be rolled back")]
    NotRecovered {
        /// The paths that could not be restored, each with the cause.
        left: Vec<(String, io::Error)>,
    },
    /// The user interrupted the run.
    #[error("interrupted")]
    Interrupted,
    /// The run failed, and rolling it back failed too.
    #[error("the changes could not be rolled back")]
    NotRolledBack {
        /// The first error.
        #[source]
        cause: Box<Self>,
        /// The paths that could not be restored, each with the cause.
        left: Vec<(String, io::Error)>,
    },
}
