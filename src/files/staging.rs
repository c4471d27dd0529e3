//! `.adl/staging`: new files before they are placed, old files after they were replaced, and the journal.
//!
//! The folder exists while a transaction runs, and after a transaction that was killed.

use std::io;

use cap_std::fs::Dir;

use super::listing::{Found, Listing};
use super::root::{Guard, tolerate};
use super::{FilesError, Obstacle, ObstacleKind, disk};

pub(super) const FOLDER: &str = ".adl/staging";
pub(super) const JOURNAL: &str = ".adl/staging/journal.json";

/// Path of the new file of step `index`.
pub(super) fn new(index: usize) -> String {
    format!("{FOLDER}/{index}.new")
}

/// Path of the old file of step `index`.
pub(super) fn old(index: usize) -> String {
    format!("{FOLDER}/{index}.old")
}

/// Path of the new file of step `index` after it was rolled back.
pub(super) fn undone(index: usize) -> String {
    format!("{FOLDER}/{index}.undone")
}

/// Whether `root` has a transaction that was neither completed nor rolled back.
pub(super) fn is_unfinished(root: &Dir) -> bool {
    [".adl", FOLDER].iter().all(|folder| root.symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir()))
}

/// Distinguishes the staging folder from a copy, such as in a cloned repository: its inode or, on other systems, its
/// creation time.
///
/// The device number is not included, because it can change after a power cut.
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

/// Whether the staging folder contains files that were moved out of their place.
pub(super) fn has_old(root: &Dir) -> io::Result<bool> {
    let mut names = root.read_dir(FOLDER)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.any(|name| is_ours(&name) && [".old", ".undone"].iter().any(|suffix| name.ends_with(suffix))))
}

/// Removes the journal, which completes the transaction or its rollback.
pub(super) fn end(root: &Dir) -> io::Result<()> {
    tolerate(root.remove_file(JOURNAL))?;
    // Staged files may only be removed once the journal cannot reappear.
    disk::flush_folder(root, FOLDER)
}

/// The obstacle that prevents the folder from being used: it is not a folder, or contains a file that `adl` did not
/// write.
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

/// Whether a name belongs to a transaction. Version 0.1.0 named new files only by their number, and the old lock
/// `before`.
fn is_ours(name: &str) -> bool {
    let number = [".new", ".old", ".undone"].iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number || name == "before" || name == "journal.json"
}

/// Removes the folder and all files of a transaction in it, the journal first. Returns the paths that could not be
/// removed, each with the cause.
///
/// Also removes `.adl` if it is empty, because then it was created for the staging folder.
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

/// Calls `guard` for a step that cannot be interrupted.
pub(super) fn pass(guard: Guard<'_>) {
    guard().ok();
}
