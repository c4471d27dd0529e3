//! Moves and transforms entries with their comments and reindents them.

use std::ops::Range;

use serde_json::{Map, Value};

use super::entry::{Entry, Mapping};
use super::{Editor, Place, lines, read, says, write};
use crate::diagnostics::Edit;

impl Editor<'_> {
    /// Nests an entry in place: for the keys `a`, `b`, `key: value` becomes `a:` with `b: value` below it.
    pub fn nest(self, at: &str, keys: &[&str]) -> Option<Vec<Edit>> {
        let entry = self.entry(at)?;
        let mapping = self.mapping(entry.mapping)?;
        let (last, above) = keys.split_last()?;
        if mapping.keys().enumerate().any(|(slot, key)| slot != entry.slot && Some(&key) == keys.first()) {
            return None;
        }
        if mapping.flow {
            let opened: String = above.iter().flat_map(|key| [mapping.key(key), ": {".to_owned()]).collect();
            let value = self.slice(self.part(entry.key).range.end..entry.range.end)?;
            let replacement = format!("{opened}{}{value}{}", mapping.key(last), "}".repeat(above.len()));
            return Some(vec![self.edit(entry.range, replacement)]);
        }
        let (range, column) = (self.lines(&entry)?, mapping.column()?);
        let key = self.part(entry.key).range.clone();
        let renamed =
            format!("{}{}{}", self.slice(range.start..key.start)?, mapping.key(last), self.slice(key.end..range.end)?);
        let step = self.step(at).unwrap_or(write::STEP);
        let mut replacement = String::new();
        for (depth, key) in above.iter().enumerate() {
            let indentation = " ".repeat(column + depth * step);
            replacement.extend([indentation.as_str(), &mapping.key(key), ":", self.line_break()]);
        }
        replacement.push_str(&lines::shift(&renamed, column, column + above.len() * step)?);
        let Value::Object(before) = read(self.slice(range.clone())?)? else { return None };
        let value = before.into_iter().next()?.1;
        let nested =
            keys.iter().rev().fold(value, |value, key| Value::Object(Map::from_iter([((*key).to_owned(), value)])));
        says(&replacement, &nested).then(|| vec![self.edit(range, replacement)])
    }

    /// Moves an entry, with its own comment, into another mapping.
    pub fn move_entry(self, from: &str, mapping: &str, place: Place<'_>) -> Option<Vec<Edit>> {
        let entry = self.entry(from)?;
        let target = self.mapping(self.layout.path(mapping)?.last()?.part)?;
        let key = self.mapping(entry.mapping)?.keys().nth(entry.slot)?;
        if target.keys().any(|other| other == key) {
            return None;
        }
        let removal = self.removal(&entry)?;
        let lines = self.commented_lines(&entry);
        let start = lines.as_ref().map_or(entry.range.start, |lines| lines.start);
        let insertion = match lines.filter(|_| !target.flow) {
            Some(lines) => self.moved_lines(&lines, &entry, target, place)?,
            None => self.moved_line(&entry, target, place)?,
        };
        self.relocation(self.edit(removal, ""), start, insertion)
    }

    /// Combines the deletion and the insertion. `start` is the start of the moved part: the deletion may include empty
    /// lines before it, and the new place may be among them.
    pub(super) fn relocation(self, removal: Edit, start: usize, insertion: Edit) -> Option<Vec<Edit>> {
        let (deleted, place) = (removal.span.range(), insertion.span.start);
        if place <= deleted.start || place >= deleted.end {
            return Some(vec![removal, insertion]);
        }
        let mut replacement =
            format!("{}{}{}", self.slice(deleted.start..place)?, insertion.replacement, removal.replacement);
        if deleted.end == self.text.len() && !self.text.ends_with('\n') {
            replacement.truncate(replacement.trim_end_matches(['\n', '\r']).len());
        }
        (place <= start).then(|| vec![self.edit(deleted, replacement)])
    }

    fn moved_lines(self, lines: &Range<usize>, entry: &Entry, target: Mapping<'_>, place: Place<'_>) -> Option<Edit> {
        let text = self.slice(lines.clone())?;
        let column = target.column()?;
        let moved = lines::shift(text, lines::column(self.text, entry.range.start), column)?;
        if !says(&moved, &read(text)?) {
            return None;
        }
        // The insertion contains the indentation of the first line and the last line break.
        let moved = moved.get(column..)?.trim_end_matches(['\n', '\r']).to_owned();
        target.insert_lines(&[moved], place)
    }

    /// Moves a single-line entry from or into a flow mapping.
    fn moved_line(self, entry: &Entry, target: Mapping<'_>, place: Place<'_>) -> Option<Edit> {
        let text = self.slice(entry.range.clone())?;
        let removed = self.slice(self.removal(entry)?)?;
        let has_comment = removed.len() > text.len() && removed.replace(text, "").contains('#');
        if text.contains('\n') || has_comment || read(&format!("{{{text}}}")) != read(text) {
            return None;
        }
        if target.flow { target.insert_flow(text, place) } else { target.insert_lines(&[text.to_owned()], place) }
    }

    /// Replaces the key and value of an entry. Comments inside the old value are moved before the new one.
    pub fn replace_entry(self, at: &str, key: &str, value: &Value) -> Option<Vec<Edit>> {
        let entry = self.entry(at)?;
        let mapping = self.mapping(entry.mapping)?;
        if mapping.keys().enumerate().any(|(slot, other)| slot != entry.slot && other == key) {
            return None;
        }
        if mapping.flow {
            let quoting = mapping.quoting();
            let replacement = format!("{}: {}", write::string(key, quoting), write::flow(value, quoting));
            let commented = lines::has_comment(self.text, entry.range.clone());
            return (!commented).then(|| vec![self.edit(entry.range, replacement)]);
        }
        let (range, column) = (self.lines(&entry)?, mapping.column()?);
        let old = self.slice(range.clone())?;
        let (comments, rest): (Vec<_>, Vec<_>) = old.lines().partition(|line| line.trim_start().starts_with('#'));
        if rest.iter().any(|line| line.contains(" #")) {
            return None;
        }
        let indentation = " ".repeat(column);
        let comments = comments.iter().map(|line| line.trim().to_owned());
        let mut new: Vec<_> = comments.chain(write::entry(key, value, column)).collect();
        // All lines of an entry but the first are already indented.
        for line in &mut new {
            if !line.starts_with(' ') {
                line.insert_str(0, &indentation);
            }
        }
        let line_break = self.line_break();
        let end = if old.ends_with('\n') { line_break } else { "" };
        Some(vec![self.edit(range, format!("{}{end}", new.join(line_break)))])
    }

    /// Turns an entry into a comment, unless it is the only entry of its mapping or in flow style.
    pub fn comment_out(self, at: &str) -> Option<Vec<Edit>> {
        let entry = self.entry(at)?;
        self.removal(&entry)?;
        let (range, column) = (self.lines(&entry)?, lines::column(self.text, entry.range.start));
        let mut commented = String::new();
        for line in self.slice(range.clone())?.split_inclusive('\n') {
            match line.split_at_checked(column) {
                Some((indentation, rest)) if !rest.trim().is_empty() && indentation.trim().is_empty() => {
                    commented.extend([indentation, "# ", rest]);
                }
                _ => commented.push_str(line),
            }
        }
        Some(vec![self.edit(range, commented)])
    }

    /// The indentation of an entry relative to the mapping around its own.
    fn step(self, at: &str) -> Option<usize> {
        let path = self.layout.path(at)?;
        let columns = path.iter().rev().skip(1).filter_map(|step| self.mapping(step.part)?.column());
        let [own, above] = <[usize; 2]>::try_from(columns.take(2).collect::<Vec<_>>()).ok()?;
        own.checked_sub(above).filter(|step| *step > 0)
    }
}
