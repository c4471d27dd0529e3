//! Bringing a file up to date that its user edits too: three texts in, one text or its conflicts out.
//!
//! [`merge`] compares what we wrote last, what is on the disk and what we would write now. It is pure: it knows no disk, and all
//! texts have `\n` as their line break. Nothing that the user wrote is ever dropped; where both sides want the same place, it says
//! so.

mod entries;
mod go_module;
mod go_sums;
mod lines;
mod sections;
mod text;
mod variables;
mod version;

use std::collections::BTreeSet;

/// How a file that its user edits too is brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Line by line, as version control merges.
    Text,
    /// `NAME=value` lines (`.env.example`): each variable by its name.
    Variables,
    /// A set of lines (`.gitignore`, `.dockerignore`).
    Lines,
    /// A set of lines that the Go tools keep sorted (`go.sum`).
    GoSums,
    /// The parts of a Markdown file between our markers.
    Sections,
    /// Module path, Go version and requirements of a `go.mod`.
    GoModule,
}

/// One file three times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions<'a> {
    /// What we wrote last; `None`: lost. Empty where we never wrote the file.
    pub base: Option<&'a str>,
    /// What is on the disk.
    pub theirs: &'a str,
    /// What we would write.
    pub ours: &'a str,
}

impl<'a> Versions<'a> {
    /// The lines of the user's text that we never wrote.
    fn own_lines(&self) -> impl Iterator<Item = &'a str> {
        let written: BTreeSet<_> = self.base.unwrap_or_default().lines().collect();
        self.theirs.lines().filter(move |line| !written.contains(line))
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// Both sides have what they want.
    Clean {
        /// The new text.
        text: String,
        /// What the user should know.
        notes: Vec<Note>,
    },
    /// A person must decide.
    Conflict {
        /// The places, in order; at least one.
        conflicts: Vec<Conflict>,
        /// The text with both sides between markers (`<<<<<<<`, `|||||||`, `=======`, `>>>>>>>`), the user's first; all that could
        /// be merged is.
        marked: String,
    },
}

/// Something about a merged text that the user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Line of the new text, from 1.
    pub line: usize,
    /// What is to be known, as the headline of a finding.
    pub text: String,
}

/// A place that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Line of the user's text, from 1; one behind the last when the place is its end.
    pub line: usize,
    /// What both sides did, as the headline of a finding.
    pub text: String,
}

impl Merged {
    /// A text about which there is nothing to say.
    fn clean(text: impl Into<String>) -> Self {
        Self::Clean { text: text.into(), notes: Vec::new() }
    }

    /// The same, for a text of the user's that begins with a byte order mark.
    fn with_mark(mut self) -> Self {
        let (Self::Clean { text, .. } | Self::Conflict { marked: text, .. }) = &mut self;
        text.insert(0, BYTE_ORDER_MARK);
        self
    }
}

