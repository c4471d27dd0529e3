//! Output folders: what belongs into one, what is there already, and the one transaction that writes.
//!
//! Owns ownership ([`Owner`], its headers and the records in `.adl`), the comparison of a [`FileTree`] with the disk ([`plan`]) and
//! the only code that writes: [`apply`] and, for one file of the user's, [`replace`]. What the user and we both changed is merged by
//! `merge`; no byte of the user's is lost. It refuses paths that could leave the folder or that some file system could not hold,
//! and follows no symbolic link that leads out.
//!
//! [`plan`] goes through these parts: `listing` finds what is there, `records` knows what was there, `decide` says what happens to one
//! file, `compare` puts it together. [`apply`] is `transaction`, which writes through `staging` and `journal`.

mod archive;
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
pub use text::{Endings, plain};
pub use transaction::{Control, Event, apply};
pub use tree::{Contents, FileTree, Owner};
