//! TOML: tables under headers, dotted keys and inline tables.

use std::ops::Range;

use serde_json::{Map, Number, Value};
use toml_edit::{Item, TableLike};
use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, parse_document};

use super::toml_write;
use super::{Splice, Syntax, SyntaxError, without_mark};
use crate::document::edit::lines;

/// A parsed file.
pub(super) struct Tree {
    text: String,
    value: Value,
    statements: Vec<Statement>,
}

/// A header, or a key with a value. Both name a path from the top of the file.
struct Statement {
    path: Vec<String>,
    /// How many keys of the path come from the header above.
    above: usize,
    /// From the first byte to the last, without a comment.
    range: Range<usize>,
    /// The last key.
    key: Range<usize>,
    kind: Kind,
}

enum Kind {
    Table,
    ArrayItem,
    Value(Part),
}

/// A value with the entries of an inline table.
struct Part {
    range: Range<usize>,
    entries: Option<Vec<InlineEntry>>,
}

/// The keys of an entry, from the first key to the last, and its value.
type InlineEntry = (Vec<String>, Range<usize>, Part);

impl Tree {
    pub(super) fn parse(text: &str) -> Result<Self, SyntaxError> {
        let (toml, mark) = without_mark(text);
        let document = toml_edit::Document::parse(toml).map_err(|error| {
            let problem = error.message().lines().next().unwrap_or("syntax error").to_owned();
            // The message names a duplicate key, which is a part of the file.
            let problem = problem.split('`').next().unwrap_or_default().trim().to_owned();
            SyntaxError::at(text, error.span().map_or(0, |span| span.start) + mark, problem)
        })?;
        let value = table(document.as_table());
        let statements = Statements::read(toml, mark);
        Ok(Self { text: text.to_owned(), value, statements })
    }

    /// The statement that gives exactly this path a value.
    fn assignment(&self, path: &[&str]) -> Option<(&Statement, &Part)> {
        self.statements.iter().find_map(|statement| match &statement.kind {
            Kind::Value(part) if statement.path == path => Some((statement, part)),
            Kind::Value(_) | Kind::Table | Kind::ArrayItem => None,
        })
    }

    /// The inline value at a path: that of a statement, or of an entry in an inline table.
    fn part(&self, path: &[&str]) -> Option<&Part> {
        (1..=path.len()).find_map(|end| {
            let (above, below) = path.split_at_checked(end)?;
            self.assignment(above)?.1.at(below)
        })
    }

    /// The inline table that contains the entry at a path, and the index of the entry.
    fn inline_entry(&self, path: &[&str]) -> Option<(&Part, usize)> {
        (1..path.len()).find_map(|end| {
            let (table, keys) = path.split_at_checked(end)?;
            let part = self.part(table)?;
            Some((part, part.entries.as_ref()?.iter().position(|(name, ..)| name == keys)?))
        })
    }

    /// Whether a list of tables is part of the path.
    fn is_in_list(&self, path: &[&str]) -> bool {
        let lists = self.statements.iter().filter(|statement| matches!(statement.kind, Kind::ArrayItem));
        lists.map(|statement| &statement.path).any(|list| list.len() <= path.len() && starts_with(path, list))
    }

