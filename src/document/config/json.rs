//! JSON with comments and trailing commas.

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use super::json_write::{self, Style};
use super::{Splice, Syntax, SyntaxError, without_mark};
use crate::document::edit::lines;

/// A parsed file.
pub(super) struct Tree {
    text: String,
    value: Value,
    root: Node,
}

struct Node {
    range: Range<usize>,
    /// The entries of an object; `None` for any other value.
    entries: Option<Vec<Entry>>,
}

struct Entry {
    name: String,
    key: Range<usize>,
    value: Node,
}

impl Entry {
    fn range(&self) -> Range<usize> {
        self.key.start..self.value.range.end
    }
}

fn options(comments: bool, trailing_commas: bool) -> ParseOptions {
    ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: trailing_commas,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Whether a text is JSON, with comments or trailing commas only if these are allowed.
pub(super) fn check(text: &str, comments: bool, trailing_commas: bool) -> Result<(), SyntaxError> {
    parse(text, comments, trailing_commas).map(drop)
}

fn parse(text: &str, comments: bool, trailing_commas: bool) -> Result<(Node, Value), SyntaxError> {
    let (json, mark) = without_mark(text);
    let parsed =
        parse_to_ast(json, &CollectOptions::default(), &options(comments, trailing_commas)).map_err(|error| {
            let mut problem = error.kind().to_string();
            problem.get_mut(..1).into_iter().for_each(str::make_ascii_lowercase);
            SyntaxError::at(text, error.range().start + mark, problem)
        })?;
    let value = parsed.value.ok_or_else(|| SyntaxError::at(text, text.len(), "the file is empty"))?;
    convert(text, mark, &value)
}

fn convert(text: &str, mark: usize, value: &ast::Value<'_>) -> Result<(Node, Value), SyntaxError> {
    let range = value.range();
    let range = range.start + mark..range.end + mark;
    let (value, entries) = match value {
        ast::Value::StringLit(string) => (Value::from(&*string.value), None),
        ast::Value::NumberLit(number) => {
            (serde_json::from_str(number.value).unwrap_or_else(|_range| Value::from(number.value)), None)
        }
        ast::Value::BooleanLit(boolean) => (Value::from(boolean.value), None),
        ast::Value::NullKeyword(_) => (Value::Null, None),
        ast::Value::Array(array) => {
            let items: Result<Vec<_>, _> =
                array.elements.iter().map(|item| convert(text, mark, item).map(|(_, value)| value)).collect();
            (Value::Array(items?), None)
        }
        ast::Value::Object(object) => {
            let (mut values, mut entries) = (Map::new(), Vec::new());
            for property in &object.properties {
                let name = property.name.as_str().to_owned();
                let key = property.name.range();
                let (node, value) = convert(text, mark, &property.value)?;
                if values.insert(name.clone(), value).is_some() {
                    return Err(SyntaxError::at(text, key.start + mark, "duplicate key"));
                }
                entries.push(Entry { name, key: key.start + mark..key.end + mark, value: node });
            }
            (Value::Object(values), Some(entries))
        }
    };
    Ok((Node { range, entries }, value))
}

impl Tree {
    pub(super) fn parse(text: &str) -> Result<Self, SyntaxError> {
        let (root, value) = parse(text, true, true)?;
        Ok(Self { text: text.to_owned(), value, root })
    }

    fn node(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(&self.root, |node, key| {
            node.entries.as_ref()?.iter().find(|entry| entry.name == *key).map(|entry| &entry.value)
        })
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// The spaces or tabs before the first character of the line at `place`.
    fn indentation(&self, place: usize) -> &str {
        let line = self.slice(lines::line_start(&self.text, place)..place);
        line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
    }

    fn begins_line(&self, place: usize) -> bool {
        let line = self.slice(lines::line_start(&self.text, place)..place);
        line.chars().all(|c| c == ' ' || c == '\t')
    }

    /// The indentation of one level, as in the first object whose entries have their own lines.
    fn step(&self) -> &str {
        let mut pending = vec![&self.root];
        while let Some(node) = pending.pop() {
            let entries = node.entries.as_deref().unwrap_or_default();
            if let Some(first) = entries.first().filter(|first| self.begins_line(first.key.start)) {
                let (own, above) = (self.indentation(first.key.start), self.indentation(node.range.start));
                if let Some(step) = own.strip_prefix(above).filter(|step| !step.is_empty()) {
                    return step;
                }
            }
            pending.extend(entries.iter().rev().map(|entry| &entry.value));
        }
        "  "
    }

    fn style<'a>(&'a self, indentation: &'a str, on_lines: bool) -> Style<'a> {
        Style { indentation, step: self.step(), line_break: lines::line_break(&self.text), on_lines }
    }

    /// Adds an entry after the last one of an object that has entries.
    fn insert_after(&self, last: &Entry, object: &Node, key: &str, value: &Value) -> Vec<Splice> {
        let end = last.value.range.end;
        let gap = self.slice(end..object.range.end.saturating_sub(1));
        let comma = comma_in(gap);
        let on_lines = self.begins_line(last.key.start);
        let style = self.style(self.indentation(last.key.start), on_lines);
        let entry = json_write::entry(key, value, &style);
        if !on_lines {
            return match comma {
                Some(comma) => vec![(end + comma + 1..end + comma + 1, format!(" {entry}"))],
                None => vec![(end..end, format!(", {entry}"))],
            };
        }
        // Behind a comment on the same line; comments on later lines stay below the new entry.
        let line = gap.find('\n').unwrap_or(gap.len()).max(comma.map_or(0, |comma| comma + 1));
        let place = end + gap.get(..line).unwrap_or_default().trim_end().len();
        let trailing = if comma.is_some() { "," } else { "" };
        let new = format!("{}{}{entry}{trailing}", style.line_break, style.indentation);
        let separator = comma.is_none().then(|| (end..end, ",".to_owned()));
        separator.into_iter().chain([(place..place, new)]).collect()
    }

    fn insert_first(&self, object: &Node, key: &str, value: &Value) -> Vec<Splice> {
        let start = object.range.start + 1;
        let inner = self.slice(start..object.range.end.saturating_sub(1));
        let on_lines = self.text.contains('\n') || self.root.range == object.range;
        let above = self.indentation(object.range.start);
        let indentation = format!("{above}{}", self.step());
        let style = self.style(&indentation, on_lines);
        let entry = json_write::entry(key, value, &style);
        if !on_lines {
            return vec![(start..start, entry)];
        }
        let place = start + inner.trim_end().len();
        let closes_line = self.slice(place..start + inner.len()).contains('\n');
        let end = if closes_line { String::new() } else { format!("{}{above}", style.line_break) };
        vec![(place..place, format!("{}{indentation}{entry}{end}", style.line_break))]
    }

    /// The lines of an entry with its comments, if it shares them with no other entry.
    fn own_lines(&self, range: &Range<usize>, behind: usize) -> Option<Range<usize>> {
        if !self.begins_line(range.start) {
            return None;
        }
        let end = lines::line_end(&self.text, behind);
        if !is_blank_or_comment(self.slice(behind..end)) {
            return None;
        }
        let indentation = self.indentation(range.start);
        let mut start = lines::line_start(&self.text, range.start);
        while start > lines::line_start(&self.text, 0) {
            let above = lines::line_start(&self.text, start - 1);
            let is_own = self.slice(above..start).strip_prefix(indentation).is_some_and(|line| line.starts_with("//"));
            if !is_own || above >= start {
                break;
            }
            start = above;
        }
        Some(start..end)
    }
}

/// The offset of a comma outside comments.
fn comma_in(gap: &str) -> Option<usize> {
    let mut rest = gap;
    loop {
        let offset = gap.len() - rest.len();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').and_then(|end| comment.get(end..)).unwrap_or_default();
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
        } else {
            let next = rest.chars().next()?;
            if next == ',' {
                return Some(offset);
            }
            rest = rest.get(next.len_utf8()..)?;
        }
    }
}

/// Whether the rest of a line holds at most one comment.
fn is_blank_or_comment(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line.starts_with("//")
        || line.strip_prefix("/*").and_then(|rest| rest.split_once("*/")).is_some_and(|(_, rest)| rest.is_empty())
}

impl Syntax for Tree {
    fn value(&self) -> &Value {
        &self.value
    }

    fn key(&self, path: &[&str]) -> Option<Range<usize>> {
        let (key, above) = path.split_last()?;
        let entries = self.node(above)?.entries.as_ref()?;
        entries.iter().find(|entry| entry.name == *key).map(|entry| entry.key.clone())
    }

    fn insert(&self, table: &[&str], key: &str, value: &Value) -> Option<Vec<Splice>> {
        let object = self.node(table)?;
        Some(match object.entries.as_ref()?.last() {
            Some(last) => self.insert_after(last, object, key, value),
            None => self.insert_first(object, key, value),
        })
    }

    fn replace(&self, path: &[&str], value: &Value) -> Option<Vec<Splice>> {
        let range = self.node(path)?.range.clone();
        let on_lines = self.slice(range.clone()).contains('\n') || self.begins_line(self.key(path)?.start);
        let style = self.style(self.indentation(range.start), on_lines);
        Some(vec![(range, json_write::value(value, &style))])
    }

    fn remove(&self, path: &[&str]) -> Option<Vec<Splice>> {
        let (key, above) = path.split_last()?;
        let object = self.node(above)?;
        let entries = object.entries.as_ref()?;
        let slot = entries.iter().position(|entry| entry.name == *key)?;
        let range = entries.get(slot)?.range();
        let previous = slot.checked_sub(1).and_then(|slot| entries.get(slot)).map(|entry| entry.value.range.end);
        let next = entries.get(slot + 1).map(|entry| entry.key.start);
        let inner = object.range.end.checked_sub(1)?;
        let comma = comma_in(self.slice(range.end..next.unwrap_or(inner))).map(|comma| range.end + comma);
        let behind = comma.map_or(range.end, |comma| comma + 1);
        // The comma before the last entry is not needed after it.
        let before = match (previous, comma) {
            (Some(previous), None) => {
                let comma = previous + comma_in(self.slice(previous..range.start))?;
                Some((comma..comma + 1, String::new()))
            }
            _ => None,
        };
        let start = object.range.start + 1;
        if let Some(own) = self.own_lines(&range, behind).filter(|own| own.end <= inner) {
            let is_empty = entries.len() == 1
                && self.slice(start..own.start).trim().is_empty()
                && self.slice(own.end..inner).trim().is_empty();
            let own = if is_empty { start..inner } else { own };
            return Some(before.into_iter().chain([(own, String::new())]).collect());
        }
        let end = next.filter(|next| self.slice(behind..*next).trim().is_empty()).unwrap_or(behind);
        let start = match previous {
            Some(previous)
                if next.is_none() && self.slice(previous..range.start).trim_start_matches(',').trim().is_empty() =>
            {
                // With what separates it from the previous entry, except for a comma that the file ends its objects with.
                return Some(vec![(previous..range.end, String::new())]);
            }
            _ => range.start,
        };
        Some(before.into_iter().chain([(start..end, String::new())]).collect())
    }
}
