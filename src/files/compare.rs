//! The comparison of a tree with what a folder holds: what happens to each file, and the edits that make it so.

use std::collections::{BTreeMap, BTreeSet};

use cap_std::fs::Dir;

use super::base;
use super::decide::{Case, Decision};
use super::disk::backup_names;
use super::edit::{Edit, Mode};
use super::hash::sha256;
use super::ignored::Ignored;
use super::listing::{Found, Listing};
use super::lock::{Entry, Lock};
use super::text::plain;
use super::{Action, Change, Contents, FileTree, FilesError, Note, Obstacle, ObstacleKind, Owner, PlanOptions, Target};
use super::{adopt, records, stale};

/// What would happen, and how.
#[derive(Debug)]
pub(super) struct Comparison {
    /// By path.
    pub(super) changes: Vec<Change>,
    /// What has to be done for it, removals and the rest in no order; nothing as long as a change blocks.
    pub(super) edits: Vec<Edit>,
    /// The folders that have to be made, outermost first.
    pub(super) folders: Vec<String>,
    /// Files that the comparison depends on and that no edit touches.
    pub(super) consulted: Vec<Consulted>,
}

/// A file that was read to decide about others.
#[derive(Debug)]
pub(super) struct Consulted {
    /// Below the output folder, with links followed.
    pub(super) path: String,
    /// Of its bytes; `None`: it was not there.
    pub(super) hash: Option<String>,
}

/// Compares a target with what `root` holds; `None`: a folder that does not exist.
pub(super) fn compare(root: Option<&Dir>, target: &Target) -> Result<Comparison, FilesError> {
    let Target { tree, stamp, options, .. } = target;
    let mut disk = Listing::new(root);
    let lock = records::load_lock(&mut disk)?;
    let ignored = Ignored::load(&mut disk)?;
    let (lock, ignored) = match (lock, ignored) {
        (Ok(lock), Ok(ignored)) => (lock, ignored),
        (Err(obstacle), _) | (_, Err(obstacle)) => {
            let changes = vec![Change::in_the_way(&obstacle.path.clone(), Owner::Generated, obstacle)];
            return Ok(Comparison { changes, edits: Vec::new(), folders: Vec::new(), consulted: Vec::new() });
        }
    };
    let mut comparer = Comparer {
        disk,
        tree,
        lock,
        ignored,
        options: *options,
        entries: BTreeMap::new(),
        followed: BTreeSet::new(),
        taken: BTreeSet::new(),
        changes: Vec::with_capacity(tree.len()),
        edits: Vec::new(),
    };
    for (path, file) in tree.iter() {
        comparer.planned(path, file)?;
    }
    stale::compare(&mut comparer)?;
    adopt::set_aside(&mut comparer)?;
    records::compare(&mut comparer, stamp)?;
    comparer.finish()
}

/// A comparison under way.
pub(super) struct Comparer<'a> {
    pub(super) disk: Listing<'a>,
    pub(super) tree: &'a FileTree,
    /// As it was; `None`: there is none.
    pub(super) lock: Option<Lock>,
    pub(super) ignored: Ignored,
    pub(super) options: PlanOptions,
    /// What the new lock says.
    pub(super) entries: BTreeMap<String, Entry>,
    /// The paths of files that were found under the name of one of the tree.
    pub(super) followed: BTreeSet<String>,
    /// Where files lie or will lie, links followed.
    taken: BTreeSet<String>,
    pub(super) changes: Vec<Change>,
    pub(super) edits: Vec<Edit>,
}

