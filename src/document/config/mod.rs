//! Configuration files of other programs: reads them, and changes one entry without touching any other byte.
//!
//! A [`Config`] is the same for every [`Dialect`]. Each dialect implements `Syntax`: which bytes to replace to insert, replace or
//! remove an entry. Edits are replacements of byte ranges, so comments, order, quotes, line breaks, a byte order mark and a missing
//! final line break stay. Every result is parsed again: an edit that changes the value of anything else is refused.

mod json;
mod json_write;
mod toml;
mod toml_write;
mod verify;
mod yaml;

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

use serde_json::{Map, Value};

use super::edit::apply;
use crate::diagnostics::{Edit, FileId, Span};

pub use verify::verify;

/// The syntax of a configuration file, by what the program accepts that reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// JSON.
    Json,
    /// JSON with comments.
    JsonWithComments,
    /// JSON with comments and trailing commas.
    Jsonc,
    /// TOML 1.0.
    Toml,
    /// YAML 1.2.
    Yaml,
}

/// A syntax error. It never quotes the file, which may contain secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: String,
}

/// Why an entry was not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A value on the path is not a table.
    #[error("a value above the entry is not a table")]
    NotTable,
    /// The file has no such entry.
    #[error("the entry does not exist")]
    Missing,
    /// The style of the file allows no edit that keeps the rest.
    #[error("the entry cannot be changed without touching other parts of the file")]
    Unsupported,
    /// The result would be invalid or differ elsewhere.
    #[error("the change would affect another part of the file")]
    ElsewhereChanged,
}

/// A parsed configuration file.
pub struct Config {
    dialect: Dialect,
    text: String,
    syntax: Box<dyn Syntax>,
}

/// What differs between dialects. Paths name keys of nested tables.
trait Syntax {
    /// The whole file.
    fn value(&self) -> &Value;

    /// The bytes of the key at a path.
    fn key(&self, path: &[&str]) -> Option<Range<usize>>;

    /// Adds a key to an existing table. `None` if that is not possible without touching other parts.
    fn insert(&self, table: &[&str], key: &str, value: &Value) -> Option<Vec<Splice>>;

    /// Replaces the value at an existing path.
    fn replace(&self, path: &[&str], value: &Value) -> Option<Vec<Splice>>;

    /// Removes an existing key with its value and its own comments.
    fn remove(&self, path: &[&str]) -> Option<Vec<Splice>>;
}

/// Bytes to replace, and by what.
type Splice = (Range<usize>, String);

