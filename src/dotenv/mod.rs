//! Env files (`.env`): `NAME=value` lines, every byte in its place.
//!
//! [`Document`] splits a text into its items as Docker Compose reads it: comments, blank lines, `export`, `NAME: value`,
//! quotes, values of several lines, a comment behind a value. It knows byte ranges and nothing of what the variables mean. A line
//! that it refuses or misreads is an item too, so that the items together are always the whole text.

mod interpolation;
mod parse;
mod value;

use std::ops::Range;

pub use value::Value;

/// An env file, split into items.
#[derive(Debug)]
pub struct Document<'a> {
    text: &'a str,
    items: Vec<Item>,
}

/// Whole lines of an env file: one, or those of a value that goes over several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its bytes, the line break behind it included. The ranges of all items follow each other without a gap.
    pub range: Range<usize>,
    /// What it is.
    pub kind: ItemKind,
}

/// What a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    /// Nothing but blanks.
    Blank,
    /// A line that begins with `#`.
    Comment,
    /// A variable.
    Variable(Variable),
    /// What readers refuse, together with the whole file, or take for something else.
    Malformed(Malformed),
}

/// The places of a variable's parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: Range<usize>,
    /// The value as it is written, quotes included, a comment behind it not. `None`: a name alone, which takes over what the
    /// reader's own environment has.
    pub value: Option<Range<usize>>,
}

/// Why a line is no variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// What is wrong.
    pub fault: Fault,
    /// Where.
    pub place: Range<usize>,
}

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// There is nothing in front of the `=`.
    NoName,
    /// A character that no name has.
    CharacterInName,
    /// A quoted value without its second quote.
    UnclosedQuote,
    /// Something other than a comment behind a quoted value; Docker Compose takes it for another variable.
    TextBehindQuote,
}

impl<'a> Document<'a> {
    /// Splits a text. Whatever it holds, nothing of it is dropped.
    pub fn parse(text: &'a str) -> Self {
        Self { text, items: parse::items(text) }
    }

    /// The items in order.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The variables in order; of one name there may be several, of which the last counts.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Variable(variable) => Some(variable),
            ItemKind::Blank | ItemKind::Comment | ItemKind::Malformed(_) => None,
        })
    }

    /// The text at a place of this document.
    pub fn slice(&self, range: &Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// The name of a variable of this document.
    pub fn name(&self, variable: &Variable) -> &'a str {
        self.slice(&variable.name)
    }

    /// What the variable is set to; `None` where it has no value of its own.
    pub fn value(&self, variable: &Variable) -> Option<Value> {
        variable.value.as_ref().map(|range| Value::read(self.slice(range)))
    }
}

/// The name in a comment that is a variable switched off (`# NAME=value`).
pub fn commented_out(line: &str) -> Option<&str> {
    let line = switched_on(line)?;
    let document = Document::parse(line);
    document.variables().next().map(|variable| document.name(variable))
}

/// The end of a comment that is a variable switched off, from its name on.
pub fn switched_on(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start_matches(['#', ' ', '\t']);
    let has_value = Document::parse(rest).variables().next().is_some_and(|variable| variable.value.is_some());
    has_value.then_some(rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_variable_that_is_switched_off_is_found_in_its_comment() {
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
