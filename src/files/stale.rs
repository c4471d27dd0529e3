//! Files of an earlier tree that are not part of the project any more.

use super::compare::Comparer;
use super::edit::Edit;
use super::hash::sha256;
use super::listing::Found;
use super::lock::{Entry, Lock};
use super::text::plain;
use super::{Action, Change, FilesError, ObstacleKind};

/// Removes what nobody has edited, and leaves the rest to the user.
pub(super) fn compare(comparer: &mut Comparer<'_>) -> Result<(), FilesError> {
    let files = comparer.lock.iter().flat_map(Lock::files);
    let gone: Vec<(String, Entry)> = files
        .filter(|(path, _)| comparer.tree.get(path).is_none() && !comparer.followed.contains(*path))
        .map(|(path, entry)| (path.to_owned(), entry.clone()))
        .collect();
    for (path, entry) in gone {
        let found = comparer.disk.find(&path)?;
        if comparer.ignored.has(&path) {
            comparer.ignored(&path, entry.owner, Some(entry), found)?;
            continue;
        }
        if comparer.tree.is_source(&path) {
            keep_source(comparer, path, entry, &found)?;
            continue;
        }
        let change = match found {
            // The user has removed it already.
            Found::Nothing { .. } => continue,
            Found::File { spelled, .. } if spelled != path => continue,
            Found::Obstacle { .. } => Change::new(&path, entry.owner, Action::Left, None),
            Found::File { real, .. } => {
                let bytes = comparer.disk.read(&real)?;
                let is_unedited = real == path && entry.is_from_us(&sha256(&plain(&bytes)));
                if is_unedited && comparer.disk.is_read_only(&real)? {
                    comparer.in_the_way(&path, ObstacleKind::ReadOnly);
                    continue;
                }
                if is_unedited {
                    comparer.edits.push(Edit::remove(&path, &bytes));
                }
                let action = if is_unedited { Action::Remove } else { Action::Left };
                let mut change = Change::new(&path, entry.owner, action, Some(bytes));
                if is_unedited {
                    change.after = None;
                }
                change
            }
        };
        comparer.changes.push(change);
    }
    Ok(())
}

/// The file that the tree was made from stays. Once the user has edited it, it is the user's.
fn keep_source(comparer: &mut Comparer<'_>, path: String, entry: Entry, found: &Found) -> Result<(), FilesError> {
    if let Found::File { real, .. } = found {
        let bytes = comparer.disk.read(real)?;
        if sha256(&plain(&bytes)) == entry.sha256 {
            comparer.changes.push(Change::new(&path, entry.owner, Action::Unchanged, Some(bytes)));
            comparer.entries.insert(path, entry);
        }
    }
    Ok(())
}
