//! Three-way merge of generated files that the user edits too.
//!
//! [`merge`] combines the text that was generated last, the text on the disk and the new generated text. It is a pure
//! function; all texts have `\n` line endings. No line of the user is ever dropped. If both sides change the same
//! lines, the result is a conflict.

mod entries;
mod go_module;
mod go_sums;
mod lines;
mod sections;
mod text;
mod variables;
mod version;

use std::collections::BTreeSet;

/// How to merge a type of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Line by line, like version control.
    Text,
    /// `NAME=value` lines (`.env.example`), merged by variable name.
    Variables,
    /// A set of lines (`.gitignore`, `.dockerignore`).
    Lines,
    /// A sorted set of lines (`go.sum`).
    GoSums,
    /// Markdown with generated sections between markers.
    Sections,
    /// Module path, Go version and requirements of a `go.mod` file.
    GoModule,
}

/// The three versions of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions<'a> {
    /// The text that was generated last: `None` if it is lost, empty if the file was never generated.
    pub base: Option<&'a str>,
    /// The text on the disk.
    pub theirs: &'a str,
    /// The new generated text.
    pub ours: &'a str,
}

impl<'a> Versions<'a> {
    /// Lines of the user's text that were never generated.
    fn own_lines(&self) -> impl Iterator<Item = &'a str> {
        let written: BTreeSet<_> = self.base.unwrap_or_default().lines().collect();
        self.theirs.lines().filter(move |line| !written.contains(line))
    }
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// Both sides could be merged.
    Clean {
        /// The merged text.
        text: String,
        /// Messages for the user.
        notes: Vec<Note>,
    },
    /// The user must resolve conflicts.
    Conflict {
        /// The conflicts, in order; at least one.
        conflicts: Vec<Conflict>,
        /// The merged text, with both versions of each conflict between markers (`<<<<<<<`, `|||||||`, `=======`,
        /// `>>>>>>>`), the user's first.
        marked: String,
    },
}

/// A message about a merged text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Line of the merged text, from 1.
    pub line: usize,
    /// The message, worded like the headline of a finding.
    pub text: String,
}

/// Lines that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Line of the user's text, from 1; the number of lines plus 1 if the conflict is at the end.
    pub line: usize,
    /// What both sides changed, worded like the headline of a finding.
    pub text: String,
}

impl Merged {
    /// A merged text without notes.
    fn clean(text: impl Into<String>) -> Self {
        Self::Clean { text: text.into(), notes: Vec::new() }
    }

    /// Inserts the byte order mark of the user's text.
    fn with_mark(mut self) -> Self {
        let (Self::Clean { text, .. } | Self::Conflict { marked: text, .. }) = &mut self;
        text.insert(0, BYTE_ORDER_MARK);
        self
    }
}

/// Some editors write it at the start of a file; it is not part of the first line.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Merges the versions of a file. If only one side changed, the result is the text of that side, byte for byte.
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

    /// Lines with a meaning in one of the strategies.
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

    /// Lines that are only written by the user.
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
        fn keeps_all_lines_of_the_user_and_is_idempotent(
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
    fn keeps_a_byte_order_mark() {
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
    fn takes_the_changed_side_if_only_one_changed() {
        for strategy in ALL {
            let merged = |base, theirs, ours| merge(strategy, &Versions { base, theirs, ours });
            assert_eq!(merged(Some("a\n"), "a\n", "b\n"), Merged::clean("b\n"), "{strategy:?}");
            assert_eq!(merged(Some("a\n"), "b", "a\n"), Merged::clean("b"), "{strategy:?}");
            assert_eq!(merged(None, "b\n", "b\n"), Merged::clean("b\n"), "{strategy:?}");
        }
    }
}
