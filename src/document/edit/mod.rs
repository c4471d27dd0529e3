//! Edits that preserve everything else: comments, order, quoting, line endings.
//!
//! An [`Editor`] turns an operation ("rename this key", "move that entry to this mapping") into text edits. It returns
//! `None` if an alias uses the part elsewhere, if a comment would be lost, or if the style of the text allows no safe
//! edit. Text that it moves or reindents is parsed again and must have the same value. [`apply`] applies edits;
//! [`verify`] compares the documents before and after.

mod apply;
mod entry;
mod layout;
pub(super) mod lines;
mod moves;
mod sequence;
mod verify;
mod write;

#[cfg(test)]
mod tests;

use std::ops::Range;

use granit_parser::ScalarStyle;
use serde_json::Value;

use super::Document;
use crate::diagnostics::{Edit, FileId, Span};
use layout::{Content, Layout, Part, PartId};
use write::Quoting;

pub use apply::{Taken, apply};
pub use verify::{VerifyError, verify};

/// The layout of a document's text, built on the first edit.
#[derive(Debug, Default)]
pub(super) struct LazyLayout(std::sync::OnceLock<Option<Layout>>);

/// Where a new entry goes in its mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'k> {
    /// First.
    First,
    /// Last.
    Last,
    /// After the entry with this key, or last if there is none.
    After(&'k str),
}

/// Creates edits for a document. All paths are JSON pointers.
#[derive(Debug, Clone, Copy)]
pub struct Editor<'a> {
    file: FileId,
    text: &'a str,
    layout: &'a Layout,
}

impl Document {
    /// An editor for this document; `None` if its text cannot be edited safely.
    pub fn editor(&self) -> Option<Editor<'_>> {
        let layout = self.layout.0.get_or_init(|| Layout::read(&self.text)).as_ref()?;
        Some(Editor { file: self.file, text: &self.text, layout })
    }
}

impl<'a> Editor<'a> {
    /// Replaces a single-line scalar, keeping its quotes.
    pub fn replace(self, at: &str, text: &str) -> Option<Vec<Edit>> {
        let part = self.part(self.layout.path(at)?.last()?.part);
        self.rewrite(part, text)
    }

    /// Replaces a single-line scalar by another that is not a string.
    pub fn replace_scalar(self, at: &str, value: &Value) -> Option<Vec<Edit>> {
        let part = self.part(self.layout.path(at)?.last()?.part);
        let Content::Scalar { style, .. } = &part.content else { return None };
        let is_line = !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) && !part.range.is_empty();
        (is_line && !part.repeated && !value.is_object() && !value.is_array())
            .then(|| vec![self.edit(part.range.clone(), write::flow(value, Quoting::AsNeeded))])
    }

    /// Renames the key of an entry, keeping its quotes.
    pub fn rename(self, at: &str, key: &str) -> Option<Vec<Edit>> {
        let entry = self.entry(at)?;
        if self.mapping(entry.mapping)?.keys().any(|other| other == key) {
            return None;
        }
        self.rewrite(self.part(entry.key), key)
    }

    /// Removes an entry with its lines and its own comment, unless it is the only entry of its mapping.
    pub fn remove(self, at: &str) -> Option<Vec<Edit>> {
        let range = self.removal(&self.entry(at)?)?;
        Some(vec![self.edit(range, "")])
    }

    /// Removes the only entry of a block mapping, which becomes `{}`.
    pub fn remove_only(self, at: &str) -> Option<Vec<Edit>> {
        let entry = self.entry(at)?;
        let above = self.entry(at.rsplit_once('/')?.0)?;
        let key = self.part(above.key).range.end;
        let colon = key + self.slice(key..self.text.len())?.find(':')?;
        let lines = lines::with_gap(self.text, self.commented_lines(&entry)?);
        let is_only = self.mapping(entry.mapping)?.keys().count() == 1;
        (is_only && colon < lines.start).then(|| vec![self.edit(colon + 1..colon + 1, " {}"), self.edit(lines, "")])
    }

    /// Adds an entry to a mapping.
    pub fn insert(self, mapping: &str, key: &str, value: &Value, place: Place<'_>) -> Option<Vec<Edit>> {
        let mapping = self.mapping(self.layout.path(mapping)?.last()?.part)?;
        if mapping.keys().any(|other| other == key) {
            return None;
        }
        let quoting = mapping.quoting();
        let edit = if mapping.flow {
            let entry = format!("{}: {}", write::string(key, quoting), write::flow(value, quoting));
            mapping.insert_flow(&entry, place)?
        } else {
            mapping.insert_lines(&write::entry(key, value, mapping.column()?), place)?
        };
        Some(vec![edit])
    }

    fn rewrite(self, part: &Part, text: &str) -> Option<Vec<Edit>> {
        let Content::Scalar { style, .. } = &part.content else { return None };
        if part.range.is_empty() || part.repeated {
            return None;
        }
        let text = match style {
            ScalarStyle::Plain => write::string(text, Quoting::AsNeeded),
            ScalarStyle::DoubleQuoted => write::string(text, Quoting::Always),
            ScalarStyle::SingleQuoted => format!("'{}'", text.replace('\'', "''")),
            ScalarStyle::Literal | ScalarStyle::Folded => return None,
        };
        Some(vec![self.edit(part.range.clone(), text)])
    }

    fn edit(self, range: Range<usize>, replacement: impl Into<String>) -> Edit {
        Edit { span: Span::new(self.file, range), replacement: replacement.into() }
    }

    fn part(self, id: PartId) -> &'a Part {
        self.layout.part(id)
    }

    fn slice(self, range: Range<usize>) -> Option<&'a str> {
        self.text.get(range)
    }

    fn line_break(self) -> &'static str {
        lines::line_break(self.text)
    }

    /// A line break unless the text before `place` ends with one: the last line of a file may have none.
    fn missing_break(self, place: usize) -> &'static str {
        let before = self.text.get(..place).unwrap_or_default();
        if before.is_empty() || before.ends_with('\n') { "" } else { self.line_break() }
    }
}

/// The lines of an entry at the top of a document.
pub(super) fn block_entry(key: &str, value: &Value) -> Vec<String> {
    write::entry(key, value, 0)
}

/// Whether a piece of text, parsed alone, equals `value`. False if it uses an anchor elsewhere.
fn says(text: &str, value: &Value) -> bool {
    read(text).as_ref() == Some(value)
}

/// The value of a piece of text, parsed alone.
fn read(text: &str) -> Option<Value> {
    let parsed = super::parse(FileId::default(), text);
    parsed.document.filter(|_| parsed.diagnostics.is_empty()).map(|document| document.value)
}