    fn line_break(&self) -> &'static str {
        lines::line_break(&self.text)
    }

    /// New lines at the start of the line at `place`, or at the end of a file without a last line break.
    fn lines_at(&self, place: usize, new: &[String]) -> Splice {
        let line_break = self.line_break();
        let before = self.text.get(..place).unwrap_or_default();
        let text = new.join(line_break);
        if before.trim_start_matches(super::BYTE_ORDER_MARK).is_empty() || before.ends_with('\n') {
            (place..place, format!("{text}{line_break}"))
        } else {
            (place..place, format!("{line_break}{text}"))
        }
    }

    /// The end of the last line of a statement, with its comment.
    fn end_of_line(&self, statement: &Statement) -> usize {
        lines::line_end(&self.text, statement.range.end)
    }

    /// Adds a table with a header after the last statement that belongs to `after`, else at the end of the file.
    fn insert_table(&self, after: &[&str], path: &[&str], entries: &Map<String, Value>) -> Option<Vec<Splice>> {
        let mut new = toml_write::tables(path, entries)?;
        let last =
            self.statements.iter().rposition(|statement| !after.is_empty() && starts_with_keys(&statement.path, after));
        let place = match last.and_then(|last| self.statements.get(last)) {
            Some(last) => self.end_of_line(last),
            None => self.text.len(),
        };
        let before = self.text.get(..place).unwrap_or_default().trim_start_matches(super::BYTE_ORDER_MARK);
        let has_gap = before.is_empty() || before.ends_with("\n\n") || before.ends_with("\n\r\n");
        if !has_gap {
            new.insert(0, String::new());
        }
        // Other text directly below would look like a part of the new table.
        let below = self.text.get(place..).unwrap_or_default();
        if below.lines().next().is_some_and(|line| !line.trim().is_empty()) {
            new.push(String::new());
        }
        Some(vec![self.lines_at(place, &new)])
    }

    /// Adds a line to a table that has a header, dotted keys, or is the whole file.
    fn insert_line(&self, table: &[&str], key: &str, value: &str) -> Option<Splice> {
        let header = self
            .statements
            .iter()
            .rposition(|statement| matches!(statement.kind, Kind::Table) && statement.path == table);
        let dotted = self.statements.iter().rposition(|statement| {
            matches!(statement.kind, Kind::Value(_))
                && statement.above < table.len()
                && statement.path.len() > table.len()
                && starts_with_keys(&statement.path, table)
        });
        if let Some(statement) = dotted.filter(|_| header.is_none()).and_then(|index| self.statements.get(index)) {
            let keys = table.get(statement.above..)?.iter().copied().chain([key]);
            let line = format!("{}{} = {value}", self.indentation(statement), toml_write::path(keys));
            return Some(self.lines_at(self.end_of_line(statement), &[line]));
        }
        let first = match header {
            Some(header) => header + 1,
            None if table.is_empty() => 0,
            None => return None,
        };
        let own = self.statements.get(first..)?.iter().take_while(|statement| matches!(statement.kind, Kind::Value(_)));
        let previous = own.last().or_else(|| self.statements.get(header?));
        let line = format!("{} = {value}", toml_write::key(key));
        if let Some(previous) = previous {
            let indentation = self.indentation(previous);
            return Some(self.lines_at(self.end_of_line(previous), &[format!("{indentation}{line}")]));
        }
        // The whole file, which begins with a table: its comment stays with it.
        match self.statements.first() {
            Some(next) => {
                let start = lines::line_start(&self.text, next.range.start);
                let start = lines::with_comment_above(&self.text, start, 0);
                Some(self.lines_at(start, &[line, String::new()]))
            }
            None => Some(self.lines_at(self.text.len(), &[line])),
        }
    }

    fn indentation(&self, statement: &Statement) -> &str {
        let start = lines::line_start(&self.text, statement.range.start);
        self.text.get(start..statement.range.start).unwrap_or_default()
    }

    /// The lines of consecutive statements, with the comment above the first.
    fn lines_of(&self, first: &Statement, last: &Statement) -> Range<usize> {
        let start = lines::line_start(&self.text, first.range.start);
        let column = lines::column(&self.text, first.range.start);
        lines::with_comment_above(&self.text, start, column)..self.end_of_line(last)
    }
}

impl Part {
    fn at(&self, path: &[&str]) -> Option<&Self> {
        if path.is_empty() {
            return Some(self);
        }
        let entries = self.entries.as_ref()?.iter();
        entries
            .filter(|(keys, ..)| starts_with(path, keys))
            .find_map(|(keys, _, part)| part.at(path.get(keys.len()..)?))
    }
}

/// Whether `path` begins with the keys of `start`.
fn starts_with(path: &[&str], start: &[String]) -> bool {
    path.len() >= start.len() && path.iter().zip(start).all(|(key, other)| key == other)
}

fn starts_with_keys(path: &[String], start: &[&str]) -> bool {
    path.len() >= start.len() && path.iter().zip(start).all(|(key, other)| key == other)
}

impl Syntax for Tree {
    fn value(&self) -> &Value {
        &self.value
    }

