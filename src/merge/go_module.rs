//! Merges `go.mod`: module path, Go version and requirements. All other lines belong to the user.
//!
//! The module path is always the generated one. A version that the user has not changed is updated; otherwise the
//! higher version is used, so that neither generated code nor the user's code gets an older module than it was written
//! for. New requirements are added. Obsolete ones are removed unless the user changed their version. Requirements that
//! the user removed are not added again.

use std::cmp::Ordering;
use std::fmt;

use super::version;
use super::{Merged, Note, Versions, text};

pub(super) fn merge(versions: &Versions<'_>) -> Merged {
    let base = parse(versions.base.unwrap_or_default());
    let ours = parse(versions.ours);
    let mut result = parse(versions.theirs);
    if !result.iter().any(|line| matches!(line, Line::Module { .. })) {
        return text::merge(versions);
    }
    let (mut gone, mut replaced) = (Vec::new(), None);
    for line in &mut result {
        match line {
            Line::Module { entry } => {
                let theirs = entry.path.clone();
                follow_path(entry, &ours);
                let is_users = theirs != entry.path && module(&base) != Some(&theirs);
                replaced = is_users.then_some(theirs).or(replaced);
            }
            Line::Go { entry } => follow(entry, go(&base), go(&ours)),
            Line::Require { entry, .. } => match (required(&base, &entry.path), required(&ours, &entry.path)) {
                (Some(base), None) => gone.push((entry.path.clone(), *base == *entry)),
                (base, ours) => follow(entry, base, ours),
            },
            Line::Open { .. } | Line::Other { .. } => {}
        }
    }
    let notes = remove(&mut result, &gone);
    let requirements: Vec<_> = ours.iter().filter_map(Line::requirement).collect();
    for (index, new) in requirements.iter().enumerate() {
        if required(&base, &new.path).is_none() && required(&result, &new.path).is_none() {
            let (before, after) = requirements.split_at(index);
            add(&mut result, new, before, after);
        }
    }
    let replaced = replaced.map(|path| Gone::Replaced { path });
    let notes = replaced.into_iter().chain(notes).filter_map(|note| note.place_in(&result)).collect();
    Merged::Clean { text: result.iter().map(ToString::to_string).collect(), notes }
}

/// A line of a `go.mod` file.
#[derive(Debug)]
enum Line {
    /// `module PATH`
    Module { entry: Entry },
    /// `go VERSION`; the path is empty.
    Go { entry: Entry },
    /// A requirement, on its own line or in a block.
    Require { entry: Entry, in_block: bool },
    /// `require (`
    Open { text: String },
    /// Any other line.
    Other { text: String },
}

/// A path and a version. Two entries are equal if path, version and comment are.
#[derive(Debug, Clone)]
struct Entry {
    /// The text before the path: indentation and directive.
    prefix: String,
    path: String,
    version: String,
    /// The text after `//`.
    comment: Option<String>,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (&self.path, &self.version, &self.comment) == (&other.path, &other.version, &other.comment)
    }
}

impl Line {
    fn requirement(&self) -> Option<&Entry> {
        match self {
            Self::Require { entry, .. } => Some(entry),
            Self::Module { .. } | Self::Go { .. } | Self::Open { .. } | Self::Other { .. } => None,
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Module { entry } | Self::Go { entry } | Self::Require { entry, .. } => {
                let Entry { prefix, path, version, comment } = entry;
                let gap = if path.is_empty() || version.is_empty() { "" } else { " " };
                write!(f, "{prefix}{path}{gap}{version}")?;
                match comment {
                    Some(comment) => writeln!(f, " // {comment}"),
                    None => writeln!(f),
                }
            }
            Self::Open { text } | Self::Other { text } => f.write_str(text),
        }
    }
}

