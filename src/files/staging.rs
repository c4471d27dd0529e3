//! `.adl/staging`: new files before they are in their place, old ones after they have left it, and the journal.
//!
//! It exists while a transaction runs, and after one that was killed.

use std::io;

use cap_std::fs::Dir;

use super::listing::{Found, Listing};
use super::root::{Guard, tolerate};
use super::{FilesError, Obstacle, ObstacleKind};

pub(super) const FOLDER: &str = ".adl/staging";
pub(super) const JOURNAL: &str = ".adl/staging/journal.json";

/// Where the new file of step `index` waits.
pub(super) fn new(index: usize) -> String {
    format!("{FOLDER}/{index}.new")
}

/// Where the old file of step `index` is kept.
pub(super) fn old(index: usize) -> String {
    format!("{FOLDER}/{index}.old")
}

/// Whether a transaction has begun in `root` and neither ended nor been taken back.
pub(super) fn is_unfinished(root: &Dir) -> bool {
    root.symlink_metadata(FOLDER).is_ok_and(|metadata| metadata.is_dir())
}

/// What keeps the folder from being used: what it is instead, or something in it that is not from us.
pub(super) fn obstacle(disk: &mut Listing<'_>) -> Result<Option<Obstacle>, FilesError> {
    let obstacle = |path, kind| Ok(Some(Obstacle { path, kind }));
    if disk.has_folder(FOLDER)? {
        let foreign = disk.names_in(FOLDER)?.into_iter().find(|name| !is_ours(name));
        return foreign.map_or(Ok(None), |name| obstacle(format!("{FOLDER}/{name}"), ObstacleKind::Foreign));
    }
    match disk.find(FOLDER)? {
        Found::Nothing { .. } => Ok(None),
        Found::Obstacle { at, kind: ObstacleKind::Folder } => obstacle(at, ObstacleKind::Link),
        Found::Obstacle { at, kind } => obstacle(at, kind),
        Found::File { spelled, .. } => obstacle(spelled, ObstacleKind::NotAFolder),
    }
}

/// Version 0.1.0 staged new files under their number alone, and the old lock as `before`.
fn is_ours(name: &str) -> bool {
    let number = name.strip_suffix(".new").or_else(|| name.strip_suffix(".old")).unwrap_or(name);
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number || name == "before" || name == "journal.json"
}

/// Removes the folder and all in it that is ours, the journal last. Returns what could not be removed.
///
/// `.adl` goes as well where nothing else is in it: then it was made for the staging.
pub(super) fn clear(root: &Dir, guard: Guard<'_>) -> Vec<(String, io::Error)> {
    let mut left = Vec::new();
    let entries = match root.read_dir(FOLDER) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return left,
        Err(error) => return vec![(FOLDER.to_owned(), error)],
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut paths: Vec<_> = names.filter(|name| is_ours(name)).map(|name| format!("{FOLDER}/{name}")).collect();
    paths.sort_by_key(|path| path == JOURNAL);
    for path in paths {
        pass(guard);
        if let Err(error) = tolerate(root.remove_file(&path)) {
            left.push((path, error));
        }
    }
    for folder in [FOLDER, ".adl"] {
        pass(guard);
        if let Err(error) = tolerate(root.remove_dir(folder)) {
            left.push((folder.to_owned(), error));
        }
    }
    left
}

/// Lets a step be seen that nobody can stop.
pub(super) fn pass(guard: Guard<'_>) {
    guard().ok();
}
