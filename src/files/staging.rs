//! `.adl/staging`: new files before they are in their place, old ones after they have left it, and the journal.
//!
//! It exists while a transaction runs, and after one that was killed.

use std::io;

use cap_std::fs::Dir;

use super::listing::{Found, Listing};
use super::root::{Guard, tolerate};
use super::{FilesError, Obstacle, ObstacleKind, disk};

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

/// Where the new file of step `index` goes when it is taken out of its place again.
pub(super) fn undone(index: usize) -> String {
    format!("{FOLDER}/{index}.undone")
}

/// Whether a transaction has begun in `root` and neither ended nor been rolled back.
pub(super) fn is_unfinished(root: &Dir) -> bool {
    [".adl", FOLDER].iter().all(|folder| root.symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir()))
}

/// What tells the folder from a copy of it, such as in a clone of a repository: its inode, elsewhere when it was made.
///
/// The number of its device is no part of it, for after a power cut it may be another one.
pub(super) fn identity(root: &Dir) -> io::Result<u64> {
    let metadata = root.symlink_metadata(FOLDER)?;
    #[cfg(unix)]
    let identity = cap_std::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let identity = {
        let made = metadata.created()?.into_std().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(made.as_nanos()).unwrap_or_default()
    };
    Ok(identity)
}

/// Whether it holds files that were in their place before.
pub(super) fn has_old(root: &Dir) -> io::Result<bool> {
    let mut names = root.read_dir(FOLDER)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.any(|name| is_ours(&name) && [".old", ".undone"].iter().any(|suffix| name.ends_with(suffix))))
}

/// Removes the journal: from now on the new state counts, or the old one where all has been rolled back.
pub(super) fn end(root: &Dir) -> io::Result<()> {
    tolerate(root.remove_file(JOURNAL))?;
    // What the journal speaks of may go only once it cannot come back.
    disk::flush_folder(root, FOLDER)
}

/// What keeps the folder from being used: what it is instead, or something in it that is not from us.
pub(super) fn obstacle(listing: &mut Listing<'_>) -> Result<Option<Obstacle>, FilesError> {
    let obstacle = |path, kind| Ok(Some(Obstacle { path, kind }));
    if listing.has_folder(FOLDER)? {
        let foreign = listing.names_in(FOLDER)?.into_iter().find(|name| !is_ours(name));
        return foreign.map_or(Ok(None), |name| obstacle(format!("{FOLDER}/{name}"), ObstacleKind::Foreign));
    }
    match listing.find(FOLDER)? {
        Found::Nothing { .. } => Ok(None),
        Found::Obstacle { at, kind: ObstacleKind::Folder } => obstacle(at, ObstacleKind::Link),
        Found::Obstacle { at, kind } => obstacle(at, kind),
        Found::File { spelled, .. } => obstacle(spelled, ObstacleKind::NotAFolder),
    }
}

/// Version 0.1.0 staged new files under their number alone, and the old lock as `before`.
fn is_ours(name: &str) -> bool {
    let number = [".new", ".old", ".undone"].iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number || name == "before" || name == "journal.json"
}

/// Removes the folder and all in it that is ours, the journal first. Returns what could not be removed.
///
/// `.adl` goes as well where nothing else is in it: then it was made for the staging.
pub(super) fn clear(root: &Dir, guard: Guard<'_>) -> Vec<(String, io::Error)> {
    pass(guard);
    if let Err(error) = end(root) {
        return vec![(JOURNAL.to_owned(), error)];
    }
    let entries = match root.read_dir(FOLDER) {
        Ok(entries) => Some(entries),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return vec![(FOLDER.to_owned(), error)],
    };
    let names = entries.into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let paths = names.filter(|name| is_ours(name)).map(|name| format!("{FOLDER}/{name}"));
    let mut left = Vec::new();
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

/// Reports a step that cannot be interrupted.
pub(super) fn pass(guard: Guard<'_>) {
    guard().ok();
}
