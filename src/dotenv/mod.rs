//! Lossless parser for environment files (`.env`) with `NAME=value` lines.
//!
//! [`Document`] splits a text into items with the syntax of Docker Compose: comments, empty lines, `export`, `NAME:
//! value`, quotes, multi-line values, and comments after values. It provides byte ranges and does not know the meaning
//! of variables. A line that Docker Compose rejects or misreads is an item too, so the items always cover the whole
//! text.

mod interpolation;
mod parse;
mod value;

use std::ops::Range;

pub use value::Value;

/// An environment file, split into items.
#[derive(Debug)]
pub struct Document<'a> {
    text: &'a str,
    items: Vec<Item>,
}

/// One line of an environment file, or the lines of a multi-line value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The byte range, including the line break. The ranges of all items are contiguous.
    pub range: Range<usize>,
    /// The kind of item.
    pub kind: ItemKind,
}

/// The kind of an [`Item`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    /// Only spaces.
    Blank,
    /// A line that starts with `#`.
    Comment,
    /// A variable.
    Variable(Variable),
    /// A line that readers reject, together with the whole file, or misread.
    Malformed(Malformed),
}

/// The byte ranges of a variable's parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: Range<usize>,
    /// The value as written, including quotes but not a comment after it. `None` for a name alone, whose value is taken
    /// from the reader's own environment.
    pub value: Option<Range<usize>>,
}

/// Why a line is not a valid variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The kind of error.
    pub fault: Fault,
    /// Its location.
    pub place: Range<usize>,
}

/// The kind of a [`Malformed`] line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The name before `=` is missing.
    NoName,
    /// The name contains an invalid character.
    CharacterInName,
    /// The closing quote of a value is missing.
    UnclosedQuote,
    /// A quoted value is followed by something other than a comment. Docker Compose reads it as another variable.
    TextAfterQuote,
}

impl<'a> Document<'a> {
    /// Splits a text into items. Never fails; the items cover the whole text.
    pub fn parse(text: &'a str) -> Self {
        Self { text, items: parse::items(text) }
    }

    /// The items in order.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The variables in order. If a name occurs more than once, the last value applies.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Variable(variable) => Some(variable),
            ItemKind::Blank | ItemKind::Comment | ItemKind::Malformed(_) => None,
        })
    }

    /// The text of a range.
    pub fn slice(&self, range: &Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// The name of a variable.
    pub fn name(&self, variable: &Variable) -> &'a str {
        self.slice(&variable.name)
    }

    /// The value of a variable; `None` if it has none of its own.
    pub fn value(&self, variable: &Variable) -> Option<Value> {
        variable.value.as_ref().map(|range| Value::read(self.slice(range)))
    }
}

/// The name in a commented-out variable (`# NAME=value`).
pub fn commented_out(line: &str) -> Option<&str> {
    let line = uncommented(line)?;
    let document = Document::parse(line);
    document.variables().next().map(|variable| document.name(variable))
}

/// The text of a commented-out variable, starting with its name or `export`.
pub fn uncommented(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start_matches(['#', ' ', '\t']);
    let has_value = Document::parse(rest).variables().next().is_some_and(|variable| variable.value.is_some());
    has_value.then_some(rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_commented_out_variables() {
        for (line, name) in [
            ("# A=1", Some("A")),
            ("#A=1\n", Some("A")),
            ("  ## export A_B=", Some("A_B")),
            ("# A", None),
            ("# say what A=1 means", None),
            ("A=1", None),
            ("#", None),
        ] {
            assert_eq!(commented_out(line), name, "{line:?}");
        }
    }

    proptest! {
        #[test]
        fn every_byte_belongs_to_one_item(text in "(?s)[ A=:#'\"\\\\$x\n\r\té]{0,40}|.{0,40}") {
            let document = Document::parse(&text);
            let joined: String = document.items().iter().map(|item| document.slice(&item.range)).collect();
            prop_assert_eq!(&joined, &text);
            for variable in document.variables() {
                prop_assert!(!document.name(variable).is_empty());
                document.value(variable);
            }
        }
    }
}
