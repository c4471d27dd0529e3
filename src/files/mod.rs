//! Output folders: what belongs into one, what is there already, and the one transaction that writes.
//!
//! Owns ownership ([`Owner`], its headers and `.adl/lock.json`), the comparison of a [`FileTree`] with the disk ([`plan`]) and
//! the only code that writes: [`apply`] and, for one file of the user's, [`replace`]. It refuses paths that could leave the
//! folder or that some file system could not hold, follows no symbolic link below the folder, and replaces there no file but its
//! own lock.

mod action;
mod change;
mod durable;
mod error;
mod header;
mod inspect;
mod lock;
mod options;
mod owner;
mod path;
mod plan;
mod replace;
mod root;
mod transaction;
mod tree;

pub use action::{Action, Obstacle, ObstacleKind};
pub use change::{Change, Note, obstacles};
pub use error::FilesError;
pub use header::with_header;
pub use lock::{LOCK_PATH, Stamp};
pub use options::{Adopt, OnConflict, PlanOptions};
pub use owner::Owner;
pub use path::{PathError, check_path};
pub use plan::{Changeset, plan};
pub use replace::{ReplaceError, replace};
pub use transaction::apply;
pub use tree::{Contents, FileTree};