    fn key(&self, path: &[&str]) -> Option<Range<usize>> {
        let exact = self.statements.iter().find(|statement| statement.path == path);
        if let Some(statement) = exact {
            return Some(statement.key.clone());
        }
        if let Some((table, index)) = self.inline_entry(path) {
            return Some(table.entries.as_ref()?.get(index)?.1.clone());
        }
        let below = self.statements.iter().find(|statement| starts_with_keys(&statement.path, path));
        below.map(|statement| statement.key.clone())
    }

    fn insert(&self, table: &[&str], key: &str, value: &Value) -> Option<Vec<Splice>> {
        let path = [table, &[key]].concat();
        if self.is_in_list(&path) {
            return None;
        }
        if let Some(part) = self.part(table) {
            let new = format!("{} = {}", toml_write::key(key), toml_write::inline(value)?);
            let last = part.entries.as_ref()?.last();
            return Some(vec![match last {
                Some((_, _, last)) => (last.range.end..last.range.end, format!(", {new}")),
                None => (part.range.start + 1..part.range.end.checked_sub(1)?, format!(" {new} ")),
            }]);
        }
        if let Value::Object(entries) = value {
            // Below a table of dotted keys, a header would be an error.
            let is_dotted = self.statements.iter().any(|statement| {
                matches!(statement.kind, Kind::Value(_))
                    && statement.above < table.len()
                    && starts_with_keys(&statement.path, table)
            });
            if !is_dotted {
                return self.insert_table(table, &path, entries);
            }
        }
        let inline = toml_write::inline(value)?;
        if let Some(line) = self.insert_line(table, key, &inline) {
            return Some(vec![line]);
        }
        // Only tables below this one have headers.
        let entries = Map::from_iter([(key.to_owned(), value.clone())]);
        self.insert_table(table, table, &entries)
    }

    fn replace(&self, path: &[&str], value: &Value) -> Option<Vec<Splice>> {
        let part = self.part(path)?;
        Some(vec![(part.range.clone(), toml_write::inline(value)?)])
    }

    fn remove(&self, path: &[&str]) -> Option<Vec<Splice>> {
        if let Some((table, index)) = self.inline_entry(path) {
            let entries = table.entries.as_ref()?;
            let (_, key, part) = entries.get(index)?;
            let end = part.range.end;
            let range = match (index.checked_sub(1).and_then(|index| entries.get(index)), entries.get(index + 1)) {
                (_, Some((_, next, _))) => key.start..next.start,
                (Some((_, _, previous)), None) => previous.range.end..end,
                (None, None) => table.range.start + 1..table.range.end.checked_sub(1)?,
            };
            let gap = self.text.get(range.clone())?;
            return (!gap.contains('\n')).then(|| vec![(range, String::new())]);
        }
        let belongs: Vec<_> = self.statements.iter().map(|statement| starts_with_keys(&statement.path, path)).collect();
        let mut removed: Vec<Range<usize>> = Vec::new();
        for (statement, _) in self.statements.iter().zip(&belongs).filter(|(_, belongs)| **belongs) {
            let own = self.lines_of(statement, statement);
            let only_blank =
                |last: &Range<usize>| self.text.get(last.end..own.start).is_some_and(|gap| gap.trim().is_empty());
            match removed.last_mut() {
                Some(last) if only_blank(last) => last.end = own.end,
                _ => removed.push(own),
            }
        }
        let splices = removed.into_iter().map(|own| (lines::with_gap(&self.text, own), String::new()));
        Some(splices.collect::<Vec<_>>()).filter(|splices| !splices.is_empty())
    }
}

/// Collects statements from events.
struct Statements<'t> {
    text: &'t str,
    mark: usize,
    found: Vec<Statement>,
    /// The path of the last header.
    header: Vec<String>,
    /// The keys before the next `=` or `]`.
    keys: Vec<String>,
    key: Range<usize>,
    start: usize,
    /// What is open: the header or inline collections.
    open: Vec<Open>,
}

enum Open {
    Header(Kind),
    Value { keys: Vec<String>, key: Range<usize>, start: usize },
    Array(usize),
    Inline { start: usize, entries: Vec<InlineEntry> },
}

