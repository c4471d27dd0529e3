//! Computes what writing a tree would change in an output folder.

use std::path::PathBuf;

use super::compare::compare;
use super::root::{Place, find};
use super::{Change, FileTree, FilesError, Obstacle, Stamp, obstacles, staging};

/// The user's decisions about modified and unknown files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanOptions {
    /// How to resolve conflicts between the user's edits and generated changes. `None` leaves such a file as
    /// [`Action::Conflict`].
    ///
    /// [`Action::Conflict`]: super::Action::Conflict
    pub on_conflict: Option<OnConflict>,
    /// How to treat existing files that are not in the lock.
    pub adopt: Adopt,
}

/// How to resolve a conflict between the user's edits and generated changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// Keep the user's version.
    Keep,
    /// Write the generated text, and save the user's version as a backup whose name ends with `.orig`.
    Overwrite,
    /// Write a text with both versions between conflict markers.
    Markers,
}

/// How to treat existing files that differ from the generated ones and are not in the lock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Adopt {
    /// They are obstacles.
    #[default]
    No,
    /// They become part of the project: files of another generator are replaced and backed up, files of the user are
    /// kept.
    Yes,
}

/// The desired state of an output folder.
#[derive(Debug, Clone)]
pub struct Target {
    /// The output folder. It need not exist.
    pub root: PathBuf,
    /// The files of the folder, without the lock, which is computed from the stamp, the tree and the old lock.
    pub tree: FileTree,
    /// The version and manifest that the files were generated with.
    pub stamp: Stamp,
    /// The user's decisions about modified and unknown files.
    pub options: PlanOptions,
    /// The part of the folder that is searched for files of another generator.
    pub boundaries: Boundaries,
}

/// The boundaries of a project inside its folder.
#[derive(Debug, Clone, Copy, Default)]
pub struct Boundaries {
    /// Names of files that mark a folder as a nested project.
    pub roots: &'static [&'static str],
    /// Names of folders that contain no files of a project.
    pub skipped: &'static [&'static str],
}

impl Boundaries {
    /// Whether a folder that contains these names belongs to the project.
    pub(super) fn include(&self, folder: &str, names: &[&str]) -> bool {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let is_root = |name: &&str| [".adl", ".git", "agent.yaml"].contains(name) || self.roots.contains(name);
        folder.is_empty()
            || ![".adl", ".git"].contains(&name) && !self.skipped.contains(&name) && !names.iter().any(is_root)
    }
}

/// The changes that would be made to an output folder, created by [`plan`].
#[derive(Debug, Clone)]
pub struct Changeset {
    changes: Vec<Change>,
    writes: bool,
    is_unfinished: bool,
}

impl Changeset {
    /// The change of every file of the tree and of every file that is no longer part of it, sorted by path. Files in
    /// `.adl` are only listed if they are obstacles.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Converts into [`Changeset::changes`].
    pub fn into_changes(self) -> Vec<Change> {
        self.changes
    }

    /// The obstacles, without duplicates, sorted by path. There may also be conflicts.
    pub fn obstacles(&self) -> Vec<Obstacle> {
        obstacles(&self.changes)
    }

    /// Whether [`super::apply`] would write anything, including files in `.adl`.
    pub fn writes(&self) -> bool {
        self.writes
    }

    /// Whether another run is in progress or was interrupted. In that case [`super::apply`] first rolls back its
    /// changes and compares again, so the actual changes may differ.
    pub fn is_unfinished(&self) -> bool {
        self.is_unfinished
    }
}

/// Compares a target with its folder. Writes nothing.
///
/// # Errors
/// Returns an error if the folder or a file in it cannot be read. Obstacles and conflicts are not errors, see
/// [`Action::blocks`].
///
/// [`Action::blocks`]: super::Action::blocks
pub fn plan(target: &Target) -> Result<Changeset, FilesError> {
    let place = find(&target.root)?;
    let dir = match &place {
        Place::There(dir) => Some(dir),
        Place::Missing { .. } => None,
    };
    let is_unfinished = dir.is_some_and(staging::is_unfinished);
    let comparison = compare(dir, target)?;
    Ok(Changeset { changes: comparison.changes, writes: !comparison.edits.is_empty(), is_unfinished })
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