fn parse(text: &str) -> Vec<Line> {
    let mut block = None;
    text.split_inclusive('\n')
        .map(|line| {
            let other = || Line::Other { text: line.to_owned() };
            let (code, comment) = match line.trim_end().split_once("//") {
                Some((code, comment)) => (code, Some(comment.trim().to_owned())),
                None => (line.trim_end(), None),
            };
            let words: Vec<_> = code.split_whitespace().collect();
            let entry = |path: &str, version: &str| {
                let first = if path.is_empty() { version } else { path };
                let prefix = code.get(..first.as_ptr().addr() - code.as_ptr().addr()).unwrap_or_default().to_owned();
                let unquoted = |word: &str| word.trim_matches(['"', '`']).to_owned();
                Entry { prefix, path: unquoted(path), version: unquoted(version), comment: comment.clone() }
            };
            match (block, words.as_slice()) {
                (_, [")"]) => {
                    block = None;
                    other()
                }
                (None, ["require", "("]) => {
                    block = Some(true);
                    Line::Open { text: line.to_owned() }
                }
                (None, [_, "("]) => {
                    block = Some(false);
                    other()
                }
                (Some(true), [path, version]) if is_version(version) => {
                    Line::Require { entry: entry(path, version), in_block: true }
                }
                (None, ["require", path, version]) if is_version(version) => {
                    Line::Require { entry: entry(path, version), in_block: false }
                }
                (None, ["module", path]) => Line::Module { entry: entry(path, "") },
                (None, ["go", version]) => Line::Go { entry: entry("", version) },
                _ => other(),
            }
        })
        .collect()
}

/// Whether a word looks like a module version, possibly quoted.
fn is_version(word: &str) -> bool {
    let word = word.trim_start_matches(['"', '`']);
    word.strip_prefix('v').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

fn go(lines: &[Line]) -> Option<&Entry> {
    lines.iter().find_map(|line| if let Line::Go { entry } = line { Some(entry) } else { None })
}

fn required<'a>(lines: &'a [Line], path: &str) -> Option<&'a Entry> {
    lines.iter().filter_map(Line::requirement).find(|entry| entry.path == path)
}

fn module(lines: &[Line]) -> Option<&String> {
    lines.iter().find_map(|line| if let Line::Module { entry } = line { Some(&entry.path) } else { None })
}

fn follow_path(entry: &mut Entry, ours: &[Line]) {
    if let Some(path) = module(ours) {
        entry.path.clone_from(path);
    }
}

fn follow(entry: &mut Entry, base: Option<&Entry>, ours: Option<&Entry>) {
    let Some(ours) = ours else { return };
    if base.is_some_and(|base| base == entry) {
        entry.version.clone_from(&ours.version);
        entry.comment.clone_from(&ours.comment);
    } else if base.is_some_and(|base| base.version == entry.version)
        || version::compare(&entry.version, &ours.version) == Ordering::Less
    {
        entry.version.clone_from(&ours.version);
    }
}

/// A note about a replaced or obsolete line, whose line number is not known yet.
enum Gone {
    /// The user's module path was replaced.
    Replaced {
        path: String,
    },
    Removed {
        path: String,
        before: String,
    },
    Kept {
        path: String,
    },
}

impl Gone {
    fn place_in(self, lines: &[Line]) -> Option<Note> {
        let line_of = |path: &str| {
            let place = lines.iter().position(|line| line.requirement().is_some_and(|entry| entry.path == path))?;
            Some(place + 1)
        };
        Some(match self {
            Self::Replaced { path } => Note {
                line: lines.iter().position(|line| matches!(line, Line::Module { .. }))? + 1,
                text: format!(
                    "the module path is reset to the one in the manifest, which the generated code imports; it was `{path}`"
                ),
            },
            Self::Kept { path } => Note {
                line: line_of(&path)?,
                text: format!("adl no longer requires `{path}`; it is kept because you changed its version"),
            },
            Self::Removed { path, before } => Note {
                line: line_of(&before).unwrap_or(1),
                text: format!("adl no longer requires `{path}`; run `go mod tidy` if your own code uses it"),
            },
        })
    }
}

