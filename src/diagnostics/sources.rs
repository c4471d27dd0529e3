//! The source texts of findings.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::{Diagnostic, FileId, Span, Suggestion};

/// The files that a command has read. IDs start at 0, in reading order.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

#[derive(Debug)]
struct SourceFile {
    name: String,
    text: Arc<str>,
    lines: OnceLock<Vec<Range<usize>>>,
    concealed: Vec<Range<usize>>,
}

/// A line and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters unless a method returns another unit.
    pub column: usize,
}

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// Unicode scalar values.
    Characters,
    /// UTF-16 code units.
    Utf16,
}

impl Sources {
    /// Creates an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file with its name in findings.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let (name, text) = (name.into(), text.into());
        self.files.push(SourceFile { name, text, lines: OnceLock::new(), concealed: Vec::new() });
        id
    }

    /// Hides the text at `span` in all output.
    pub fn conceal(&mut self, span: Span) {
        if let Some(file) = self.files.get_mut(span.file.0 as usize) {
            file.concealed.push(span.range());
        }
    }

    /// The name of a file; empty for an unknown ID.
    pub fn name(&self, id: FileId) -> &str {
        self.file(id).map_or("", |file| &file.name)
    }

    /// The text of a file; empty for an unknown ID.
    pub fn text(&self, id: FileId) -> &str {
        self.file(id).map_or("", |file| &file.text)
    }

    /// The position of a span's start, clamped to the text.
    pub fn position(&self, span: Span) -> Position {
        self.position_of(span.file, span.start, Columns::Characters)
    }

    /// The position of an offset, clamped to the text.
    pub fn position_of(&self, file: FileId, offset: usize, columns: Columns) -> Position {
        let line = self.line_index(file, offset);
        let range = self.line(file, line).unwrap_or_default();
        let before = range.start..offset.clamp(range.start, range.end);
        let column = self.text(file).get(before).map_or(0, |text| match columns {
            Columns::Characters => text.chars().count(),
            Columns::Utf16 => text.encode_utf16().count(),
        });
        Position { line: line + 1, column: column + 1 }
    }

    /// The index, from 0, of the line at `offset`.
    pub(super) fn line_index(&self, id: FileId, offset: usize) -> usize {
        self.lines(id).partition_point(|line| line.start <= offset).saturating_sub(1)
    }

    /// The byte range of a line without its line break.
    pub(super) fn line(&self, id: FileId, index: usize) -> Option<Range<usize>> {
        self.lines(id).get(index).cloned()
    }

    /// The concealed parts of `range`.
    pub(super) fn concealed(&self, id: FileId, range: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let parts = self.file(id).map_or(&[][..], |file| &file.concealed);
        parts
            .iter()
            .map(|part| part.start.max(range.start)..part.end.min(range.end))
            .filter(|part| part.start < part.end)
    }

    /// The lines of all concealed parts, without quotes, unless they are too short to be distinctive.
    pub fn concealed_lines(&self) -> impl Iterator<Item = &str> {
        let parts =
            self.files.iter().flat_map(|file| file.concealed.iter().filter_map(|part| file.text.get(part.clone())));
        let lines = parts.flat_map(str::lines).map(|line| line.trim_matches(|c: char| " \t\"'/,".contains(c)));
        lines.filter(|line| line.len() >= 4)
    }

    /// Whether a text contains a line of a concealed part.
    pub(super) fn reveals(&self, text: &str) -> bool {
        self.concealed_lines().any(|line| text.contains(line))
    }

    /// The suggestions of a finding that do not repeat concealed text.
    pub(super) fn suggestions<'d>(&self, finding: &'d Diagnostic) -> impl Iterator<Item = &'d Suggestion> {
        finding.suggestions.iter().filter(|suggestion| {
            let edits = suggestion.edits.iter().map(|edit| edit.replacement.as_str());
            !edits.chain([suggestion.text.as_str()]).any(|text| self.reveals(text))
        })
    }

    fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// The lines of a file without their line breaks; none for an unknown ID.
    pub fn lines(&self, id: FileId) -> &[Range<usize>] {
        self.file(id).map_or(&[], |file| file.lines.get_or_init(|| lines(&file.text)))
    }
}

/// The lines of a text, which end with `\n`, `\r\n` or `\r` as in YAML. There is at least one. A byte order mark is not
/// part of a line.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'\r' => {
                lines.push(start..place);
                start = place + 1;
            }
            b'\n' => {
                let pair = place > 0 && text.as_bytes().get(place - 1) == Some(&b'\r');
                if !pair {
                    lines.push(start..place);
                }
                start = place + 1;
            }
            _ => {}
        }
    }
    lines.push(start..text.len());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &str, offset: usize) -> (usize, usize) {
        let mut sources = Sources::new();
        let file = sources.add("x", text);
        let position = sources.position(Span::new(file, offset..offset));
        (position.line, position.column)
    }

    #[test]
    fn counts_every_kind_of_line_break_once() {
        let text = "a\r\nb\rc\n\nd";
        let places: Vec<_> = (0..=text.len()).map(|offset| position(text, offset)).collect();
        let expected = [(1, 1), (1, 2), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (5, 1), (5, 2)];
        assert_eq!(places, expected);
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(position("é😀x", 6), (1, 3));
        let mut sources = Sources::new();
        let file = sources.add("x", "é😀x");
        assert_eq!(sources.position_of(file, 6, Columns::Utf16), Position { line: 1, column: 4 });
    }

    #[test]
    fn accepts_positions_beyond_the_end_and_inside_characters() {
        assert_eq!(position("ab\n", 99), (2, 1));
        assert_eq!(position("", 5), (1, 1));
        assert_eq!(position("é", 1), (1, 1));
        assert_eq!(position("\u{feff}", 0), (1, 1));
    }
}
