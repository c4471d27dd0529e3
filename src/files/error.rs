use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::{Change, PathError};

/// Why an output folder could not be compared or written. Unless it is [`FilesError::NotRolledBack`], the disk is as before
/// this run, but for what [`Event::Kept`](super::Event::Kept) has told.
#[derive(Debug, Error)]
pub enum FilesError {
    /// The output folder, or a folder above it, cannot be opened.
    #[error("cannot use `{}` as the output folder", path.display())]
    Folder {
        /// The folder as given.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A path of the tree is not one that an output folder can hold.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Something that is there cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// Below the output folder.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// There are obstacles or unresolved conflicts.
    #[error("blocked files: {}", changes.iter().filter(|change| change.action.blocks()).count())]
    Blocked {
        /// Every file, by path.
        changes: Vec<Change>,
    },
    /// Another process modified a file during this run.
    #[error("`{path}` was modified by another process")]
    Changed {
        /// Below the output folder.
        path: String,
    },
    /// Another run writes to the same folder.
    #[error("another run is writing to `{}`", path.display())]
    Busy {
        /// The output folder.
        path: PathBuf,
    },
    /// A folder or file cannot be made.
    #[error("cannot write `{path}`")]
    Write {
        /// Below the output folder, or the folder itself.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// An earlier run was interrupted, and what it did cannot be rolled back.
    #[error("an earlier run could not be rolled back")]
    NotRecovered {
        /// What is left of it, each with what the system says.
        left: Vec<(String, io::Error)>,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// Something failed, and putting the old state back failed as well.
    #[error("the changes could not be rolled back")]
    NotRolledBack {
        /// What failed first.
        #[source]
        cause: Box<Self>,
        /// What is left behind, each with what the system says.
        left: Vec<(String, io::Error)>,
    },
}
