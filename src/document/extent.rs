//! Ranges of a text.

use std::ops::Range;

use crate::diagnostics::{FileId, Span};

/// A byte range of the text, at half the size of a `Range<usize>`: a document holds several for each value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extent {
    start: u32,
    end: u32,
}

impl Extent {
    /// Offsets of 4 GiB and more are clamped; no text is that long.
    pub(super) fn new(range: &Range<usize>) -> Self {
        let offset = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        Self { start: offset(range.start), end: offset(range.end) }
    }

    pub(super) fn start(self) -> usize {
        self.start as usize
    }

    pub(super) fn end(self) -> usize {
        self.end as usize
    }

    pub(super) fn len(self) -> usize {
        self.end().saturating_sub(self.start())
    }

    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The text of this range.
    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.start()..self.end()).unwrap_or_default()
    }

    /// The first character at or after the start; empty at the end of the text.
    pub(super) fn first_character(self, text: &str) -> Self {
        let character = text.get(self.start()..).and_then(|text| text.chars().next());
        Self::new(&(self.start()..self.start() + character.map_or(0, char::len_utf8)))
    }

    /// The range itself or, if it is empty, the next character, so that a finding has a location.
    pub(super) fn or_first_character(self, text: &str) -> Self {
        if self.is_empty() { self.first_character(text) } else { self }
    }

    pub(super) fn span(self, file: FileId) -> Span {
        Span::new(file, self.start()..self.end())
    }
}
