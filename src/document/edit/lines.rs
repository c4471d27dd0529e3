//! Lines, indentation and comments: what belongs to an entry besides the entry itself.

use std::ops::Range;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The start of the line at `place`; a byte order mark belongs to no line.
pub(in crate::document) fn line_start(text: &str, place: usize) -> usize {
    let before = text.get(..place).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    if start == 0 && text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8().min(place) } else { start }
}

/// The end of the line at `place`, including its line break.
pub(in crate::document) fn line_end(text: &str, place: usize) -> usize {
    let after = text.get(place..).unwrap_or_default();
    after.find('\n').map_or(text.len(), |end| place + end + 1)
}

/// The number of characters before `place` on its line.
pub(in crate::document) fn column(text: &str, place: usize) -> usize {
    text.get(line_start(text, place)..place).unwrap_or_default().chars().count()
}

/// Whether there are only spaces before `place` on its line.
pub(in crate::document) fn begins_line(text: &str, place: usize) -> bool {
    text.get(line_start(text, place)..place).unwrap_or_default().chars().all(|c| c == ' ')
}

/// The line break of the text: that of its first line.
pub(in crate::document) fn line_break(text: &str) -> &'static str {
    let first = text.find('\n').and_then(|end| end.checked_sub(1));
    if first.and_then(|end| text.as_bytes().get(end)) == Some(&b'\r') { "\r\n" } else { "\n" }
}

/// The column of a line that contains only a comment.
fn comment_column(line: &str) -> Option<usize> {
    let comment = line.trim_start_matches(' ');
    comment.starts_with('#').then(|| line.len() - comment.len())
}

/// Extends lines that start at `start` with the column `column` by the comment directly above them.
pub(in crate::document) fn with_comment_above(text: &str, start: usize, column: usize) -> usize {
    let mut first = start;
    while first > line_start(text, 0) {
        let above = line_start(text, first - 1);
        let line = text.get(above..first).unwrap_or_default();
        if above >= first || comment_column(line) != Some(column) {
            break;
        }
        first = above;
    }
    first
}

/// Extends lines that end at `end` by comments below them that are indented deeper than `column`.
pub(super) fn with_comments_below(text: &str, end: usize, column: usize) -> usize {
    let (mut last, mut place) = (end, end);
    while place < text.len() {
        let next = line_end(text, place);
        let line = text.get(place..next).unwrap_or_default();
        match comment_column(line) {
            Some(comment) if comment > column => last = next,
            None if line.trim().is_empty() => {}
            _ => break,
        }
        place = next;
    }
    last
}

/// Extends deleted lines by the empty lines above them if these would end the file or precede other empty lines. A file
/// without a final line break keeps ending without one.
pub(in crate::document) fn with_gap(text: &str, lines: Range<usize>) -> Range<usize> {
    let (first, above) = (line_start(text, 0), text.get(..lines.start).unwrap_or_default());
    let blank = |line: &&str| line.trim().is_empty();
    let gap: usize = above.split_inclusive('\n').rev().take_while(blank).map(str::len).sum();
    let start = (lines.start - gap).max(first);
    if lines.end < text.len() {
        let followed = text.get(lines.end..line_end(text, lines.end)).is_some_and(|line| line.trim().is_empty());
        return if followed { start..lines.end } else { lines };
    }
    if text.ends_with('\n') {
        return start..lines.end;
    }
    text.get(..start).unwrap_or_default().trim_end_matches('\n').trim_end_matches('\r').len()..lines.end
}

/// Moves lines from one column to another. `None` if a line is not indented enough.
pub(super) fn shift(lines: &str, from: usize, to: usize) -> Option<String> {
    let mut shifted = String::with_capacity(lines.len());
    for line in lines.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let indentation = body.len() - body.trim_start_matches(' ').len();
        if body.is_empty() {
            shifted.push_str(line);
        } else if to >= from {
            shifted.extend(std::iter::repeat_n(' ', to - from));
            shifted.push_str(line);
        } else {
            let taken = from - to;
            let movable = indentation >= taken || body.trim().is_empty() || body.trim_start().starts_with('#');
            shifted.push_str(line.get(taken.min(indentation)..).filter(|_| movable)?);
        }
    }
    Some(shifted)
}

/// Whether a range without values may contain a comment.
pub(super) fn has_comment(text: &str, range: Range<usize>) -> bool {
    text.get(range).is_some_and(|text| text.contains('#'))
}
