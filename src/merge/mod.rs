//! Bringing a file up to date that its user edits too: three texts in, one text or its conflicts out.
//!
//! [`merge`] compares what we wrote last, what is on the disk and what we would write now. It is pure: it knows no disk, and all
//! texts have `\n` as their line break. Nothing that the user wrote is ever dropped; where both sides want the same place, it says
//! so.

mod text;

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

impl Strategy {
    /// For a file that we share with the user, from its name; [`Strategy::Text`] where the name says nothing.
    pub fn of_shared(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name {
            ".env" | ".env.example" => Self::Variables,
            ".gitignore" | ".dockerignore" => Self::Lines,
            "go.mod" => Self::GoModule,
            "go.sum" => Self::GoSums,
            _ => match name.rsplit_once('.') {
                Some((_, "md")) => Self::Sections,
                _ => Self::Text,
            },
        }
    }
}

/// One file three times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions<'a> {
    /// What we wrote last; `None`: lost, or never written by us.
    pub base: Option<&'a str>,
    /// What is on the disk.
    pub theirs: &'a str,
    /// What we would write.
    pub ours: &'a str,
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
}

/// Brings a file up to date. Where one side changed nothing, the result is the other side's text byte for byte.
pub fn merge(strategy: Strategy, versions: &Versions<'_>) -> Merged {
    let Versions { base, theirs, ours } = *versions;
    if theirs == ours || base == Some(ours) {
        return Merged::clean(theirs);
    }
    if base == Some(theirs) {
        return Merged::clean(ours);
    }
    match strategy {
        Strategy::Text
        | Strategy::Variables
        | Strategy::Lines
        | Strategy::GoSums
        | Strategy::Sections
        | Strategy::GoModule => text::merge(versions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_shared_file_decides() {
        for (path, strategy) in [
            (".env.example", Strategy::Variables),
            (".gitignore", Strategy::Lines),
            ("deep/.dockerignore", Strategy::Lines),
            ("go.mod", Strategy::GoModule),
            ("go.sum", Strategy::GoSums),
            ("README.md", Strategy::Sections),
            ("Taskfile.yml", Strategy::Text),
            ("md", Strategy::Text),
        ] {
            assert_eq!(Strategy::of_shared(path), strategy, "{path}");
        }
    }

    #[test]
    fn a_side_without_changes_gives_way() {
        for strategy in [
            Strategy::Text,
            Strategy::Variables,
            Strategy::Lines,
            Strategy::GoSums,
            Strategy::Sections,
            Strategy::GoModule,
        ] {
            let merged = |base, theirs, ours| merge(strategy, &Versions { base, theirs, ours });
            assert_eq!(merged(Some("a\n"), "a\n", "b\n"), Merged::clean("b\n"), "{strategy:?}");
            assert_eq!(merged(Some("a\n"), "b", "a\n"), Merged::clean("b"), "{strategy:?}");
            assert_eq!(merged(None, "b\n", "b\n"), Merged::clean("b\n"), "{strategy:?}");
        }
    }
}
