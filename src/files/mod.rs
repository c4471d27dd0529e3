//! Output folders: what belongs into one, what is there already, and the one transaction that writes.
//!
//! Owns ownership ([`Owner`], its headers and `.adl/lock.json`), the comparison of a [`FileTree`] with the disk ([`plan`]) and
//! the only code that writes: [`apply`] and, for one file of the user's, [`replace`]. What the user and we both changed is merged by
//! `merge`; no byte of the user's is lost. It refuses paths that could leave the folder or that some file system could not hold,
//! and follows no symbolic link that leads out.
//!
//! [`plan`] goes through these parts: `listing` finds what is there, `records` and `base` know what was there, `decide` says what
//! happens to one file, `compare` puts it together. [`apply`] is `transaction`, which writes through `staging` and `journal`.

mod action;
mod adopt;
mod attributes;
mod base;
mod change;
mod compare;
mod decide;
mod disk;
mod durable;
mod edit;
mod error;
mod hash;
mod header;
mod ignored;
mod journal;
mod listing;
mod lock;
mod options;
mod owner;
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
mod stale;
mod text;
mod transaction;
mod tree;

pub use action::{Action, Obstacle, ObstacleKind};
pub use base::base_path;
pub use change::{Change, Note, obstacles};
pub use error::FilesError;
pub use header::with_header;
pub use journal::Kept;
pub use lock::{LOCK_PATH, LOCK_SCHEMA, Stamp, is_locked};
pub use options::{Adopt, OnConflict, PlanOptions};
pub use owner::Owner;
pub use path::{PathError, check_path};
pub use plan::{Changeset, Target, plan};
pub use replace::{ReplaceError, create, make_folders, replace};
pub use text::{Endings, plain};
pub use transaction::{Control, Event, apply};
pub use tree::{Contents, FileTree};
