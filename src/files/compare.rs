//! Compares a [`FileTree`] with an output folder and computes the change and the edits for each file.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use cap_std::fs::Dir;

use super::decide::{Case, Decision};
use super::disk::backup_names;
use super::edit::{After, Comparison, Edit, Mode};
use super::header::is_generated;
use super::ignored::Ignored;
use super::listing::{Found, Listing};
use super::lock::{Entry, Lock};
use super::records::{NewRecords, Records};
use super::text::{plain, sha256};
use super::tree::folders;
use super::{
    Action, Adopt, Change, Contents, FileTree, FilesError, Note, Obstacle, ObstacleKind, Owner, PlanOptions, Target,
};

/// Compares `target` with the folder `root`; `None` if the folder does not exist.
pub(super) fn compare(root: Option<&Dir>, target: &Target) -> Result<Comparison, FilesError> {
    let mut listing = Listing::new(root);
    let (records, ignored) = match (Records::load(&mut listing)?, Ignored::load(&mut listing)?) {
        (Ok(records), Ok(ignored)) => (records, ignored),
        (Err(obstacle), _) | (_, Err(obstacle)) => {
            let changes = vec![Change::blocked(&obstacle.path.clone(), Owner::Generated, obstacle)];
            return Ok(Comparison { changes, ..Comparison::default() });
        }
    };
    let mut comparer = Comparer {
        listing,
        tree: &target.tree,
        records,
        ignored,
        options: target.options,
        entries: BTreeMap::new(),
        rendered: BTreeMap::new(),
        followed: BTreeSet::new(),
        taken: BTreeSet::new(),
        changes: Vec::with_capacity(target.tree.len()),
        edits: Vec::new(),
    };
    for (path, file) in target.tree.iter() {
        comparer.planned(path, file)?;
    }
    comparer.no_longer_planned()?;
    comparer.set_aside(target)?;
    comparer.finish(target)
}

/// A comparison in progress.
struct Comparer<'a> {
    listing: Listing<'a>,
    tree: &'a FileTree,
    /// The records as loaded from `.adl`.
    records: Records,
    ignored: Ignored,
    options: PlanOptions,
    /// The entries of the new lock.
    entries: BTreeMap<String, Entry>,
    /// The generated texts with `\n` line endings.
    rendered: BTreeMap<&'a str, Cow<'a, [u8]>>,
    /// Spellings on the disk of files that were matched with a file of the tree.
    followed: BTreeSet<String>,
    /// Paths of existing and new files after following links, to detect duplicates.
    taken: BTreeSet<String>,
    changes: Vec<Change>,
    edits: Vec<Edit>,
}

impl<'a> Comparer<'a> {
    /// Handles a file of the tree.
    fn planned(&mut self, path: &'a str, file: &'a Contents) -> Result<(), FilesError> {
        let entry = self.records.lock.as_ref().and_then(|lock| lock.entry(path)).cloned();
        let found = self.listing.find(path)?;
        if self.ignored.has(path) {
            return self.ignored(path, file.owner, entry, found);
        }
        let rendered = plain(&file.bytes);
        let hash = sha256(&rendered);
        let change = match found {
            Found::Nothing { .. } if entry.is_some() && file.owner == Owner::Seeded => {
                Change::new(path, file.owner, Action::Deleted, None)
            }
            Found::Nothing { real, twin } => self.create(path, file, &hash, real, twin),
            // A seeded file belongs to the user, who may have replaced it with a folder or link.
            Found::Obstacle { at, .. } if at == path && entry.is_some() && file.owner == Owner::Seeded => {
                Change::new(path, file.owner, Action::Kept, None)
            }
            Found::Obstacle { at, kind } => Change::blocked(path, file.owner, Obstacle { path: at, kind }),
            Found::File { spelled, real } => {
                let theirs = self.listing.read(&real)?;
                let has_lock = self.records.lock.is_some();
                let case = Case {
                    path,
                    ours: file,
                    rendered: &rendered,
                    hash: &hash,
                    theirs: &theirs,
                    plain: plain(&theirs),
                    plain_hash: OnceCell::new(),
                    entry: entry.as_ref(),
                    has_lock,
                    options: self.options,
                };
                self.existing(&case, &spelled, &real)?
            }
        };
        self.changes.push(change);
        let first = entry.filter(|_| file.owner == Owner::Seeded).map(|entry| entry.first.unwrap_or(entry.sha256));
        let first = first.filter(|first| *first != hash);
        self.entries.insert(path.to_owned(), Entry { owner: file.owner, sha256: hash, first });
        self.rendered.insert(path, rendered);
        Ok(())
    }

