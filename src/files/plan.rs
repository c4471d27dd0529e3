//! What a tree would do to an output folder.

use std::path::PathBuf;

use super::compare::compare;
use super::root::{Place, find};
use super::{Change, FileTree, FilesError, Obstacle, Stamp, obstacles, staging};

/// What the user has decided about files that are not as we left them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanOptions {
    /// What happens to files that the user and we changed in the same place; without it such a file is an [`Action::Conflict`].
    ///
    /// [`Action::Conflict`]: super::Action::Conflict
    pub on_conflict: Option<OnConflict>,
    /// What happens to files that no lock knows.
    pub adopt: Adopt,
}

/// What happens to a file that the user and we changed in the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// The user's text stays.
    Keep,
    /// Ours is written; the user's text goes beside it, into a file whose name ends in `.orig`.
    Overwrite,
    /// A text with both sides between conflict markers is written.
    Markers,
}

/// What happens to files that differ and that no lock says to be ours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Adopt {
    /// They are obstacles.
    #[default]
    No,
    /// They become part of the project: what another generator wrote is replaced, with a backup; what people write stays.
    Yes,
}

/// What an output folder is to become.
#[derive(Debug, Clone)]
pub struct Target {
    /// The folder, which need not exist.
    pub root: PathBuf,
    /// Its files. The lock is none of them: it is made from the stamp, the tree, and the lock that is there.
    pub tree: FileTree,
    /// With what and from what the files were made.
    pub stamp: Stamp,
    /// What happens to files that are not as we left them.
    pub options: PlanOptions,
    /// What of the folder is looked through for files of another generator.
    pub boundaries: Boundaries,
}

/// How far a project reaches into its folder.
#[derive(Debug, Clone, Copy, Default)]
pub struct Boundaries {
    /// Files that mark a folder as a nested project.
    pub roots: &'static [&'static str],
    /// Names of folders that hold no file of a project.
    pub passed_over: &'static [&'static str],
}

impl Boundaries {
    /// Whether a folder with these names in it is a part of the project.
    pub(super) fn include(&self, folder: &str, names: &[&str]) -> bool {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let is_root = |name: &&str| [".adl", ".git", "agent.yaml"].contains(name) || self.roots.contains(name);
        folder.is_empty()
            || ![".adl", ".git"].contains(&name) && !self.passed_over.contains(&name) && !names.iter().any(is_root)
    }
}

/// What a target would do to its folder. Made by [`plan`].
#[derive(Debug, Clone)]
pub struct Changeset {
    changes: Vec<Change>,
    writes: bool,
    is_unfinished: bool,
}

impl Changeset {
    /// Every file of the tree, and every file of an earlier one that is not in it any more, by path. Of what lies in `.adl`, only
    /// what is in the way.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The same, to be kept.
    pub fn into_changes(self) -> Vec<Change> {
        self.changes
    }

    /// The obstacles, without duplicates, by path. There may also be conflicts.
    pub fn obstacles(&self) -> Vec<Obstacle> {
        obstacles(&self.changes)
    }

    /// Whether [`super::apply`] would write anything, `.adl` included.
    pub fn writes(&self) -> bool {
        self.writes
    }

    /// Whether another run is at work, or was interrupted. In that case [`super::apply`] rolls back what it did before it compares
    /// anew, so that the changes may turn out to be others.
    pub fn is_unfinished(&self) -> bool {
        self.is_unfinished
    }
}

/// Compares a target with its folder. Touches nothing.
///
/// # Errors
/// If the folder or a file in it cannot be read. Obstacles and conflicts are not errors here, see [`Action::blocks`].
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
