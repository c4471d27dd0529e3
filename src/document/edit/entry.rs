//! The layout of entries and mappings.

use std::ops::Range;

use granit_parser::ScalarStyle;

use super::layout::{Content, PartId};
use super::lines;
use super::write::{self, Quoting};
use super::{Editor, Place};
use crate::diagnostics::Edit;

/// One entry of a mapping.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) mapping: PartId,
    pub(super) slot: usize,
    pub(super) key: PartId,
    /// From the key's first byte to the end of the value.
    pub(super) range: Range<usize>,
}

/// A mapping that entries can be added to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mapping<'a> {
    editor: Editor<'a>,
    id: PartId,
    entries: &'a [(PartId, PartId)],
    pub(super) flow: bool,
}

impl<'a> Editor<'a> {
    /// The entry at a pointer; `None` for an item of a sequence and for the root.
    pub(super) fn entry(self, at: &str) -> Option<Entry> {
        let path = self.layout.path(at)?;
        let [.., above, last] = path.as_slice() else { return None };
        self.mapping(above.part)?.entry(last.slot)
    }

    pub(super) fn mapping(self, id: PartId) -> Option<Mapping<'a>> {
        match &self.part(id).content {
            Content::Mapping { flow, entries } => Some(Mapping { editor: self, id, entries, flow: *flow }),
            Content::Scalar { .. } | Content::Sequence { .. } | Content::Alias => None,
        }
    }

    /// The lines of an entry in block style, from the start of its key's line. `None` if another entry or a `-`
    /// precedes it on its line.
    pub(super) fn lines(self, entry: &Entry) -> Option<Range<usize>> {
        let start = entry.range.start;
        (!self.mapping(entry.mapping)?.flow && lines::begins_line(self.text, start))
            .then(|| lines::line_start(self.text, start)..self.end_of_lines(entry))
    }

    /// The lines of an entry and its own comment above them.
    pub(super) fn commented_lines(self, entry: &Entry) -> Option<Range<usize>> {
        let lines = self.lines(entry)?;
        let column = lines::column(self.text, entry.range.start);
        Some(lines::with_comment_above(self.text, lines.start, column)..lines.end)
    }

    /// The end of an entry's lines, including comments below it that are indented deeper.
    pub(super) fn end_of_lines(self, entry: &Entry) -> usize {
        let column = lines::column(self.text, entry.range.start);
        lines::with_comments_below(self.text, self.line_end(entry.range.end), column)
    }

    /// The end of the line on which a value ends. A block scalar that keeps trailing empty lines already ends at a line
    /// break.
    pub(super) fn line_end(self, end: usize) -> usize {
        let ended = self.text.get(..end).is_some_and(|text| text.ends_with('\n'));
        if ended { end } else { lines::line_end(self.text, end) }
    }

    /// The range to delete when an entry is removed.
    pub(super) fn removal(self, entry: &Entry) -> Option<Range<usize>> {
        let mapping = self.mapping(entry.mapping)?;
        if mapping.entries.len() < 2 {
            return None;
        }
        let next = mapping.entry(entry.slot + 1);
        if let Some(lines) = self.commented_lines(entry) {
            return Some(lines::with_gap(self.text, lines));
        }
        let (range, gap) = if let Some(next) = next {
            (entry.range.start..next.range.start, entry.range.end..next.range.start)
        } else {
            let previous = mapping.entry(entry.slot.checked_sub(1)?)?;
            (previous.range.end..entry.range.end, previous.range.end..entry.range.start)
        };
        (!lines::has_comment(self.text, gap)).then_some(range)
    }
}