    /// Handles a file that `.adl-ignore` lists. Its entry in the lock is kept.
    fn ignored(&mut self, path: &str, owner: Owner, entry: Option<Entry>, found: Found) -> Result<(), FilesError> {
        let mut change = Change::new(path, owner, Action::Ignored, None);
        match found {
            Found::File { spelled, real } => {
                self.followed.insert(spelled);
                let bytes = self.listing.read(&real)?;
                change.before = Some(bytes.clone());
                change.after = Some(bytes);
            }
            Found::Nothing { .. } | Found::Obstacle { .. } => {
                let text = "`.adl-ignore` lists it, and it does not exist".to_owned();
                change.notes.push(Note { line: None, text });
            }
        }
        self.changes.push(change);
        self.entries.extend(entry.map(|entry| (path.to_owned(), entry)));
        Ok(())
    }

    /// Handles a file that does not exist.
    fn create(&mut self, path: &str, file: &Contents, hash: &str, real: String, twin: Option<String>) -> Change {
        let is_ours = |folder: &str| self.records.lock.as_ref().is_some_and(|lock| lock.has_folder(folder));
        let real = match twin {
            // The files of the folder move to the new spelling.
            Some(folder) if is_ours(&folder) => path.to_owned(),
            Some(folder) => {
                return Change::blocked(path, file.owner, Obstacle { path: folder, kind: ObstacleKind::Twin });
            }
            None => real,
        };
        if !self.taken.insert(real.clone()) {
            let obstacle = Obstacle { path: path.to_owned(), kind: ObstacleKind::SameFile };
            return Change::blocked(path, file.owner, obstacle);
        }
        let mode = if file.executable { Mode::Executable } else { Mode::Plain };
        self.edits.push(Edit::create(&real, After { bytes: file.bytes.clone(), hash: hash.to_owned(), mode }));
        let mut change = Change::new(path, file.owner, Action::Create, None);
        change.after = Some(file.bytes.clone());
        change
    }

    /// Handles a file that exists, possibly under a name with different case.
    fn existing(&mut self, case: &Case<'_>, spelled: &str, real: &str) -> Result<Change, FilesError> {
        let &Case { path, theirs, entry, .. } = case;
        let owner = case.ours.owner;
        let blocked =
            |path: &str, kind| Ok(Change::blocked(case.path, owner, Obstacle { path: path.to_owned(), kind }));
        self.followed.insert(spelled.to_owned());
        if !self.taken.insert(real.to_owned()) {
            return blocked(path, ObstacleKind::SameFile);
        }
        if spelled != path && (entry.is_none() || spelled != real) {
            return blocked(spelled, ObstacleKind::Twin);
        }
        let (records, listing) = (&mut self.records, &mut self.listing);
        let decision = case.decide(|| entry.map_or(Ok(None), |entry| records.base(listing, path, entry)))?;
        let mut change = Change::new(path, owner, Action::Kept, Some(theirs.to_vec()));
        match decision {
            Decision::Blocked(kind) => return blocked(path, kind),
            Decision::Stay(action, notes) => (change.action, change.notes) = (action, notes),
            Decision::Write(action, after, notes) => {
                (change.action, change.after, change.notes) = (action, Some(after), notes);
            }
            Decision::Overwrite(after, notes) => {
                let backup = self.back_up(path, theirs, real)?;
                change.action = Action::Overwrite { backup };
                (change.after, change.notes) = (Some(after), notes);
            }
        }
        if change.action != Action::Markers
            && let Some(line) = change.unresolved()
        {
            change.notes.push(Note { line: Some(line), text: "unresolved conflict".to_owned() });
        }
        if spelled != path {
            change.renamed_from = Some(spelled.to_owned());
        }
        if change.writes() {
            if self.listing.is_read_only(real)? {
                return blocked(path, ObstacleKind::ReadOnly);
            }
            let bytes = change.after.as_deref().unwrap_or(theirs).to_vec();
            let after = After { hash: case.hash_of(&bytes), bytes, mode: Mode::Like(real.to_owned()) };
            if spelled == path {
                self.edits.push(Edit::replace(real, case.hash_of(theirs), after));
            } else {
                self.edits.push(Edit::remove(real, case.hash_of(theirs)));
                self.edits.push(Edit::create(path, after));
            }
        }
        Ok(change)
    }

    /// Saves the user's version of the file at `path` under the first free backup name and returns that name.
    fn back_up(&mut self, path: &str, bytes: &[u8], like: &str) -> Result<String, FilesError> {
        for name in backup_names(path) {
            if self.tree.get(&name).is_some() {
                continue;
            }
            if let Found::Nothing { real, .. } = self.listing.find(&name)?
                && self.taken.insert(real.clone())
            {
                self.edits.push(Edit::create(&real, After::new(bytes.to_vec(), Mode::Like(like.to_owned()))));
                return Ok(name);
            }
        }
        unreachable!("a folder holds fewer files than there are numbers")
    }

