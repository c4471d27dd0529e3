use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use super::inspect::{Found, look};
use super::lock::Lock;
use super::root::{Place, find};
use super::{
    Action, Adopt, Change, Contents, FileTree, FilesError, LOCK_PATH, Obstacle, ObstacleKind, Owner, PlanOptions,
    Stamp, obstacles,
};

/// What a tree would do to an output folder. Made by [`plan`], carried out by [`super::apply`].
#[derive(Debug, Clone)]
pub struct Changeset {
    pub(super) root: PathBuf,
    pub(super) tree: FileTree,
    pub(super) stamp: Stamp,
    pub(super) options: PlanOptions,
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
pub fn plan(tree: FileTree, stamp: Stamp, root: &Path, options: PlanOptions) -> Result<Changeset, FilesError> {
    let comparison = match find(root)? {
        Place::There(dir) => compare(&dir, &tree, &stamp, options)?,
        Place::Missing { .. } => Comparison::with_nothing(&tree, &stamp)?,
    };
    Ok(Changeset { root: root.to_owned(), tree, stamp, options, changes: comparison.changes })
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
            before: None,
            after: Some(file.bytes.clone()),
            renamed_from: None,
            notes: Vec::new(),
        };
        Ok(Self { changes: tree.iter().map(change).collect(), tree })
    }
}

/// Compares `tree` and its lock with what `root` holds.
pub(super) fn compare(
    root: &Dir,
    tree: &FileTree,
    stamp: &Stamp,
    options: PlanOptions,
) -> Result<Comparison, FilesError> {
    let before =
        if matches!(look_up(root, LOCK_PATH)?, Found::File) { Lock::parse(&read(root, LOCK_PATH)?) } else { None };
    let tree = with_lock(tree, stamp, before.as_ref())?;
    let mut changes = Vec::with_capacity(tree.len());
    for (path, file) in tree.iter() {
        let (mut action, there) = action(root, path, file, before.as_ref())?;
        if before.is_none() && options.adopt == Adopt::Yes && file.owner == Owner::Seeded && action.blocks() {
            action = Action::Kept;
        }
        let after = if action.writes() { Some(file.bytes.clone()) } else { there.clone() };
        changes.push(Change {
            path: path.to_owned(),
            owner: file.owner,
            action,
            before: there,
            after,
            renamed_from: None,
            notes: Vec::new(),
        });
    }
    Ok(Comparison { changes, tree })
}

fn with_lock(tree: &FileTree, stamp: &Stamp, before: Option<&Lock>) -> Result<FileTree, FilesError> {
    let bytes = Lock::new(stamp, tree, before).to_json().into_bytes();
    let mut tree = tree.clone();
    tree.insert(LOCK_PATH, Contents { bytes, owner: Owner::Generated, executable: false })?;
    Ok(tree)
}

/// What happens to a file, and the bytes that are there.
fn action(
    root: &Dir,
    path: &str,
    file: &Contents,
    before: Option<&Lock>,
) -> Result<(Action, Option<Vec<u8>>), FilesError> {
    let seeded = file.owner == Owner::Seeded && before.is_some_and(|lock| lock.seeded(path));
    let in_the_way = |path: String, kind| Action::InTheWay(Obstacle { path, kind });
    let kind = match look_up(root, path)? {
        Found::Below { at, symlink } => {
            let kind = if symlink { ObstacleKind::Symlink } else { ObstacleKind::NotAFolder };
            return Ok((in_the_way(at, kind), None));
        }
        Found::Nothing => return Ok((if seeded { Action::Deleted } else { Action::Create }, None)),
        Found::File => {
            let there = read(root, path)?;
            let action = if there == file.bytes {
                Action::Unchanged
            } else if path == LOCK_PATH && before.is_some() {
                Action::Update
            } else if seeded {
                Action::Kept
            } else {
                in_the_way(path.to_owned(), ObstacleKind::Differs)
            };
            return Ok((action, Some(there)));
        }
        Found::Symlink => ObstacleKind::Symlink,
        Found::Folder => ObstacleKind::Folder,
        Found::Special => ObstacleKind::Special,
    };
    Ok((if seeded { Action::Kept } else { in_the_way(path.to_owned(), kind) }, None))
}

fn look_up(root: &Dir, path: &str) -> Result<Found, FilesError> {
    look(root, path).map_err(|source| FilesError::Read { path: path.to_owned(), source })
}

fn read(root: &Dir, path: &str) -> Result<Vec<u8>, FilesError> {
    root.read(path).map_err(|source| FilesError::Read { path: path.to_owned(), source })
}
