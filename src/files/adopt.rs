//! Taking over a project that another generator made: its files that are not part of the project go out of the way.

use super::compare::Comparer;
use super::decide::is_generated;
use super::edit::Edit;
use super::text::plain;
use super::{Action, Adopt, Change, FilesError, Owner};

/// Files of which a folder with one of them is a project of its own.
const ROOTS: &[&str] = &[".adl", ".git", "agent.yaml", "go.mod", "package.json", "Cargo.toml"];

/// Folders that hold no file of a project.
const PASSED_OVER: &[&str] = &[".adl", ".git", "node_modules", "vendor", "target"];

/// How many bytes of a file are searched for a header.
const HEADER_LIMIT: u64 = 4096;

/// Renames every file whose header says that it is generated and that is not part of the project.
pub(super) fn set_aside(comparer: &mut Comparer<'_>) -> Result<(), FilesError> {
    if comparer.options.adopt == Adopt::No || comparer.lock.is_some() {
        return Ok(());
    }
    let is_project = |folder: &str, names: &[&str]| {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        folder.is_empty() || !PASSED_OVER.contains(&name) && !names.iter().any(|name| ROOTS.contains(name))
    };
    for path in comparer.disk.walk(&is_project)? {
        let is_known = comparer.tree.get(&path).is_some() || comparer.tree.is_source(&path);
        if is_known || comparer.followed.contains(&path) || comparer.ignored.has(&path) {
            continue;
        }
        if !is_generated(&plain(&comparer.disk.read_beginning(&path, HEADER_LIMIT)?)) {
            continue;
        }
        let bytes = comparer.disk.read(&path)?;
        let backup = comparer.back_up(&path, &bytes, &path)?;
        comparer.edits.push(Edit::remove(&path, &bytes));
        let mut change = Change::new(&path, Owner::Generated, Action::SetAside { backup }, Some(bytes));
        change.after = None;
        comparer.changes.push(change);
    }
    Ok(())
}