impl<'t> Statements<'t> {
    fn read(text: &'t str, mark: usize) -> Vec<Statement> {
        let source = Source::new(text);
        let tokens: Vec<_> = source.lex().collect();
        let mut reader = Self {
            text,
            mark,
            found: Vec::new(),
            header: Vec::new(),
            keys: Vec::new(),
            key: 0..0,
            start: 0,
            open: Vec::new(),
        };
        parse_document(&tokens, &mut |event: Event| reader.event(&event), &mut ());
        reader.found
    }

    fn event(&mut self, event: &Event) {
        let span = event.span().start() + self.mark..event.span().end() + self.mark;
        match event.kind() {
            EventKind::StdTableOpen => self.open_header(span.start, Kind::Table),
            EventKind::ArrayTableOpen => self.open_header(span.start, Kind::ArrayItem),
            EventKind::StdTableClose | EventKind::ArrayTableClose => {
                if let Some(Open::Header(kind)) = self.open.pop() {
                    let path = std::mem::take(&mut self.keys);
                    self.header.clone_from(&path);
                    let (range, key) = (self.start..span.end, self.key.clone());
                    self.found.push(Statement { path, above: 0, range, key, kind });
                }
            }
            EventKind::SimpleKey => {
                if self.keys.is_empty() && !matches!(self.open.last(), Some(Open::Header(_))) {
                    self.start = span.start;
                }
                let mut name = std::borrow::Cow::Borrowed("");
                if let Some(raw) = self.text.get(event.span().start()..event.span().end()) {
                    let raw = toml_parser::Raw::new_unchecked(raw, event.encoding(), event.span());
                    raw.decode_key(&mut name, &mut ());
                }
                self.keys.push(name.into_owned());
                self.key = span;
            }
            EventKind::KeyValSep => {
                let (keys, key, start) = (std::mem::take(&mut self.keys), self.key.clone(), self.start);
                self.open.push(Open::Value { keys, key, start });
            }
            EventKind::Scalar => self.value(Part { range: span, entries: None }),
            EventKind::ArrayOpen => self.open.push(Open::Array(span.start)),
            EventKind::ArrayClose => {
                if let Some(Open::Array(start)) = self.open.pop() {
                    self.value(Part { range: start..span.end, entries: None });
                }
            }
            EventKind::InlineTableOpen => self.open.push(Open::Inline { start: span.start, entries: Vec::new() }),
            EventKind::InlineTableClose => {
                if let Some(Open::Inline { start, entries }) = self.open.pop() {
                    self.value(Part { range: start..span.end, entries: Some(entries) });
                }
            }
            EventKind::KeySep
            | EventKind::ValueSep
            | EventKind::Whitespace
            | EventKind::Comment
            | EventKind::Newline
            | EventKind::Error => {}
        }
    }

    fn open_header(&mut self, start: usize, kind: Kind) {
        self.start = start;
        self.open.push(Open::Header(kind));
    }

    /// Ends a value: an item of an array, an entry of an inline table, or a statement.
    fn value(&mut self, part: Part) {
        let Some(Open::Value { keys, key, start }) = self.open.pop_if(|open| matches!(open, Open::Value { .. })) else {
            return;
        };
        if let Some(Open::Inline { entries, .. }) = self.open.last_mut() {
            entries.push((keys, start..key.end, part));
            return;
        }
        let above = self.header.len();
        let path = self.header.iter().cloned().chain(keys).collect();
        let range = start..part.range.end;
        self.found.push(Statement { path, above, range, key, kind: Kind::Value(part) });
    }
}

fn table(entries: &dyn TableLike) -> Value {
    Value::Object(entries.iter().map(|(key, item)| (key.to_owned(), item_value(item))).collect())
}

fn item_value(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => plain(value),
        Item::Table(entries) => table(entries),
        Item::ArrayOfTables(tables) => tables.iter().map(|entries| table(entries)).collect(),
    }
}

fn plain(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => {
            Number::from_f64(*number.value()).map_or_else(|| Value::from(number.value().to_string()), Value::Number)
        }
        toml_edit::Value::Boolean(boolean) => Value::from(*boolean.value()),
        toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
        toml_edit::Value::Array(items) => items.iter().map(plain).collect(),
        toml_edit::Value::InlineTable(entries) => table(entries),
    }
}