/// Removes obsolete requirements that the user has not changed, and blocks that become empty.
fn remove(lines: &mut Vec<Line>, gone: &[(String, bool)]) -> Vec<Gone> {
    let mut notes = Vec::new();
    for (path, as_written) in gone {
        let place = lines.iter().position(|line| line.requirement().is_some_and(|entry| entry.path == *path));
        let Some(place) = place else { continue };
        if !as_written {
            notes.push(Gone::Kept { path: path.clone() });
            continue;
        }
        let removed = lines.remove(place);
        let is_direct = removed.requirement().is_some_and(|entry| entry.comment.is_none());
        if is_direct {
            let before = lines.iter().take(place).rev().find_map(Line::requirement);
            let before = before.map(|entry| entry.path.clone()).unwrap_or_default();
            notes.push(Gone::Removed { path: path.clone(), before });
        }
        shrink_block(lines, place);
    }
    notes
}

/// Normalizes the block before line `place`, from which a requirement was removed, like `go mod tidy`: a single
/// requirement has no parentheses, and an empty block is removed.
fn shrink_block(lines: &mut Vec<Line>, place: usize) {
    let is_open = |index: usize| matches!(lines.get(index), Some(Line::Open { .. }));
    let closes = |index: usize| matches!(lines.get(index), Some(Line::Other { text }) if text.trim() == ")");
    let Some(open) = (0..place).rev().find(|index| is_open(*index)) else { return };
    if closes(open + 1) {
        lines.drain(open..=open + 1);
        let is_blank = |line: Option<&Line>| matches!(line, Some(Line::Other { text }) if text.trim().is_empty());
        if open > 0 && is_blank(lines.get(open - 1)) && (lines.len() == open || is_blank(lines.get(open))) {
            lines.remove(open - 1);
        }
    } else if closes(open + 2)
        && let Some(Line::Require { entry, .. }) = lines.get(open + 1)
    {
        let entry = Entry { prefix: "require ".to_owned(), ..entry.clone() };
        lines.splice(open..=open + 2, [Line::Require { entry, in_block: false }]);
    }
}

