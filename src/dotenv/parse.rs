//! Splits a text into items.

use std::ops::Range;

use super::{Fault, Item, ItemKind, Malformed, Variable};

const BYTE_ORDER_MARK: char = '\u{feff}';

pub(super) fn items(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let line = line_at(text, start);
        let content = if start == 0 && text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { start };
        let kind = kind(text, content..line.end);
        let last = if let ItemKind::Variable(Variable { value: Some(value), .. }) = &kind { value.end } else { start };
        let end = line_at(text, last).end;
        let end = text.get(end..).filter(|rest| rest.starts_with('\n')).map_or(end, |_| end + 1);
        items.push(Item { range: start..end, kind });
        start = end;
    }
    items
}

/// The range from `start` to the end of its line, without the line break.
fn line_at(text: &str, start: usize) -> Range<usize> {
    let rest = text.get(start..).unwrap_or_default();
    start..start + rest.find('\n').unwrap_or(rest.len())
}

fn kind(text: &str, line: Range<usize>) -> ItemKind {
    let written = text.get(line.clone()).unwrap_or_default();
    let content = written.trim_start();
    if content.is_empty() {
        ItemKind::Blank
    } else if content.starts_with('#') {
        ItemKind::Comment
    } else {
        let start = line.end - without_export(content).len();
        statement(text, start..line.end).map_or_else(ItemKind::Malformed, ItemKind::Variable)
    }
}

fn without_export(content: &str) -> &str {
    let rest = content.strip_prefix("export").filter(|rest| rest.starts_with(is_blank));
    rest.map_or(content, |rest| rest.trim_start_matches(is_blank))
}

/// Parses a variable that starts at the start of `line`. Its value may extend beyond the line.
fn statement(text: &str, line: Range<usize>) -> Result<Variable, Malformed> {
    let written = text.get(line.clone()).unwrap_or_default();
    let separator = written.find(['=', ':']);
    let name = written.get(..separator.unwrap_or(written.len())).unwrap_or_default().trim_end();
    if let Some((place, character)) = name.char_indices().find(|(_, character)| !is_part_of_name(*character)) {
        let place = line.start + place;
        return Err(Malformed { fault: Fault::CharacterInName, place: place..place + character.len_utf8() });
    }
    if name.is_empty() {
        return Err(Malformed { fault: Fault::NoName, place: line.start..line.start + 1 });
    }
    let name = line.start..line.start + name.len();
    let Some(separator) = separator else { return Ok(Variable { name, value: None }) };
    let after = written.get(separator + 1..).unwrap_or_default();
    let start = line.end - after.trim_start_matches(is_blank).len();
    let value = match text.get(start..).and_then(|rest| rest.chars().next()) {
        Some(quote @ ('\'' | '"')) => quoted(text, start, quote)?,
        _ => plain(text, start..line.end),
    };
    Ok(Variable { name, value: Some(value) })
}

/// The range of a quoted value that starts at `start`, up to the next quote that is not escaped with a backslash.
fn quoted(text: &str, start: usize, quote: char) -> Result<Range<usize>, Malformed> {
    let mut escaped = false;
    for (place, character) in text.get(start + 1..).unwrap_or_default().char_indices() {
        if character == quote && !escaped {
            let end = start + 1 + place + 1;
            let after = text.get(line_at(text, end)).unwrap_or_default();
            let rest = after.trim_start();
            if !rest.is_empty() && !rest.starts_with('#') {
                let line_end = end + after.len();
                return Err(Malformed { fault: Fault::TextAfterQuote, place: line_end - rest.len()..line_end });
            }
            return Ok(start..end);
        }
        escaped = character == '\\' && !escaped;
    }
    Err(Malformed { fault: Fault::UnclosedQuote, place: start..start + 1 })
}

/// The range of an unquoted value that starts at `rest`, without a comment after it.
fn plain(text: &str, rest: Range<usize>) -> Range<usize> {
    let written = text.get(rest.clone()).unwrap_or_default();
    let value = written.split(" #").next().unwrap_or_default().trim_end();
    rest.start..rest.start + value.len()
}

fn is_part_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '-' | '[' | ']')
}

/// Whether readers treat a character as a space within a line.
fn is_blank(character: char) -> bool {
    character != '\n' && character.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::super::{Document, Value};
    use super::*;

    /// Name and value of every variable; `None` for a value that depends on other variables.
    fn read(text: &str) -> Vec<(String, Option<String>)> {
        let document = Document::parse(text);
        let value = |variable| match document.value(variable) {
            Some(Value::Literal(text)) => Some(text),
            Some(Value::Interpolated | Value::Invalid(_)) | None => None,
        };
        document.variables().map(|variable| (document.name(variable).to_owned(), value(variable))).collect()
    }

    /// The expected values were verified with the reader of Docker Compose (compose-go 2.16).
    #[test]
    fn reads_values_as_compose_does() {
        for (line, value) in [
            ("A=1", "1"),
            ("A=", ""),
            ("A = 1 ", "1"),
            ("  export A=1", "1"),
            ("A: 1", "1"),
            ("A=a=b", "a=b"),
            ("A=http://a:1/x?y=z#f", "http://a:1/x?y=z#f"),
            ("A=1 # one", "1"),
            ("A=1# one", "1# one"),
            ("A=#1", "#1"),
            ("A= #1", "#1"),
            ("A='it # is' # so", "it # is"),
            ("A=\"two\\nlines\"", "two\nlines"),
            ("A=\"two\nlines\" # so", "two\nlines"),
            ("A='two\nlines'", "two\nlines"),
            ("A='a\\nb'", "a\\nb"),
            ("A=\"say \\\"x\\\"\"", "say \"x\""),
            ("A=it's", "it's"),
            ("A=''", ""),
            ("A=1\r", "1"),
            ("\u{feff}A=1", "1"),
        ] {
            assert_eq!(read(line), [("A".to_owned(), Some(value.to_owned()))], "{line:?}");
        }
    }

    #[test]
    fn finds_every_kind_of_line() {
        let text = "# top\n\nA=1\nB\n \t\nexport C='x\ny'\nD d=1\n=1\nE='x\nF=\"1\" 2\nG=2";
        let document = Document::parse(text);
        let kinds: Vec<_> = document
            .items()
            .iter()
            .map(|item| match &item.kind {
                ItemKind::Blank => "-".to_owned(),
                ItemKind::Comment => "#".to_owned(),
                ItemKind::Variable(variable) => document.name(variable).to_owned(),
                ItemKind::Malformed(Malformed { fault, place }) => format!("{fault:?} {:?}", document.slice(place)),
            })
            .collect();
        let faults = ["CharacterInName \" \"", "NoName \"=\"", "UnclosedQuote \"'\"", "TextAfterQuote \"2\""];
        let expected = ["#", "-", "A", "B", "-", "C", faults[0], faults[1], faults[2], faults[3], "G"];
        assert_eq!(kinds, expected);
        assert_eq!(read(text)[1], ("B".to_owned(), None));
    }

    #[test]
    fn returns_the_range_of_values() {
        let text = "A = 'x' # note\nB=y # note\n";
        let document = Document::parse(text);
        let values = document.variables().map(|variable| document.slice(variable.value.as_ref().unwrap()));
        assert_eq!(values.collect::<Vec<_>>(), ["'x'", "y"]);
    }
}