    /// Handles files that are no longer part of the tree: unmodified files are removed, others now belong to the user.
    fn no_longer_planned(&mut self) -> Result<(), FilesError> {
        let files = self.records.lock.iter().flat_map(Lock::files);
        let gone: Vec<(String, Entry)> = files
            .filter(|(path, _)| self.tree.get(path).is_none() && !self.followed.contains(*path))
            .map(|(path, entry)| (path.to_owned(), entry.clone()))
            .collect();
        for (path, entry) in gone {
            let found = self.listing.find(&path)?;
            if self.ignored.has(&path) {
                self.ignored(&path, entry.owner, Some(entry), found)?;
            } else if self.tree.is_source(&path) {
                self.source(path, entry, &found)?;
            } else {
                self.gone(&path, &entry, found)?;
            }
        }
        Ok(())
    }

    /// Keeps the file that the tree was generated from. If the user edited it, it is dropped from the lock.
    fn source(&mut self, path: String, entry: Entry, found: &Found) -> Result<(), FilesError> {
        if let Found::File { real, .. } = found {
            let bytes = self.listing.read(real)?;
            if sha256(&plain(&bytes)) == entry.sha256 {
                self.changes.push(Change::new(&path, entry.owner, Action::Unchanged, Some(bytes)));
                self.entries.insert(path, entry);
            }
        }
        Ok(())
    }

    fn gone(&mut self, path: &str, entry: &Entry, found: Found) -> Result<(), FilesError> {
        let mut change = match found {
            // The user already removed the file.
            Found::Nothing { .. } => return Ok(()),
            Found::File { spelled, .. } if spelled != path => return Ok(()),
            Found::Obstacle { .. } => Change::new(path, entry.owner, Action::Orphaned, None),
            Found::File { real, .. } => {
                let bytes = self.listing.read(&real)?;
                let text = plain(&bytes);
                let hash = sha256(&text);
                let is_unedited = real == path && entry.is_from_us(&hash);
                if is_unedited && self.listing.is_read_only(&real)? {
                    self.blocked(Obstacle { path: path.to_owned(), kind: ObstacleKind::ReadOnly });
                    return Ok(());
                }
                if is_unedited {
                    let before = if matches!(text, Cow::Borrowed(_)) { hash } else { sha256(&bytes) };
                    self.edits.push(Edit::remove(path, before));
                }
                let action = if is_unedited { Action::Remove } else { Action::Orphaned };
                Change::new(path, entry.owner, action, Some(bytes))
            }
        };
        if change.action == Action::Remove {
            change.after = None;
        }
        self.changes.push(change);
        Ok(())
    }

    /// When adopting a project of another generator, moves its files that are not part of the tree to backups.
    fn set_aside(&mut self, target: &Target) -> Result<(), FilesError> {
        if self.options.adopt == Adopt::No || self.records.lock.is_some() {
            return Ok(());
        }
        for path in self.listing.walk(&|folder, names| target.boundaries.include(folder, names))? {
            let is_known = self.tree.get(&path).is_some() || self.tree.is_source(&path);
            if is_known || self.followed.contains(&path) || self.ignored.has(&path) {
                continue;
            }
            if !is_generated(&plain(&self.listing.read_beginning(&path, HEADER_LIMIT)?)) {
                continue;
            }
            let bytes = self.listing.read(&path)?;
            let backup = self.back_up(&path, &bytes, &path)?;
            self.edits.push(Edit::remove(&path, sha256(&bytes)));
            let mut change = Change::new(&path, Owner::Generated, Action::SetAside { backup }, Some(bytes));
            change.after = None;
            self.changes.push(change);
        }
        Ok(())
    }

    fn finish(mut self, target: &Target) -> Result<Comparison, FilesError> {
        let new = NewRecords {
            stamp: &target.stamp,
            entries: std::mem::take(&mut self.entries),
            rendered: std::mem::take(&mut self.rendered),
        };
        match self.records.edits(&mut self.listing, new)? {
            Ok(edits) => self.edits.extend(edits),
            Err(obstacle) => self.blocked(obstacle),
        }
        self.changes.sort_by(|one, other| one.path.cmp(&other.path));
        if self.changes.iter().any(|change| change.action.blocks()) {
            return Ok(Comparison { changes: self.changes, ..Comparison::default() });
        }
        let mut missing = BTreeSet::new();
        for edit in self.edits.iter().filter(|edit| edit.after.is_some()) {
            for folder in folders(&edit.path) {
                if !missing.contains(folder) && !self.listing.has_folder(folder)? {
                    missing.insert(folder.to_owned());
                }
            }
        }
        Ok(Comparison {
            changes: self.changes,
            edits: self.edits,
            folders: missing.into_iter().collect(),
            consulted: vec![self.ignored.source],
        })
    }

    /// Adds a change for an obstacle to one of the files of `.adl`.
    fn blocked(&mut self, obstacle: Obstacle) {
        self.changes.push(Change::blocked(&obstacle.path.clone(), Owner::Generated, obstacle));
    }
}

/// The number of bytes that are searched for a header.
const HEADER_LIMIT: u64 = 4096;