/// Adds a requirement after its nearest predecessor of the same kind (direct or indirect), before its successor, or on
/// a new line at the end.
fn add(lines: &mut Vec<Line>, new: &Entry, before: &[&Entry], after: &[&Entry]) {
    let place_of = |wanted: &&Entry| {
        let is_kin = |entry: &Entry| entry.path == wanted.path && entry.comment.is_some() == new.comment.is_some();
        lines.iter().position(|line| line.requirement().is_some_and(is_kin))
    };
    let anchor = before.iter().rev().find_map(place_of).map(|place| (place, place + 1));
    let anchor = anchor.or_else(|| after.iter().find_map(place_of).map(|place| (place, place)));
    let in_block =
        |entry: &Entry| Line::Require { entry: Entry { prefix: "\t".to_owned(), ..entry.clone() }, in_block: true };
    let close = || Line::Other { text: ")\n".to_owned() };
    let Some((neighbour, mut place)) = anchor else {
        if lines.last().is_some_and(|line| !line.to_string().ends_with('\n')) {
            lines.push(Line::Other { text: "\n".to_owned() });
        }
        lines.push(Line::Other { text: "\n".to_owned() });
        let entry = Entry { prefix: "require ".to_owned(), ..new.clone() };
        lines.push(Line::Require { entry, in_block: false });
        return;
    };
    if let Some(Line::Require { entry, in_block: false }) = lines.get(neighbour) {
        let block = [Line::Open { text: "require (\n".to_owned() }, in_block(entry), close()];
        lines.splice(neighbour..=neighbour, block);
        place += 1;
    }
    // Requirements of the user may follow, so the position also depends on the order of paths.
    let rest = lines.get(place..).unwrap_or_default();
    let is_lower = |line: &&Line| line.requirement().is_some_and(|other| other.path < new.path);
    let place = place + rest.iter().take_while(is_lower).count();
    lines.insert(place, in_block(new));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BASE: &str = "// adl\n\nmodule example.com/a\n\ngo 1.25\n\nrequire (\n\tx.com/b v1.2.0\n\tx.com/d v1.0.0\n)\n\n\
                        require (\n\ty.com/i v0.1.0 // indirect\n\ty.com/k v0.1.0 // indirect\n)\n";

    fn merged(base: Option<&str>, theirs: &str, ours: &str) -> (String, Vec<String>) {
        let Merged::Clean { text, notes } = merge(&Versions { base, theirs, ours }) else { panic!("a conflict") };
        (text, notes.into_iter().map(|note| format!("{}: {}", note.line, note.text)).collect())
    }

    #[test]
    fn parsing_and_printing_round_trips() {
        let text = "module \"a\" // m\ngo 1.25 // g\ntoolchain go1.26.0\nreplace (\n\ta => ../a\n)\nrequire a v1.0.0\nretract v1.0.0";
        let printed: String = parse(text).iter().map(ToString::to_string).collect();
        assert_eq!(printed, text.replace("\"a\"", "a"));
        let printed: String = parse(BASE).iter().map(ToString::to_string).collect();
        assert_eq!(printed, BASE);
    }

    #[test]
    fn parses_modules_that_are_named_like_directives() {
        for line in ["module m", "module mod", "module module", "go 1", "require r v1.0.0", "require require v1.0.0"] {
            let text = format!("{line}\n");
            assert_eq!(parse(&text).iter().map(ToString::to_string).collect::<String>(), text);
        }
        let theirs = "module mod\n\ngo 1.25\n\nrequire x.com/mine v0.9.0\n";
        let (text, _) = merged(None, theirs, "module mod\n\ngo 1.26\n");
        assert_eq!(text, theirs.replace("1.25", "1.26"));
    }

    #[test]
    fn keeps_the_users_directives_and_updates_generated_ones() {
        let theirs = BASE.replace("\tx.com/d v1.0.0\n", "\tx.com/d v1.0.0\n\tx.com/mine v0.9.0\n")
            + "\nreplace x.com/d => ../d\n\nexclude x.com/b v1.1.0\n";
        let ours = BASE
            .replace("module example.com/a", "module example.com/new")
            .replace("go 1.25", "go 1.26")
            .replace("b v1.2.0", "b v1.3.0")
            .replace("\tx.com/d v1.0.0\n", "\tx.com/c v0.1.0\n\tx.com/d v1.0.0\n\tx.com/z v0.2.0\n")
            .replace("\ty.com/k", "\ty.com/j v0.3.0 // indirect\n\ty.com/k");
        let expected = ours.replace("\tx.com/z", "\tx.com/mine v0.9.0\n\tx.com/z")
            + "\nreplace x.com/d => ../d\n\nexclude x.com/b v1.1.0\n";
        assert_eq!(merged(Some(BASE), &theirs, &ours), (expected, vec![]));
    }

    #[test]
    fn uses_the_higher_version_if_the_user_changed_it() {
        let ours = BASE.replace("b v1.2.0", "b v1.10.0").replace("go 1.25", "go 1.26");
        for (theirs, version) in [("v1.9.0", "v1.10.0"), ("v1.11.0", "v1.11.0"), ("v1.1.0", "v1.10.0")] {
            let (text, _) = merged(Some(BASE), &BASE.replace("b v1.2.0", &format!("b {theirs} // mine")), &ours);
            assert!(text.contains(&format!("b {version} // mine\n")), "{text}");
        }
        for (theirs, version) in [("1.25.3", "1.26"), ("1.27", "1.27")] {
            let (text, _) = merged(Some(BASE), &BASE.replace("go 1.25", &format!("go {theirs}")), &ours);
            assert!(text.contains(&format!("go {version}\n")), "{text}");
        }
    }

    #[test]
    fn lowers_versions_that_the_user_has_not_changed() {
        let theirs = BASE.replace("\tx.com/d v1.0.0\n", "\tx.com/d v1.0.0\n\tx.com/mine v0.9.0\n");
        let (text, _) = merged(Some(BASE), &theirs, &BASE.replace("b v1.2.0", "b v1.1.0"));
        assert_eq!(text, theirs.replace("b v1.2.0", "b v1.1.0"));
    }

    #[test]
    fn removes_obsolete_requirements_unless_changed() {
        let ours = "// adl\n\nmodule example.com/a\n\ngo 1.25\n\nrequire x.com/b v1.2.0\n";
        let (text, notes) = merged(Some(BASE), &(BASE.to_owned() + "// mine\n"), ours);
        assert_eq!(text, "// adl\n\nmodule example.com/a\n\ngo 1.25\n\nrequire x.com/b v1.2.0\n\n// mine\n");
        assert_eq!(notes, ["7: adl no longer requires `x.com/d`; run `go mod tidy` if your own code uses it"]);
        let (text, notes) = merged(Some(BASE), &BASE.replace("d v1.0.0", "d v1.1.0"), ours);
        assert!(text.contains("\tx.com/d v1.1.0\n"), "{text}");
        assert_eq!(notes, ["9: adl no longer requires `x.com/d`; it is kept because you changed its version"]);
    }

    #[test]
    fn reports_a_replaced_module_path() {
        let theirs = BASE.replace("module example.com/a", "module example.com/mine");
        for base in [Some(BASE), None] {
            let (text, notes) = merged(base, &theirs, &BASE.replace("go 1.25", "go 1.26"));
            assert!(text.contains("module example.com/a\n"), "{text}");
            assert_eq!(notes.len(), 1);
            assert!(
                notes.concat().starts_with("3: the module path is")
                    && notes.concat().ends_with("it was `example.com/mine`")
            );
        }
    }

    #[test]
    fn does_not_restore_removed_requirements() {
        let theirs = BASE.replace("\tx.com/d v1.0.0\n", "");
        let (text, _) = merged(Some(BASE), &theirs, &BASE.replace("b v1.2.0", "b v1.3.0"));
        assert_eq!(text, theirs.replace("b v1.2.0", "b v1.3.0"));
    }

    #[test]
    fn adds_and_raises_requirements_without_a_base() {
        let theirs = "module example.com/a\n\ngo 1.24\n\nrequire x.com/b v1.0.0\nrequire x.com/mine v1.0.0";
        let (text, _) = merged(None, theirs, BASE);
        assert_eq!(
            text,
            "module example.com/a\n\ngo 1.25\n\nrequire (\n\tx.com/b v1.2.0\n\tx.com/d v1.0.0\n)\nrequire x.com/mine v1.0.0\n\
             \nrequire (\n\ty.com/i v0.1.0 // indirect\n\ty.com/k v0.1.0 // indirect\n)\n"
        );
        assert_eq!(merged(None, &text, BASE).0, text);
    }

    proptest! {
        #[test]
        fn any_text_round_trips(
            lines in proptest::collection::vec(
                "(module|go|require|replace|exclude)? ?(\t?[mgr]|mod|go|require|[(]|[)])( v?1[.]0)?( // indirect)?", 0..8,
            ),
        ) {
            let text = lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect::<String>();
            prop_assert_eq!(parse(&text).iter().map(ToString::to_string).collect::<String>(), text);
        }
    }

    #[test]
    fn merges_invalid_files_as_text() {
        assert!(matches!(merge(&Versions { base: None, theirs: "hello\n", ours: BASE }), Merged::Conflict { .. }));
    }
}
