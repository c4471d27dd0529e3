//! What happens to a file of the project where a file is already.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::header::is_generated;
use super::lock::Entry;
use super::text::{Endings, plain, sha256};
use super::{Action, Adopt, Contents, Note, ObstacleKind, OnConflict, Owner, PlanOptions};
use crate::merge::{Merged, Versions, merge};

/// A file that is there, and what is known of it.
pub(super) struct Case<'a> {
    pub(super) path: &'a str,
    /// What we would write.
    pub(super) ours: &'a Contents,
    /// The same with `\n` as its line break, and its hash.
    pub(super) rendered: &'a [u8],
    pub(super) hash: &'a str,
    /// What is there.
    pub(super) theirs: &'a [u8],
    /// The same with `\n` as its line break.
    pub(super) plain: Cow<'a, [u8]>,
    /// Of that, once it is known.
    pub(super) plain_hash: OnceCell<String>,
    /// What the lock says.
    pub(super) entry: Option<&'a Entry>,
    /// Whether there is a lock at all.
    pub(super) has_lock: bool,
    pub(super) options: PlanOptions,
}

/// What happens to it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// It stays as it is.
    Stay(Action, Vec<Note>),
    /// It is replaced by these bytes.
    Write(Action, Vec<u8>, Vec<Note>),
    /// It is replaced by these bytes and saved as a backup.
    Overwrite(Vec<u8>, Vec<Note>),
    /// It is an obstacle.
    Blocked(ObstacleKind),
}

impl Case<'_> {
    /// Hash of what is there, with `\n` as its line break.
    fn plain_hash(&self) -> &str {
        self.plain_hash.get_or_init(|| sha256(&self.plain))
    }

    /// Hash of bytes that are what is there, what is rendered, or neither.
    pub(super) fn hash_of(&self, bytes: &[u8]) -> String {
        if *bytes == *self.rendered {
            self.hash.to_owned()
        } else if *bytes == *self.plain {
            self.plain_hash().to_owned()
        } else {
            sha256(bytes)
        }
    }

    /// Decides. `base` loads the text rendered last; `None`: it is lost.
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

    /// About a file of which the lock knows nothing.
    fn unknown(&self, theirs: &[u8]) -> Decision {
        let is_adopted = !self.has_lock && self.options.adopt == Adopt::Yes;
        match self.ours.owner {
            Owner::Shared => self.share(theirs, self.has_lock || is_adopted),
            Owner::Seeded if is_adopted => Decision::Stay(Action::Kept, Vec::new()),
            Owner::Generated if is_adopted && is_generated(theirs) => {
                Decision::Overwrite(self.with_endings(self.rendered), Vec::new())
            }
            Owner::Generated if is_adopted => self.merge(None, theirs),
            // Such as the user's version of a file that was part of the project before, and is again.
            Owner::Generated | Owner::Seeded if self.has_lock && self.options.on_conflict.is_some() => {
                self.merge(None, theirs)
            }
            Owner::Generated | Owner::Seeded => Decision::Blocked(ObstacleKind::Differs),
        }
    }

    /// Adds our entries to a file that was there before us. Unless the project is ours already, it is in the way when that would
    /// change a line of it.
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

    /// `text` with the line endings of what is there, or of what we would write where no line is there.
    fn with_endings(&self, text: &[u8]) -> Vec<u8> {
        let model = if self.theirs.contains(&b'\n') { self.theirs } else { &self.ours.bytes };
        Endings::of(model).restore(text)
    }
}

/// Whether `after` has every line of `before`, in the same order.
fn keeps_lines(before: &[u8], after: &[u8]) -> bool {
    let lines = |text| <[u8]>::split(text, |&byte| byte == b'\n');
    let mut after = lines(after);
    lines(before.strip_suffix(b"\n").unwrap_or(before)).all(|line| after.any(|kept| kept == line))
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
