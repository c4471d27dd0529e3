//! Decides what happens to an existing file of the project.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::header::is_generated;
use super::lock::Entry;
use super::text::{Endings, plain, sha256};
use super::{Action, Adopt, Contents, Note, ObstacleKind, OnConflict, Owner, PlanOptions};
use crate::merge::{Merged, Versions, merge};

/// An existing file and what is known about it.
pub(super) struct Case<'a> {
    pub(super) path: &'a str,
    /// The generated file.
    pub(super) ours: &'a Contents,
    /// The generated contents with `\n` line endings, and their hash.
    pub(super) rendered: &'a [u8],
    pub(super) hash: &'a str,
    /// The current contents.
    pub(super) theirs: &'a [u8],
    /// The current contents with `\n` line endings.
    pub(super) plain: Cow<'a, [u8]>,
    /// Hash of `plain`, computed on first use.
    pub(super) plain_hash: OnceCell<String>,
    /// The file's entry in the lock.
    pub(super) entry: Option<&'a Entry>,
    /// Whether the folder has a lock.
    pub(super) has_lock: bool,
    pub(super) options: PlanOptions,
}

/// The decision about a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// Keep the file as it is.
    Stay(Action, Vec<Note>),
    /// Replace the file with these bytes.
    Write(Action, Vec<u8>, Vec<Note>),
    /// Replace the file with these bytes and save a backup.
    Overwrite(Vec<u8>, Vec<Note>),
    /// The file is an obstacle.
    Blocked(ObstacleKind),
}

impl Case<'_> {
    /// Hash of the current contents with `\n` line endings.
    fn plain_hash(&self) -> &str {
        self.plain_hash.get_or_init(|| sha256(&self.plain))
    }

    /// Hash of `bytes`. Reuses a known hash if they equal the current or the generated contents.
    pub(super) fn hash_of(&self, bytes: &[u8]) -> String {
        if *bytes == *self.rendered {
            self.hash.to_owned()
        } else if *bytes == *self.plain {
            self.plain_hash().to_owned()
        } else {
            sha256(bytes)
        }
    }

    /// Decides what happens to the file. `base` loads the text that was generated last; `None` if it is lost.
    pub(super) fn decide<E>(&self, base: impl FnOnce() -> Result<Option<String>, E>) -> Result<Decision, E> {
        let theirs = &*self.plain;
        if *theirs == *self.rendered {
            return Ok(Decision::Stay(Action::Unchanged, Vec::new()));
        }
        let Some(entry) = self.entry else { return Ok(self.unknown(theirs)) };
        let has_news = entry.sha256 != self.hash;
        Ok(match self.ours.owner {
            Owner::Seeded if has_news => {
                let to = String::from_utf8_lossy(self.rendered).into_owned();
                Decision::Stay(Action::SeedChanged { from: base()?, to }, Vec::new())
            }
            Owner::Generated | Owner::Shared if self.plain_hash() == entry.sha256 => {
                Decision::Write(Action::Update, self.with_endings(self.rendered), Vec::new())
            }
            Owner::Generated | Owner::Shared if has_news => self.merge(base()?.as_deref(), theirs),
            Owner::Seeded | Owner::Generated | Owner::Shared => Decision::Stay(Action::Kept, Vec::new()),
        })
    }

    /// Decides about a file that is not in the lock.
    fn unknown(&self, theirs: &[u8]) -> Decision {
        let is_adopted = !self.has_lock && self.options.adopt == Adopt::Yes;
        match self.ours.owner {
            Owner::Shared => self.share(theirs, self.has_lock || is_adopted),
            Owner::Seeded if is_adopted => Decision::Stay(Action::Kept, Vec::new()),
            Owner::Generated if is_adopted && is_generated(theirs) => {
                Decision::Overwrite(self.with_endings(self.rendered), Vec::new())
            }
            Owner::Generated if is_adopted => self.merge(None, theirs),
            // For example, the user's version of a file that left the project and is part of it again.
            Owner::Generated | Owner::Seeded if self.has_lock && self.options.on_conflict.is_some() => {
                self.merge(None, theirs)
            }
            Owner::Generated | Owner::Seeded => Decision::Blocked(ObstacleKind::Differs),
        }
    }

    /// Adds generated entries to a file that existed before. Unless `is_ours` is true, that is, the project was already
    /// generated or is being adopted, the file is an obstacle if a line of it would change.
    fn share(&self, theirs: &[u8], is_ours: bool) -> Decision {
        let mut decision = self.merge(Some(""), theirs);
        let mut is_allowed = is_ours || matches!(decision, Decision::Stay(Action::Kept, _));
        if let Decision::Write(Action::Merge, after, notes) = &mut decision {
            is_allowed |= keeps_lines(theirs, &plain(after));
            notes.push(Note { line: None, text: "the file existed before; entries of adl are added".to_owned() });
        }
        if is_allowed { decision } else { Decision::Blocked(ObstacleKind::Differs) }
    }

    fn merge(&self, base: Option<&str>, theirs: &[u8]) -> Decision {
        let (Ok(theirs), Ok(ours)) = (std::str::from_utf8(theirs), std::str::from_utf8(self.rendered)) else {
            let text = "not a text file, so it cannot be merged".to_owned();
            return self.conflict(None, vec![Note { line: None, text }]);
        };
        let note = |line, text| Note { line: Some(line), text };
        match merge(self.ours.strategy, &Versions { base, theirs, ours }) {
            Merged::Clean { text, notes } => {
                let notes = notes.into_iter().map(|found| note(found.line, found.text)).collect();
                if text == theirs {
                    Decision::Stay(Action::Kept, notes)
                } else {
                    Decision::Write(Action::Merge, self.with_endings(text.as_bytes()), notes)
                }
            }
            Merged::Conflict { conflicts, marked } => {
                let notes = conflicts.into_iter().map(|found| note(found.line, found.text)).collect();
                self.conflict(Some(marked), notes)
            }
        }
    }

    fn conflict(&self, marked: Option<String>, notes: Vec<Note>) -> Decision {
        match (self.options.on_conflict, marked) {
            (Some(OnConflict::Keep), _) => Decision::Stay(Action::Kept, notes),
            (Some(OnConflict::Overwrite), _) => Decision::Overwrite(self.with_endings(self.rendered), notes),
            (Some(OnConflict::Markers), Some(marked)) => {
                Decision::Write(Action::Markers, self.with_endings(marked.as_bytes()), notes)
            }
            (Some(OnConflict::Markers) | None, _) => Decision::Stay(Action::Conflict, notes),
        }
    }

    /// `text` with the line endings of the current contents, or of the generated file if the current contents have no
    /// line break.
    fn with_endings(&self, text: &[u8]) -> Vec<u8> {
        let model = if self.theirs.contains(&b'\n') { self.theirs } else { &self.ours.bytes };
        Endings::of(model).restore(text)
    }
}

/// Whether `after` contains every line of `before`, in the same order.
fn keeps_lines(before: &[u8], after: &[u8]) -> bool {
    let lines = |text| <[u8]>::split(text, |&byte| byte == b'\n');
    let mut after = lines(after);
    lines(before.strip_suffix(b"\n").unwrap_or(before)).all(|line| after.any(|kept| kept == line))
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
