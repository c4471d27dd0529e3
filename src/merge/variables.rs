//! Merges `NAME=value` lines by variable name, independent of their order.
//!
//! The user's values, comments, order and own variables are kept. A line that the user has not changed is updated, also
//! if the generated version is commented out (`# NAME=value`) or no longer is; the same applies to comments. A new
//! variable is inserted with its comment. An obsolete variable is removed if unchanged, otherwise kept with a note.
//! Variables that the user removed, commented out, uncommented or set more than once are left alone.

use std::collections::BTreeSet;

use super::entries::{Entry, List};
use super::{Merged, Note, Versions};
use crate::dotenv::{self, Document, ItemKind, Value};

pub(super) fn merge(versions: &Versions<'_>) -> Merged {
    let base = list(versions.base.unwrap_or_default(), None);
    let ours = list(versions.ours, None);
    let known: BTreeSet<_> = base.entries.iter().chain(&ours.entries).map(|entry| entry.name.as_str()).collect();
    let mut result = list(versions.theirs, Some(&known));

    result.update_leads(&base, &ours);
    let gone: Vec<_> = base.entries.iter().filter(|entry| ours.get(&entry.name).is_none()).collect();
    let mut kept = Vec::new();
    for base in gone {
        match result.position(&base.name) {
            Some(place) if result.count(&base.name) == 1 && is_as_written(&result, place, base) => {
                result.remove(place, &base.lead);
            }
            Some(place) if result.entries.get(place).is_some_and(is_on) => kept.push(base.name.as_str()),
            Some(_) | None => {}
        }
    }
    for (index, new) in ours.entries.iter().enumerate() {
        let known = base.get(&new.name);
        match result.position(&new.name) {
            Some(place) => {
                let alone = result.count(&new.name) == 1;
                if let (Some(base), Some(entry), true) = (known, result.entries.get_mut(place), alone) {
                    follow(base, entry, new);
                }
            }
            None if known.is_none() => result.insert(&ours, index),
            None => {}
        }
    }
    let notes = kept.iter().filter_map(|name| note(&result, name)).collect();
    Merged::Clean { text: result.into_text(), notes }
}

fn note(result: &List, name: &str) -> Option<Note> {
    let line = result.line(result.position(name)?);
    Some(Note { line, text: format!("`{name}` is no longer read; it is kept because you changed it") })
}

fn is_as_written(result: &List, place: usize, base: &Entry) -> bool {
    result.entries.get(place).is_some_and(|entry| entry.text.trim() == base.text.trim())
}

/// Whether the entry is not commented out.
fn is_on(entry: &Entry) -> bool {
    !entry.text.trim_start().starts_with('#')
}

/// Updates the user's line if it is unchanged: only its value, or the whole line if either version is commented out.
fn follow(base: &Entry, theirs: &mut Entry, ours: &Entry) {
    if is_on(base) && is_on(ours) {
        follow_value(base, theirs, ours);
    } else if theirs.text.trim() == base.text.trim() {
        let end = theirs.text.trim_end().len();
        theirs.text.replace_range(..end, ours.text.trim_end());
    }
}

fn follow_value(base: &Entry, theirs: &mut Entry, ours: &Entry) {
    let (before, now) = (value(&base.text), value(&ours.text));
    if before.is_none() || before == now || value(&theirs.text) != before {
        return;
    }
    let place = Document::parse(&theirs.text).variables().next().and_then(|variable| variable.value.clone());
    let written = written_value(&ours.text);
    if let (Some(place), Some(written)) = (place, written) {
        theirs.text.replace_range(place, written);
    }
}

/// The value of the variable in these lines. A value that depends on other variables is returned as written.
fn value(text: &str) -> Option<Value> {
    let document = Document::parse(text);
    let variable = document.variables().next()?;
    Some(match document.value(variable)? {
        Value::Interpolated | Value::Invalid(_) => Value::Literal(written_value(text)?.to_owned()),
        literal @ Value::Literal(_) => literal,
    })
}

fn written_value(text: &str) -> Option<&str> {
    let range = Document::parse(text).variables().next()?.value.clone()?;
    text.get(range)
}