/// What some editors put before the first line, and what is no part of it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Brings a file up to date. Where one side changed nothing, the result is the other side's text byte for byte.
pub fn merge(strategy: Strategy, versions: &Versions<'_>) -> Merged {
    let Versions { base, theirs, ours } = *versions;
    if theirs == ours || base == Some(ours) {
        return Merged::clean(theirs);
    }
    if base == Some(theirs) {
        return Merged::clean(ours);
    }
    if let Some(theirs) = theirs.strip_prefix(BYTE_ORDER_MARK) {
        return merge(strategy, &Versions { base, theirs, ours }).with_mark();
    }
    match strategy {
        Strategy::Text => text::merge(versions),
        Strategy::Variables => variables::merge(versions),
        Strategy::Lines => lines::merge(versions),
        Strategy::GoSums => go_sums::merge(versions),
        Strategy::Sections => sections::merge(versions),
        Strategy::GoModule => go_module::merge(versions),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy as _, any, prop_assert, prop_assert_eq, proptest};
    use proptest::sample::select;

    use super::*;

    const ALL: [Strategy; 6] = [
        Strategy::Text,
        Strategy::Variables,
        Strategy::Lines,
        Strategy::GoSums,
        Strategy::Sections,
        Strategy::GoModule,
    ];

    /// Lines that mean something to one of the strategies.
    const LINES: [&str; 19] = [
        "# a",
        "A=1",
        "A=2",
        "B=",
        "",
        "A='",
        "'",
        "<!-- adl:begin p -->",
        "<!-- adl:end p -->",
        "<!-- adl:begin q -->",
        "<!-- adl:end q -->",
        "module m",
        "go 1.25",
        "require (",
        ")",
        "\tx v1.0.0",
        "\tx v1.1.0 // indirect",
        "require y v1.0.0",
        "a h1:b=",
    ];

    /// Lines that only a user writes.
    const OWN_LINES: [&str; 6] =
        ["mine", "MINE=1", "# MINE=2", "replace mine => ../m", "\tmine v1.0.0", "require mine v2.0.0 // x"];

    fn text_of(lines: &'static [&'static str], most: usize) -> impl proptest::strategy::Strategy<Value = String> {
        proptest::collection::vec(select(lines), 0..most).prop_map(|lines| lines.join("\n") + "\n")
    }

    fn theirs() -> impl proptest::strategy::Strategy<Value = String> {
        let line = (any::<bool>(), select(&LINES[..]), select(&OWN_LINES[..]));
        let line = line.prop_map(|(own, ours, theirs)| if own { theirs } else { ours });
        (proptest::collection::vec(line, 0..10), any::<bool>())
            .prop_map(|(lines, ended)| lines.join("\n") + if ended { "\n" } else { "" })
    }

    fn own_lines(text: &str) -> Vec<&str> {
        let mut lines: Vec<_> = text.lines().filter(|line| line.to_lowercase().contains("mine")).collect();
        lines.sort_unstable();
        lines
    }

    proptest! {
        #[test]
        fn no_line_of_the_user_is_lost_and_a_merge_is_done_once(
            base in text_of(&LINES, 10),
            theirs in theirs(),
            ours in text_of(&LINES, 10),
            known in any::<bool>(),
        ) {
            for strategy in ALL {
                let base = known.then_some(base.as_str());
                match merge(strategy, &Versions { base, theirs: &theirs, ours: &ours }) {
                    Merged::Clean { text, .. } => {
                        prop_assert_eq!(own_lines(&theirs), own_lines(&text), "{:?}", strategy);
                        let again = merge(strategy, &Versions { base: Some(&ours), theirs: &text, ours: &ours });
                        prop_assert_eq!(again, Merged::clean(text), "{:?}", strategy);
                    }
                    Merged::Conflict { conflicts, marked } => {
                        prop_assert_eq!(own_lines(&theirs), own_lines(&marked), "{:?}", strategy);
                        prop_assert!(!conflicts.is_empty());
                        let lines = theirs.lines().count() + 1;
                        prop_assert!(conflicts.iter().all(|conflict| (1..=lines).contains(&conflict.line)));
                    }
                }
            }
        }
    }

    #[test]
    fn a_byte_order_mark_stays_before_the_first_line() {
        for (strategy, base, theirs, ours, text) in [
            (Strategy::Variables, "A=1\n", "A=2\n", "# new\nB=1\nA=1\n", "# new\nB=1\nA=2\n"),
            (Strategy::Lines, "a\n", "a\nmine\n", "b\na\n", "b\na\nmine\n"),
            (Strategy::GoModule, "module a\n", "module a\n// mine\n", "module b\n", "module b\n// mine\n"),
            (Strategy::Text, "a\nb\nc\n", "a\nb\nmine\n", "A\nb\nc\n", "A\nb\nmine\n"),
        ] {
            let theirs = format!("\u{feff}{theirs}");
            let merged = merge(strategy, &Versions { base: Some(base), theirs: &theirs, ours });
            assert_eq!(merged, Merged::clean(format!("\u{feff}{text}")), "{strategy:?}");
        }
    }

    #[test]
    fn a_side_without_changes_gives_way() {
        for strategy in ALL {
            let merged = |base, theirs, ours| merge(strategy, &Versions { base, theirs, ours });
            assert_eq!(merged(Some("a\n"), "a\n", "b\n"), Merged::clean("b\n"), "{strategy:?}");
            assert_eq!(merged(Some("a\n"), "b", "a\n"), Merged::clean("b"), "{strategy:?}");
            assert_eq!(merged(None, "b\n", "b\n"), Merged::clean("b\n"), "{strategy:?}");
        }
    }
}
