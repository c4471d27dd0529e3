//! Output folders: generated file trees, comparison with the disk, and the transaction that writes them.
//!
//! Owns file ownership ([`Owner`], headers and the records in `.adl`), the comparison of a [`FileTree`] with the disk
//! ([`plan`]), and the only code that writes files: [`apply`] and, for files of the user, [`replace`] and [`Batches`].
//! The module `merge` combines edits of the user with changes of the generated text; no edit is lost. Rejects paths
//! that could leave the folder or that some file system does not support, and does not follow symbolic links out of
//! the folder.
//!
//! For [`plan`], `listing` finds the existing files, `records` loads what was written before, `decide` chooses the
//! action for one file, and `compare` combines these. [`apply`] is implemented in `transaction`, which uses `staging`
//! and `journal`.

mod archive;
mod batch;
mod change;
mod compare;
mod decide;
mod disk;
mod edit;
mod error;
mod header;
mod ignored;
mod journal;
mod listing;
mod lock;
mod path;
mod plan;
#[cfg(test)]
mod property_tests;
mod records;
mod replace;
mod root;
#[cfg(test)]
mod sample;
mod staging;
mod text;
mod transaction;
mod tree;

pub use batch::{Batch, BatchError, Batches, FileEdit, Undone};
pub use change::{Action, Change, Note, Obstacle, ObstacleKind, obstacles};
pub use error::FilesError;
pub use header::{is_generated, with_header};
pub use journal::Kept;
pub use lock::{LOCK_PATH, LOCK_SCHEMA, Stamp, is_locked};
pub use path::{PathError, check_path};
pub use plan::{Adopt, Boundaries, Changeset, OnConflict, PlanOptions, Target, plan};
pub use records::base_path;
pub use replace::{ReplaceError, create, make_folders, replace};
pub use root::FolderLock;
pub use text::{Endings, plain, sha256};
pub use transaction::{Control, Event, apply};
pub use tree::{Contents, FileTree, Owner};