/// The variables of a text. A commented-out variable is also an entry, unless the variable is set elsewhere. In the
/// user's text, only names in `known` are recognized, because any comment may look like a variable.
fn list(text: &str, known: Option<&BTreeSet<&str>>) -> List {
    let document = Document::parse(text);
    let mut taken: BTreeSet<_> = document.variables().map(|variable| document.name(variable)).collect();
    let mut list = List::default();
    for item in document.items() {
        let lines = document.slice(&item.range);
        let name = match &item.kind {
            ItemKind::Variable(variable) => Some(document.name(variable)),
            ItemKind::Comment => dotenv::commented_out(lines)
                .filter(|name| known.is_none_or(|known| known.contains(name)) && taken.insert(name)),
            ItemKind::Blank | ItemKind::Malformed(_) => None,
        };
        match name {
            Some(name) => list.push(name, lines),
            None => list.tail.push_str(lines),
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BASE: &str = "\
# Settings.

# Server
# Where it listens.
A2A_PORT=8080
# Says more.
A2A_DEBUG=false

# MCP servers
# How long.
A2A_MCP_TIMEOUT=30s
# Which.
A2A_MCP_SERVERS=http://a
";

    fn merged(base: Option<&str>, theirs: &str, ours: &str) -> (String, Vec<(usize, String)>) {
        let Merged::Clean { text, notes } = merge(&Versions { base, theirs, ours }) else { panic!("a conflict") };
        (text, notes.into_iter().map(|note| (note.line, note.text)).collect())
    }

    /// Merges with `BASE`, expecting no notes.
    fn merged_without_notes(theirs: &str, ours: &str) -> String {
        let (text, notes) = merged(Some(BASE), theirs, ours);
        assert_eq!(notes, []);
        text
    }

    #[test]
    fn updates_defaults_unless_changed() {
        let ours = BASE.replace("30s", "1m").replace("8080", "9090");
        let theirs = BASE.replace("=8080", "=8081 # mine");
        assert_eq!(merged_without_notes(&theirs, &ours), theirs.replace("30s", "1m"));
        // A value written differently is not a change, and the text around it is kept.
        let theirs = BASE.replace("A2A_MCP_TIMEOUT=30s", "export A2A_MCP_TIMEOUT = \"30s\" # why");
        assert_eq!(merged_without_notes(&theirs, &ours), theirs.replace("\"30s\"", "1m").replace("8080", "9090"));
    }

    #[test]
    fn handles_multi_line_values() {
        let base = "# Prompt.\nA=\"one\\ntwo\"\nB=1\n";
        let ours = base.replace("one", "1").replace("B=1", "B=2");
        assert_eq!(merged(Some(base), "A='one\ntwo'\nB=1\n", &ours).0, "A=\"1\\ntwo\"\nB=2\n");
        let theirs = "A='my\n# prompt\nB=1'\nB=1\n";
        assert_eq!(merged(Some(base), theirs, &ours).0, theirs.replace("'\nB=1", "'\nB=2"));
    }

    #[test]
    fn inserts_new_variables_with_their_comments() {
        let ours = BASE
            .replace("# Says more.\n", "# To whom.\nA2A_HOST=\n# Says more.\n")
            .replace("A2A_DEBUG=false\n", "A2A_DEBUG=false\n\n# Tasks\n# How many.\nA2A_TASKS=5\n")
            .replace("# How long.\n", "# On.\nA2A_MCP_ENABLED=true\n# How long.\n");
        assert_eq!(merged_without_notes(&BASE.replace("8080", "1"), &ours), ours.replace("8080", "1"));
        // The user's own variables and order are kept.
        let theirs = "MINE=1\n# Says more.\nA2A_DEBUG=true\nOTHER=2\n\n# MCP servers\n# Which.\nA2A_MCP_SERVERS=http://a\n# How long.\nA2A_MCP_TIMEOUT=30s";
        assert_eq!(
            merged_without_notes(theirs, &ours),
            "MINE=1\n# To whom.\nA2A_HOST=\n# Says more.\nA2A_DEBUG=true\nOTHER=2\n\n# Tasks\n# How many.\nA2A_TASKS=5\n\n# MCP servers\n# Which.\n\
             A2A_MCP_SERVERS=http://a\n# On.\nA2A_MCP_ENABLED=true\n# How long.\nA2A_MCP_TIMEOUT=30s"
        );
    }

    #[test]
    fn inserts_a_new_paragraph_after_its_predecessor() {
        let ours = format!("{BASE}\n# Values\n# Key.\nKEY=\n");
        assert_eq!(merged_without_notes(&BASE.replace("30s", "2s"), &ours), ours.replace("30s", "2s"));
        assert_eq!(
            merged_without_notes(&format!("{BASE}MINE=1"), &ours),
            format!("{BASE}MINE=1\n\n# Values\n# Key.\nKEY=\n")
        );
    }

    #[test]
    fn removes_obsolete_variables_unless_changed() {
        let ours = BASE.replace("# Where it listens.\nA2A_PORT=8080\n", "");
        assert_eq!(merged_without_notes(&BASE.replace("30s", "1s"), &ours), ours.replace("30s", "1s"));
        let theirs = BASE.replace("8080", "8081");
        let note = "`A2A_PORT` is no longer read; it is kept because you changed it".to_owned();
        assert_eq!(merged(Some(BASE), &theirs, &ours).1, [(5, note)]);
        assert!(merged(Some(BASE), &theirs, &ours).0.contains("# Where it listens.\nA2A_PORT=8081\n"));
        // Comments of the user are kept.
        let theirs = BASE.replace("# Where it listens.\n", "# Where it listens.\n# My words.\n");
        assert_eq!(merged_without_notes(&theirs, &ours), ours.replace("# Server\n", "# My words.\n# Server\n"));
        let (text, _) = merged(
            Some(BASE),
            &(BASE.to_owned() + "MINE=1\n"),
            "# Settings.\n\n# Server\n# Where it listens.\nA2A_PORT=8080\n",
        );
        assert_eq!(text, "# Settings.\n\n# Server\n# Where it listens.\nA2A_PORT=8080\nMINE=1\n");
    }

    #[test]
    fn does_not_restore_removed_or_commented_variables() {
        let ours = BASE.replace("30s", "1m").replace("8080", "9090");
        let theirs =
            BASE.replace("A2A_MCP_TIMEOUT=", "# A2A_MCP_TIMEOUT=").replace("# Where it listens.\nA2A_PORT=8080\n", "");
        assert_eq!(merged_without_notes(&theirs, &ours), theirs);
        // Also without a base.
        assert_eq!(merged(None, "#A2A_PORT=1\n", "A2A_PORT=8080\nA2A_X=\n").0, "#A2A_PORT=1\nA2A_X=\n");
    }

    #[test]
    fn updates_commented_variables_unless_changed() {
        let off =
            |text: &str| text.replace("A2A_MCP_TIMEOUT=", "# A2A_MCP_TIMEOUT=").replace("A2A_PORT=", "# A2A_PORT=");
        let (base, ours) = (off(BASE), off(BASE).replace("30s", "1m"));
        let merged = |base: &str, theirs: &str, ours: &str| merged(Some(base), theirs, ours).0;
        // The default in a commented-out line is generated.
        assert_eq!(merged(&base, &base.replace("false", "true"), &ours), ours.replace("false", "true"));
        let mine = base.replace("# A2A_MCP_TIMEOUT=30s", "A2A_MCP_TIMEOUT=7s");
        assert_eq!(merged(&base, &mine, &ours), mine);
        assert_eq!(merged(&base, &base.replace("30s", "7s"), &ours), base.replace("30s", "7s"));
        assert_eq!(merged(BASE, BASE, &off(BASE)), off(BASE));
        assert_eq!(merged(&off(BASE), &off(BASE), BASE), BASE);
        assert_eq!(
            merged(BASE, &BASE.replace("8080", "1"), &off(BASE)),
            off(BASE).replace("# A2A_PORT=8080", "A2A_PORT=1")
        );
        // Obsolete ones are removed; a comment of the user that looks like one is kept.
        let gone = ours.replace("# How long.\n# A2A_MCP_TIMEOUT=1m\n", "");
        assert_eq!(merged(&base, &base, &gone), gone);
        let note = base.replace("# How long.", "# How long.\n# Note=mine");
        assert_eq!(merged(&base, &note, &ours), note.replace("30s", "1m"));
        let both = base.replace("# A2A_MCP", "A2A_MCP_TIMEOUT=7s\n# A2A_MCP");
        assert_eq!(merged(&base, &both, &ours), both);
    }

    #[test]
    fn updates_unchanged_comments() {
        let ours = BASE.replace("# How long.", "# For how long.").replace("# Says more.", "# Tells more.");
        let theirs = BASE.replace("# Says more.", "# Says much more.").replace("30s", "1s");
        assert_eq!(merged_without_notes(&theirs, &ours), theirs.replace("# How long.", "# For how long."));
    }

    #[test]
    fn leaves_duplicate_variables_alone() {
        let theirs = format!("A2A_DEBUG=false\n{BASE}");
        assert_eq!(merged_without_notes(&theirs, &BASE.replace("false", "true")), theirs);
        let (text, notes) = merged(Some(BASE), &theirs, &BASE.replace("# Says more.\nA2A_DEBUG=false\n", ""));
        assert_eq!((text, notes.len()), (theirs, 1));
    }

    #[test]
    fn only_adds_variables_without_a_base() {
        let theirs = "# mine\nA2A_PORT=1\nA2A_OLD=2\n";
        let (text, notes) = merged(None, theirs, BASE);
        assert_eq!(notes, []);
        assert_eq!(
            text,
            "# mine\nA2A_PORT=1\n# Says more.\nA2A_DEBUG=false\nA2A_OLD=2\n\n# MCP servers\n# How long.\nA2A_MCP_TIMEOUT=30s\n# Which.\nA2A_MCP_SERVERS=http://a\n"
        );
        assert_eq!(merged(None, "", BASE).0, BASE);
        assert_eq!(merged(None, "# only words", BASE).0, format!("# only words\n{BASE}"));
    }

    /// Generates texts like the real ones: comment, variable, sometimes a new paragraph.
    fn written() -> impl Strategy<Value = String> {
        let variable = (0..8_u8, 0..3_u8, 0..3_u8, any::<bool>(), any::<bool>());
        proptest::collection::vec(variable, 0..8).prop_map(|variables| {
            let mut text = String::new();
            let mut seen = BTreeSet::new();
            for (name, value, comment, paragraph, off) in variables {
                if seen.insert(name) {
                    if paragraph {
                        text.extend(["\n# group ", &name.to_string(), "\n"]);
                    }
                    let off = if off { "# " } else { "" };
                    text.extend([format!("# text {name}.{comment}\n{off}V{name}={value}\n")]);
                }
            }
            text
        })
    }

    proptest! {
        #[test]
        fn keeps_all_lines_of_the_user_and_is_idempotent(
            base in written(),
            ours in written(),
            edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..5_u8), 0..8),
            known in any::<bool>(),
        ) {
            let mut lines: Vec<String> = base.lines().map(str::to_owned).collect();
            for (number, (place, edit)) in edits.iter().enumerate() {
                let place = place.index(lines.len() + 1);
                match edit {
                    0 => lines.insert(place, format!("# mine {number}")),
                    1 => lines.insert(place, format!("MINE{number}=1")),
                    2 => lines.insert(place, String::new()),
                    3 if place < lines.len() => { lines.remove(place); }
                    _ => if let Some(line) = lines.get_mut(place) { line.extend([format!(" mine{number}")]) },
                }
            }
            let theirs = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>();
            let base = known.then_some(base.as_str());
            let (text, _) = merged(base, &theirs, &ours);
            let own = |text: &str| {
                let mut own: Vec<_> = text.lines().filter(|line| line.to_lowercase().contains("mine")).map(str::to_owned).collect();
                own.sort();
                own
            };
            prop_assert_eq!(own(&theirs), own(&text));
            // Merging again from the same base, such as after a killed run, may still update generated comments.
            prop_assert_eq!(own(&theirs), own(&merged(base, &text, &ours).0));
            prop_assert_eq!(super::super::merge(super::super::Strategy::Variables, &Versions { base: Some(&ours), theirs: &text, ours: &ours }), Merged::clean(text));
        }
    }
}