impl<'a> Mapping<'a> {
    pub(super) fn keys(self) -> impl Iterator<Item = &'a str> {
        self.entries.iter().filter_map(move |(key, _)| match &self.editor.part(*key).content {
            Content::Scalar { text, .. } => Some(text.as_str()),
            Content::Sequence { .. } | Content::Mapping { .. } | Content::Alias => None,
        })
    }

    /// The entry at an index. `None` also if its extent is ambiguous.
    pub(super) fn entry(self, slot: usize) -> Option<Entry> {
        let (key, value) = *self.entries.get(slot)?;
        let (key_range, value) = (self.editor.part(key).range.clone(), self.editor.part(value));
        let following = self.editor.text.get(key_range.end..)?;
        let colon = following.len() - following.trim_start_matches(' ').len();
        if !following.trim_start_matches(' ').starts_with(':') {
            return None;
        }
        let left_out = value.range.is_empty();
        let end = match &value.content {
            Content::Scalar { style: ScalarStyle::Literal | ScalarStyle::Folded, .. } if left_out => return None,
            _ if left_out && self.flow => return None,
            _ if left_out => key_range.end + colon + 1,
            Content::Scalar { .. } | Content::Sequence { .. } | Content::Mapping { .. } | Content::Alias => {
                value.range.end
            }
        };
        Some(Entry { mapping: self.id, slot, key, range: key_range.start..end })
    }

    /// How keys are quoted: like the first key, or as in JSON in an empty mapping of a file that starts like JSON.
    pub(super) fn quoting(self) -> Quoting {
        let quoted = match self.entries.first().map(|(key, _)| &self.editor.part(*key).content) {
            Some(Content::Scalar { style, .. }) => *style == ScalarStyle::DoubleQuoted,
            _ => self.editor.text.trim_start_matches('\u{feff}').trim_start().starts_with('{'),
        };
        if quoted && self.flow { Quoting::Always } else { Quoting::AsNeeded }
    }

    /// The column of a block mapping's keys.
    pub(super) fn column(self) -> Option<usize> {
        let (key, _) = self.entries.first()?;
        Some(lines::column(self.editor.text, self.editor.part(*key).range.start))
    }

    /// Adds an entry, written on one line, to a flow mapping.
    pub(super) fn insert_flow(self, entry: &str, place: Place<'_>) -> Option<Edit> {
        let Some(after) = self.before(place) else {
            let start = self.editor.part(self.id).range.start + 1;
            let separator = if self.entries.is_empty() { "" } else { ", " };
            return Some(self.editor.edit(start..start, format!("{entry}{separator}")));
        };
        let previous = self.entry(after)?;
        let start = previous.range.start;
        let separator = if lines::begins_line(self.editor.text, start) {
            format!(",{}{}", self.editor.line_break(), " ".repeat(lines::column(self.editor.text, start)))
        } else {
            ", ".to_owned()
        };
        Some(self.editor.edit(previous.range.end..previous.range.end, format!("{separator}{entry}")))
    }

    /// Adds lines, the first without indentation, to a block mapping.
    pub(super) fn insert_lines(self, new: &[String], place: Place<'_>) -> Option<Edit> {
        let (column, line_break) = (self.column()?, self.editor.line_break());
        let indentation = " ".repeat(column);
        let text = new.join(line_break);
        let Some(after) = self.before(place) else {
            let start = self.editor.part(self.entries.first()?.0).range.start;
            return Some(self.editor.edit(start..start, format!("{text}{line_break}{indentation}")));
        };
        let place = self.editor.end_of_lines(&self.entry(after)?);
        let (before, following) = match self.editor.missing_break(place) {
            "" => ("", line_break),
            missing => (missing, ""),
        };
        Some(self.editor.edit(place..place, format!("{before}{indentation}{text}{following}")))
    }

    /// The index of the entry before a place; `None` for the first place.
    fn before(self, place: Place<'_>) -> Option<usize> {
        let last = self.entries.len().checked_sub(1);
        match place {
            Place::First => None,
            Place::Last => last,
            Place::After(key) => self.keys().position(|other| other == key).or(last),
        }
    }

    /// Writes a key with the quoting of this mapping.
    pub(super) fn key(self, key: &str) -> String {
        write::string(key, self.quoting())
    }
}
