use std::fmt;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use super::inspect::{Found, look};
use super::lock::Lock;
use super::root::{Place, find};
use super::{Contents, FileTree, FilesError, LOCK_PATH, Owner, Stamp};

/// What would happen to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Nothing is there: it is written.
    Create,
    /// The same bytes are there: nothing happens.
    Unchanged,
    /// The lock changes: it is replaced.
    Replace,
    /// Seeded before and changed since: it stays the user's.
    Kept,
    /// Seeded before and deleted by the user: it does not come back.
    Deleted,
    /// Something is there that we may not overwrite: nothing at all is written.
    InTheWay(Obstacle),
}

/// Something that lies where a file or a folder has to go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Obstacle {
    /// Where it lies, below the output folder.
    pub path: String,
    /// What it is.
    pub kind: ObstacleKind,
}

/// What is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObstacleKind {
    /// A file with other bytes.
    Differs,
    /// A symbolic link, where a file or folder must be.
    Symlink,
    /// A folder, where a file must be.
    Folder,
    /// A file or special file, where a folder must be.
    NotAFolder,
    /// A socket, pipe or device.
    Special,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let says = match self.kind {
            ObstacleKind::Differs => "differs from what would be written",
            ObstacleKind::Symlink => "is a symbolic link",
            ObstacleKind::Folder => "is a folder, where a file must be",
            ObstacleKind::NotAFolder => "is not a folder, and one must be there",
            ObstacleKind::Special => "is a socket, pipe or device",
        };
        write!(f, "`{}` {says}", self.path)
    }
}

/// One file of the tree and what would happen to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Below the output folder, `/` between components.
    pub path: String,
    /// Whose the file is.
    pub owner: Owner,
    /// What would happen.
    pub action: Action,
}

/// What a tree would do to an output folder. Made by [`plan`], carried out by [`super::apply`].
#[derive(Debug, Clone)]
pub struct Changeset {
    pub(super) root: PathBuf,
    pub(super) tree: FileTree,
    pub(super) stamp: Stamp,
    changes: Vec<Change>,
}

impl Changeset {
    /// Every file of the tree and the lock, by path.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// What is in the way, each once, by path. Empty: the changeset can be applied.
    pub fn obstacles(&self) -> Vec<Obstacle> {
        obstacles(&self.changes)
    }
}

/// Compares `tree` with the folder `root`, which need not exist. Touches nothing.
///
/// The lock is no part of `tree`: it is made here, from `stamp` and `tree`, and from the lock that is there.
///
/// # Errors
/// The folder or something in it cannot be read. Files in the way are no error here: see [`Changeset::obstacles`].
pub fn plan(tree: FileTree, stamp: Stamp, root: &Path) -> Result<Changeset, FilesError> {
    let comparison = match find(root)? {
        Place::There(dir) => compare(&dir, &tree, &stamp)?,
        Place::Missing { .. } => Comparison::with_nothing(&tree, &stamp)?,
    };
    Ok(Changeset { root: root.to_owned(), tree, stamp, changes: comparison.changes })
}

/// The changes, and the tree with the lock in it.
pub(super) struct Comparison {
    pub(super) changes: Vec<Change>,
    pub(super) tree: FileTree,
}

impl Comparison {
    fn with_nothing(tree: &FileTree, stamp: &Stamp) -> Result<Self, FilesError> {
        let tree = with_lock(tree, stamp, None)?;
        let change = |(path, file): (&str, &Contents)| Change {
            path: path.to_owned(),
            owner: file.owner,
            action: Action::Create,
        };
        Ok(Self { changes: tree.iter().map(change).collect(), tree })
    }
}

/// Compares `tree` and its lock with what `root` holds.
pub(super) fn compare(root: &Dir, tree: &FileTree, stamp: &Stamp) -> Result<Comparison, FilesError> {
    let before = if matches!(look_up(root, LOCK_PATH)?, Found::File { .. }) {
        Lock::parse(&read(root, LOCK_PATH)?)
    } else {
        None
    };
    let tree = with_lock(tree, stamp, before.as_ref())?;
    let mut changes = Vec::with_capacity(tree.len());
    for (path, file) in tree.iter() {
        let action = action(root, path, file, before.as_ref())?;
        changes.push(Change { path: path.to_owned(), owner: file.owner, action });
    }
    Ok(Comparison { changes, tree })
}

fn with_lock(tree: &FileTree, stamp: &Stamp, before: Option<&Lock>) -> Result<FileTree, FilesError> {
    let bytes = Lock::new(stamp, tree, before).to_json().into_bytes();
    let mut tree = tree.clone();
    tree.insert(LOCK_PATH, Contents { bytes, owner: Owner::Generated, executable: false })?;
    Ok(tree)
}

fn action(root: &Dir, path: &str, file: &Contents, before: Option<&Lock>) -> Result<Action, FilesError> {
    let seeded = file.owner == Owner::Seeded && before.is_some_and(|lock| lock.seeded(path));
    let kind = match look_up(root, path)? {
        Found::Below { at, symlink } => {
            let kind = if symlink { ObstacleKind::Symlink } else { ObstacleKind::NotAFolder };
            return Ok(Action::InTheWay(Obstacle { path: at, kind }));
        }
        Found::Nothing => return Ok(if seeded { Action::Deleted } else { Action::Create }),
        Found::File { length } if length == file.bytes.len() as u64 && read(root, path)? == file.bytes => {
            return Ok(Action::Unchanged);
        }
        Found::File { .. } if path == LOCK_PATH && before.is_some() => return Ok(Action::Replace),
        Found::File { .. } => ObstacleKind::Differs,
        Found::Symlink => ObstacleKind::Symlink,
        Found::Folder => ObstacleKind::Folder,
        Found::Special => ObstacleKind::Special,
    };
    Ok(if seeded { Action::Kept } else { Action::InTheWay(Obstacle { path: path.to_owned(), kind }) })
}

fn look_up(root: &Dir, path: &str) -> Result<Found, FilesError> {
    look(root, path).map_err(|source| FilesError::Read { path: path.to_owned(), source })
}

fn read(root: &Dir, path: &str) -> Result<Vec<u8>, FilesError> {
    root.read(path).map_err(|source| FilesError::Read { path: path.to_owned(), source })
}

pub(super) fn obstacles(changes: &[Change]) -> Vec<Obstacle> {
    let mut obstacles: Vec<Obstacle> = changes
        .iter()
        .filter_map(
            |change| if let Action::InTheWay(obstacle) = &change.action { Some(obstacle.clone()) } else { None },
        )
        .collect();
    obstacles.sort();
    obstacles.dedup();
    obstacles
}
