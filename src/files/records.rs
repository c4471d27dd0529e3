//! What lies in `.adl`: the lock and the texts rendered last. They are written like any other file, and no link may lead to them.

use super::base::base_path;
use super::compare::Comparer;
use super::edit::{Edit, Mode};
use super::listing::{Found, Listing};
use super::lock::Lock;
use super::text::{Endings, plain};
use super::{FilesError, LOCK_PATH, Obstacle, ObstacleKind, Stamp, staging};

/// The lock of a folder; `None`: there is none.
pub(super) fn load_lock(disk: &mut Listing<'_>) -> Result<Result<Option<Lock>, Obstacle>, FilesError> {
    let in_the_way = |path: &str, kind| Ok(Err(Obstacle { path: path.to_owned(), kind }));
    match disk.find(LOCK_PATH)? {
        Found::File { real, .. } if real != LOCK_PATH => in_the_way(LOCK_PATH, ObstacleKind::Link),
        Found::File { real, .. } => match Lock::parse(&disk.read(&real)?) {
            Ok(lock) => Ok(Ok(Some(lock))),
            Err(kind) => in_the_way(LOCK_PATH, kind),
        },
        // What is in the way is said with the records.
        Found::Nothing { .. } | Found::Obstacle { .. } => Ok(Ok(None)),
    }
}

/// Compares the records with what they have to be once the changes are made.
pub(super) fn compare(comparer: &mut Comparer<'_>, stamp: &Stamp) -> Result<(), FilesError> {
    if let Some(Obstacle { path, kind }) = staging::obstacle(&mut comparer.disk)? {
        comparer.in_the_way(&path, kind);
        return Ok(());
    }
    if let Found::Obstacle { at, kind } = comparer.disk.find(LOCK_PATH)? {
        comparer.in_the_way(&at, kind);
        return Ok(());
    }
    for (path, file) in comparer.tree.iter() {
        // An ignored file keeps the text that it has.
        if !comparer.ignored.has(path) {
            record(comparer, &base_path(path), &plain(&file.bytes))?;
        }
    }
    let gone = comparer.lock.iter().flat_map(Lock::files).map(|(path, _)| path);
    let gone: Vec<_> = gone.filter(|path| !comparer.entries.contains_key(*path)).map(base_path).collect();
    for path in gone {
        if let Found::File { spelled, real } = comparer.disk.find(&path)?
            && spelled == path
            && real == path
        {
            let bytes = comparer.disk.read(&path)?;
            comparer.edits.push(Edit::remove(&path, &bytes));
        }
    }
    // The lock names the other files, so it comes last.
    let lock = Lock::new(stamp, std::mem::take(&mut comparer.entries)).to_json();
    record(comparer, LOCK_PATH, lock.as_bytes())
}

/// Makes sure that the record at `path` will be `text`.
fn record(comparer: &mut Comparer<'_>, path: &str, text: &[u8]) -> Result<(), FilesError> {
    match comparer.disk.find(path)? {
        Found::Nothing { real, twin } if twin.is_some() || real == path => {
            comparer.edits.push(Edit::create(path, text, Mode::Plain));
        }
        // Its spelling differs in case: it is that of a file whose spelling changes too, and goes with it.
        Found::File { spelled, real } if spelled == real && spelled != path => {
            comparer.edits.push(Edit::create(path, text, Mode::Plain));
        }
        Found::File { real, .. } if real == path => {
            let bytes = comparer.disk.read(path)?;
            if *plain(&bytes) != *text {
                comparer.edits.push(Edit::replace(path, &bytes, &Endings::of(&bytes).restore(text)));
            }
        }
        Found::Nothing { .. } | Found::File { .. } => comparer.in_the_way(path, ObstacleKind::Link),
        Found::Obstacle { at, kind } => comparer.in_the_way(&at, kind),
    }
    Ok(())
}