impl Config {
    /// Parses a file. JSON may contain comments and trailing commas in any of its dialects; [`Dialect::check`] is strict.
    ///
    /// # Errors
    /// If the text is invalid, contains a key twice in one table, or is not a table.
    pub fn parse(dialect: Dialect, text: impl Into<String>) -> Result<Self, SyntaxError> {
        let text = text.into();
        let syntax: Box<dyn Syntax> = match dialect {
            Dialect::Json | Dialect::JsonWithComments | Dialect::Jsonc => Box::new(json::Tree::parse(&text)?),
            Dialect::Toml => Box::new(toml::Tree::parse(&text)?),
            Dialect::Yaml => Box::new(yaml::Tree::parse(&text)?),
        };
        if !syntax.value().is_object() {
            return Err(SyntaxError::at(&text, 0, "the file does not contain a table of keys and values"));
        }
        Ok(Self { dialect, text, syntax })
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole file as JSON. What JSON cannot express (dates, infinite numbers) is a string.
    pub fn value(&self) -> &Value {
        self.syntax.value()
    }

    /// The value at a path.
    pub fn get(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(self.value(), |value, key| value.get(*key))
    }

    /// The line and column, from 1, of the key at a path.
    pub fn place(&self, path: &[&str]) -> Option<(usize, usize)> {
        Some(line_and_column(&self.text, self.syntax.key(path)?.start))
    }

    /// The text with another value at a path. Missing tables are created; in existing ones only the entries that differ are
    /// changed.
    ///
    /// # Errors
    /// If the edit is not possible without changing anything else.
    pub fn set(&self, path: &[&str], value: &Value) -> Result<String, EditError> {
        match (self.get(path), value) {
            (Some(old), new) if old == new => Ok(self.text.clone()),
            (Some(Value::Object(old)), Value::Object(new)) => self.set_entries(path, old, new),
            (Some(_), _) => self.apply(self.syntax.replace(path, value), path, Some(value)),
            (None, _) => self.insert(path, value),
        }
    }

    /// The text without the entry at a path.
    ///
    /// # Errors
    /// If there is no such entry, or the edit is not possible without changing anything else.
    pub fn remove(&self, path: &[&str]) -> Result<String, EditError> {
        if path.is_empty() || self.get(path).is_none() {
            return Err(EditError::Missing);
        }
        self.apply(self.syntax.remove(path), path, None)
    }

    fn set_entries(
        &self,
        path: &[&str],
        old: &Map<String, Value>,
        new: &Map<String, Value>,
    ) -> Result<String, EditError> {
        let mut text = self.text.clone();
        let differing = new.iter().filter(|(key, value)| old.get(*key) != Some(value));
        for (key, value) in differing {
            text = self.parse_again(text)?.set(&[path, &[key.as_str()]].concat(), value)?;
        }
        for key in old.keys().filter(|key| !new.contains_key(*key)) {
            text = self.parse_again(text)?.remove(&[path, &[key.as_str()]].concat())?;
        }
        Ok(text)
    }

    fn insert(&self, path: &[&str], value: &Value) -> Result<String, EditError> {
        let mut above = path.len();
        while above > 0 && self.get(path.get(..above).unwrap_or_default()).is_none() {
            above -= 1;
        }
        let (table, rest) = path.split_at_checked(above).ok_or(EditError::Missing)?;
        let Some((key, below)) = rest.split_first() else { return Err(EditError::Missing) };
        let nested = below.iter().rev().fold(value.clone(), |value, key| table_of(key, value));
        let splices = match self.get(table) {
            Some(Value::Object(_)) => self.syntax.insert(table, key, &nested),
            // `key:` without a value is how people leave a table empty in YAML.
            Some(Value::Null) if above > 0 => self.syntax.replace(table, &table_of(key, nested)),
            _ => return Err(EditError::NotTable),
        };
        self.apply(splices, path, Some(value))
    }

    fn apply(&self, splices: Option<Vec<Splice>>, path: &[&str], value: Option<&Value>) -> Result<String, EditError> {
        let edits = splices
            .ok_or(EditError::Unsupported)?
            .into_iter()
            .map(|(range, replacement)| Edit { span: Span::new(FileId::default(), range), replacement });
        let edits: Vec<_> = edits.collect();
        let text = apply(&self.text, &edits).ok_or(EditError::Unsupported)?;
        verify(self, &text, path, value)?;
        Ok(text)
    }

    fn parse_again(&self, text: String) -> Result<Self, EditError> {
        Self::parse(self.dialect, text).map_err(|_invalid| EditError::ElsewhereChanged)
    }
}

fn table_of(key: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}

impl fmt::Debug for Config {
    /// Without the text, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config").field("dialect", &self.dialect).finish_non_exhaustive()
    }
}

impl Dialect {
    /// Whether a program that reads exactly this dialect accepts the text.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(self, text: &str) -> Result<(), SyntaxError> {
        match self {
            Self::Json => json::check(text, false, false),
            Self::JsonWithComments => json::check(text, true, false),
            Self::Jsonc | Self::Toml | Self::Yaml => Config::parse(self, text).map(drop),
        }
    }
}

impl SyntaxError {
    fn at(text: &str, offset: usize, problem: impl Into<String>) -> Self {
        let (line, column) = line_and_column(text, offset);
        Self { line, column, problem: problem.into() }
    }
}

/// The line and column of a byte, from 1, columns in characters. A byte order mark does not count.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text).trim_start_matches(BYTE_ORDER_MARK);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text without a byte order mark, and the length of the mark.
fn without_mark(text: &str) -> (&str, usize) {
    text.strip_prefix(BYTE_ORDER_MARK).map_or((text, 0), |rest| (rest, BYTE_ORDER_MARK.len_utf8()))
}