impl Comparer<'_> {
    /// A file of the tree.
    fn planned(&mut self, path: &str, file: &Contents) -> Result<(), FilesError> {
        let entry = self.lock.as_ref().and_then(|lock| lock.entry(path)).cloned();
        let found = self.disk.find(path)?;
        if self.ignored.has(path) {
            return self.ignored(path, file.owner, entry, found);
        }
        let rendered = plain(&file.bytes);
        let hash = sha256(&rendered);
        let change = match found {
            Found::Nothing { .. } if entry.is_some() && file.owner == Owner::Seeded => {
                Change::new(path, file.owner, Action::Deleted, None)
            }
            Found::Nothing { real, twin } => self.create(path, file, real, twin),
            // Whatever the user has made of it is the user's.
            Found::Obstacle { at, .. } if at == path && entry.is_some() && file.owner == Owner::Seeded => {
                Change::new(path, file.owner, Action::Kept, None)
            }
            Found::Obstacle { at, kind } => Change::in_the_way(path, file.owner, Obstacle { path: at, kind }),
            Found::File { spelled, real } => {
                let theirs = self.disk.read(&real)?;
                let case = Case {
                    path,
                    ours: file,
                    rendered: &rendered,
                    hash: &hash,
                    theirs: &theirs,
                    entry: entry.as_ref(),
                    has_lock: self.lock.is_some(),
                    options: self.options,
                };
                self.there(&case, &spelled, &real)?
            }
        };
        self.changes.push(change);
        let first = entry.filter(|_| file.owner == Owner::Seeded).map(|entry| entry.first.unwrap_or(entry.sha256));
        let first = first.filter(|first| *first != hash);
        self.entries.insert(path.to_owned(), Entry { owner: file.owner, sha256: hash, first });
        Ok(())
    }

    /// A file that `.adl-ignore` names: what is known of it stays known.
    pub(super) fn ignored(
        &mut self,
        path: &str,
        owner: Owner,
        entry: Option<Entry>,
        found: Found,
    ) -> Result<(), FilesError> {
        let mut change = Change::new(path, owner, Action::Ignored, None);
        match found {
            Found::File { spelled, real } => {
                self.followed.insert(spelled);
                let bytes = self.disk.read(&real)?;
                change.before = Some(bytes.clone());
                change.after = Some(bytes);
            }
            Found::Nothing { .. } | Found::Obstacle { .. } => {
                let text = "`.adl-ignore` names it, and there is no such file".to_owned();
                change.notes.push(Note { line: None, text });
            }
        }
        self.changes.push(change);
        self.entries.extend(entry.map(|entry| (path.to_owned(), entry)));
        Ok(())
    }

    /// A file where nothing is.
    fn create(&mut self, path: &str, file: &Contents, real: String, twin: Option<String>) -> Change {
        let is_ours = |folder: &str| self.lock.as_ref().is_some_and(|lock| lock.has_folder(folder));
        let real = match twin {
            // Its files move to the new spelling.
            Some(folder) if is_ours(&folder) => path.to_owned(),
            Some(folder) => {
                return Change::in_the_way(path, file.owner, Obstacle { path: folder, kind: ObstacleKind::Twin });
            }
            None => real,
        };
        if !self.taken.insert(real.clone()) {
            let obstacle = Obstacle { path: path.to_owned(), kind: ObstacleKind::SameFile };
            return Change::in_the_way(path, file.owner, obstacle);
        }
        let mode = if file.executable { Mode::Executable } else { Mode::Plain };
        self.edits.push(Edit::create(&real, &file.bytes, mode));
        let mut change = Change::new(path, file.owner, Action::Create, None);
        change.after = Some(file.bytes.clone());
        change
    }

    /// A file where one is, under a name that may differ in case.
    fn there(&mut self, case: &Case<'_>, spelled: &str, real: &str) -> Result<Change, FilesError> {
        let &Case { path, theirs, entry, .. } = case;
        let owner = case.ours.owner;
        let in_the_way =
            |path: &str, kind| Ok(Change::in_the_way(case.path, owner, Obstacle { path: path.to_owned(), kind }));
        self.followed.insert(spelled.to_owned());
        if !self.taken.insert(real.to_owned()) {
            return in_the_way(path, ObstacleKind::SameFile);
        }
        if spelled != path && (entry.is_none() || spelled != real) {
            return in_the_way(spelled, ObstacleKind::Twin);
        }
        let disk = &mut self.disk;
        let decision = case.decide(|| entry.map_or(Ok(None), |entry| base::load(disk, path, entry)))?;
        let mut change = Change::new(path, owner, Action::Kept, Some(theirs.to_vec()));
        match decision {
            Decision::InTheWay(kind) => return in_the_way(path, kind),
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
        if change.action != Action::Mark
            && let Some(line) = change.unresolved()
        {
            change.notes.push(Note { line: Some(line), text: "a conflict is still marked here".to_owned() });
        }
        if spelled != path {
            change.renamed_from = Some(spelled.to_owned());
        }
        if change.writes() {
            if self.disk.is_read_only(real)? {
                return in_the_way(path, ObstacleKind::ReadOnly);
            }
            let after = change.after.as_deref().unwrap_or(theirs);
            if spelled == path {
                self.edits.push(Edit::replace(real, theirs, after));
            } else {
                self.edits.push(Edit::remove(real, theirs));
                self.edits.push(Edit::create(path, after, Mode::Like(real.to_owned())));
            }
        }
        Ok(change)
    }

    /// Puts the user's bytes beside the file at `path`, under the first free name, which is returned.
    pub(super) fn back_up(&mut self, path: &str, bytes: &[u8], like: &str) -> Result<String, FilesError> {
        for name in backup_names(path) {
            if self.tree.get(&name).is_some() {
                continue;
            }
            if let Found::Nothing { real, .. } = self.disk.find(&name)?
                && self.taken.insert(real.clone())
            {
                self.edits.push(Edit::create(&real, bytes, Mode::Like(like.to_owned())));
                return Ok(name);
            }
        }
        unreachable!("a folder holds fewer files than there are numbers")
    }

    fn finish(mut self) -> Result<Comparison, FilesError> {
        self.changes.sort_by(|one, other| one.path.cmp(&other.path));
        if self.changes.iter().any(|change| change.action.blocks()) {
            return Ok(Comparison {
                changes: self.changes,
                edits: Vec::new(),
                folders: Vec::new(),
                consulted: Vec::new(),
            });
        }
        let mut folders = BTreeSet::new();
        for edit in self.edits.iter().filter(|edit| edit.after.is_some()) {
            for folder in super::tree::folders(&edit.path) {
                if !folders.contains(folder) && !self.disk.has_folder(folder)? {
                    folders.insert(folder.to_owned());
                }
            }
        }
        let folders = folders.into_iter().collect();
        Ok(Comparison { changes: self.changes, edits: self.edits, folders, consulted: vec![self.ignored.source] })
    }

    /// Says that something of our own cannot be where it must.
    pub(super) fn in_the_way(&mut self, path: &str, kind: ObstacleKind) {
        let obstacle = Obstacle { path: path.to_owned(), kind };
        self.changes.push(Change::in_the_way(path, Owner::Generated, obstacle));
    }
}
