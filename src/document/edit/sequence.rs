//! Items of block sequences.

use std::ops::Range;

use super::entry::Entry;
use super::layout::{Content, PartId};
use super::{Editor, Place, lines, read, says, write};
use crate::diagnostics::Edit;

/// An item of a block sequence.
struct Item {
    /// Column of its `-`.
    column: usize,
    lines: Range<usize>,
}

impl<'a> Editor<'a> {
    /// Moves an item, with its own comment, to the end of the sequence `key` of a mapping, creating it if necessary. If
    /// it was the last item, its old sequence is removed.
    pub fn move_item(self, from: &str, mapping: &str, key: &str) -> Option<Vec<Edit>> {
        let (sequence, _) = from.rsplit_once('/')?;
        let siblings = self.items(sequence)?;
        let item = self.item(self.layout.path(from)?.last()?.part)?;
        let removal = match siblings {
            [_] => self.emptied(&self.entry(sequence)?, &item)?,
            _ => self.edit(lines::with_gap(self.text, item.lines.clone()), ""),
        };
        let start = item.lines.start;
        let text = self.slice(item.lines)?;
        let moved = |column| {
            let moved = lines::shift(text, item.column, column)?;
            let moved = moved.trim_end_matches(['\n', '\r']);
            says(moved, &read(text)?).then(|| moved.to_owned())
        };
        let mapping_at = self.mapping(self.layout.path(mapping)?.last()?.part)?;
        let insertion = if mapping_at.keys().any(|other| other == key) {
            let last = self.item(*self.items(&format!("{mapping}/{key}"))?.last()?)?;
            let (before, after) = match self.missing_break(last.lines.end) {
                "" => ("", self.line_break()),
                missing => (missing, ""),
            };
            let moved = moved(last.column)?;
            self.edit(last.lines.end..last.lines.end, format!("{before}{moved}{after}"))
        } else if mapping_at.flow {
            return None;
        } else {
            let moved = moved(mapping_at.column()? + write::STEP)?;
            mapping_at.insert_lines(&[format!("{key}:"), moved], Place::After(sequence.rsplit('/').next()?))?
        };
        self.relocation(removal, start, insertion)
    }

    /// Removes the entry of a sequence that loses its only item, and keeps the comments around it.
    fn emptied(self, entry: &Entry, item: &Item) -> Option<Edit> {
        let lines = self.lines(entry)?;
        self.removal(entry)?;
        let around =
            format!("{}{}", self.slice(lines.start..item.lines.start)?, self.slice(item.lines.end..lines.end)?);
        let indentation = " ".repeat(lines::column(self.text, entry.range.start));
        let mut comments = String::new();
        for line in around.split_inclusive('\n').filter_map(|line| line.get(line.find('#')?..)) {
            comments.extend([indentation.as_str(), line]);
        }
        let deleted = if comments.is_empty() { lines::with_gap(self.text, lines) } else { lines };
        Some(self.edit(deleted, comments))
    }

    /// Replaces a sequence with its only item.
    pub fn unwrap_item(self, at: &str) -> Option<Vec<Edit>> {
        let part = self.part(self.layout.path(at)?.last()?.part);
        let Content::Sequence { flow, items } = &part.content else { return None };
        let [item] = items.as_slice() else { return None };
        let item = &self.part(*item).range;
        let before = self.slice(part.range.start..item.start)?;
        let inner = self.slice(item.clone())?;
        if *flow {
            let commented = lines::has_comment(self.text, part.range.clone());
            return (!commented).then(|| vec![self.edit(part.range.clone(), inner)]);
        }
        let opened = before.strip_prefix('-').filter(|blanks| blanks.chars().all(|c| c == ' '))?;
        let old = format!("-{opened}{inner}");
        let column = lines::column(self.text, part.range.start);
        let new = format!(" {opened}{inner}");
        let alone = |text: &str| read(&format!("{}{text}", " ".repeat(column)));
        let unwrapped = alone(&old)?.as_array()?.first()?.clone();
        (alone(&new)? == unwrapped).then(|| vec![self.edit(part.range.clone(), new)])
    }

    /// The items of a block sequence; `None` if there are none.
    fn items(self, at: &str) -> Option<&'a [PartId]> {
        match &self.part(self.layout.path(at)?.last()?.part).content {
            Content::Sequence { flow: false, items } => {
                Some(items).filter(|items| !items.is_empty()).map(Vec::as_slice)
            }
            Content::Sequence { .. } | Content::Scalar { .. } | Content::Mapping { .. } | Content::Alias => None,
        }
    }

    /// An item with its comment. `None` if it does not start on the line of its `-`, or if the line contains something
    /// before the `-`.
    fn item(self, id: PartId) -> Option<Item> {
        let value = &self.part(id).range;
        let start = lines::line_start(self.text, value.start);
        let indentation = self.slice(start..value.start)?.trim_end_matches(' ').strip_suffix('-')?;
        if !indentation.chars().all(|c| c == ' ') || value.is_empty() {
            return None;
        }
        let column = indentation.len();
        let end = lines::with_comments_below(self.text, self.line_end(value.end), column);
        Some(Item { column, lines: lines::with_comment_above(self.text, start, column)..end })
    }
}
