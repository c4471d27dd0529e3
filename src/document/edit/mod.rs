//! Edits that keep every byte they do not mean: comments, order, quoting, line endings.
//!
//! An [`Editor`] turns a wish ("rename this key", "move that entry below this mapping") into edits of the text, or refuses
//! with `None`: where an alias repeats the part elsewhere, where a comment would be lost, where the style of the text leaves
//! no safe way. What it moves or indents anew it reads again, and the value must be the same. [`apply`] carries edits out;
//! [`verify`] compares the documents before and after.

mod apply;
mod entry;
mod layout;
mod lines;
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
pub use verify::{Damage, verify};

/// The layout of a document's text, made when an edit is first asked for.
#[derive(Debug, Default)]
pub(super) struct LazyLayout(std::sync::OnceLock<Option<Layout>>);

/// Where a new entry goes in its mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'k> {
    /// Before all others.
    First,
    /// Behind all others.
    Last,
    /// Behind the entry with this key; behind all others where there is none.
    After(&'k str),
}

/// Makes edits for one document. All places are JSON pointers.
#[derive(Debug, Clone, Copy)]
pub struct Editor<'a> {
    file: FileId,
    text: &'a str,
    layout: &'a Layout,
}

impl Document {
    /// Makes edits of this document; `None` for a text that cannot be edited safely at all.
    pub fn editor(&self) -> Option<Editor<'_>> {
        let layout = self.layout.0.get_or_init(|| Layout::read(&self.text)).as_ref()?;
        Some(Editor { file: self.file, text: &self.text, layout })
    }
}

impl<'a> Editor<'a> {
    /// Writes another text in the place of a scalar on one line, in the same quotes.
    pub fn replace(self, at: &str, text: &str) -> Option<Vec<Edit>> {
        let part = self.part(self.layout.way(at)?.last()?.part);
        self.rewrite(part, text)
    }

    /// Gives an entry another key, in the same quotes.
    pub fn rename(self, at: &str, key: &str) -> Option<Vec<Edit>> {
        let entry = self.entry(at)?;
        if self.mapping(entry.mapping)?.keys().any(|other| other == key) {
            return None;
        }
        self.rewrite(self.part(entry.key), key)
    }

    /// Removes an entry with its lines and its own comment. Refused for the only entry of a mapping.
    pub fn remove(self, at: &str) -> Option<Vec<Edit>> {
        let range = self.removal(&self.entry(at)?)?;
        Some(vec![self.edit(range, "")])
    }

    /// Adds an entry to a mapping.
    pub fn insert(self, mapping: &str, key: &str, value: &Value, place: Place<'_>) -> Option<Vec<Edit>> {
        let mapping = self.mapping(self.layout.way(mapping)?.last()?.part)?;
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

    /// A line break unless the text before `place` ends with one: the last line of a file may lack its own.
    fn missing_break(self, place: usize) -> &'static str {
        let before = self.text.get(..place).unwrap_or_default();
        if before.is_empty() || before.ends_with('\n') { "" } else { self.line_break() }
    }
}

/// Whether a piece of text, read alone, says `value`. Fails for one that leans on an anchor elsewhere.
fn says(text: &str, value: &Value) -> bool {
    read(text).as_ref() == Some(value)
}

/// What a piece of text says when it is read alone.
fn read(text: &str) -> Option<Value> {
    let parsed = super::parse(FileId::default(), text);
    parsed.document.filter(|_| parsed.diagnostics.is_empty()).map(|document| document.value)
}
