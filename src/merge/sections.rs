//! Merges the sections of a Markdown file between `<!-- adl:begin NAME -->` and `<!-- adl:end NAME -->`.
//!
//! Sections are merged line by line; everything outside belongs to the user. A section that the user removed is not
//! added again. A new section is inserted after its predecessor. An obsolete section is removed together with its
//! markers, unless the user changed it.
//!
//! A file without sections gets all of them if the file was never generated. If the text that was generated last has no
//! sections either, the files are merged as text. If that text is lost, the file is kept as it is.

use super::{Conflict, Merged, Note, Versions, text};

pub(super) fn merge(versions: &Versions<'_>) -> Merged {
    let base = versions.base.map(Parts::read);
    let theirs = Parts::read(versions.theirs);
    let ours = Parts::read(versions.ours);
    if theirs.is_plain() {
        match &base {
            None => return Merged::clean(versions.theirs),
            Some(base) if base.is_plain() && versions.base != Some("") => return text::merge(versions),
            Some(_) => {}
        }
    }
    let mut merging = Merging::new(base, &ours);
    let mut line = 1;
    for piece in theirs.pieces {
        let lines = piece.text().matches('\n').count();
        merging.add(piece, line);
        line += lines;
    }
    merging.insert_new();
    merging.end()
}

/// A text, split at the markers.
#[derive(Debug, Default)]
struct Parts<'a> {
    pieces: Vec<Piece<'a>>,
}

/// A range of whole lines.
#[derive(Debug, Clone, Copy)]
enum Piece<'a> {
    /// Text of the user.
    Outside(&'a str),
    /// A section, including its markers.
    Part { name: &'a str, text: &'a str },
}

impl<'a> Piece<'a> {
    fn text(&self) -> &'a str {
        match self {
            Self::Outside(text) | Self::Part { text, .. } => text,
        }
    }
}

impl<'a> Parts<'a> {
    /// Splits a text. A begin marker without its end marker, and further sections with the same name, are text of the
    /// user.
    fn read(text: &'a str) -> Self {
        let mut parts = Self::default();
        let (mut outside, mut place) = (0, 0);
        for line in text.split_inclusive('\n') {
            let start = place;
            place += line.len();
            let Some(name) = marker(line, "begin").filter(|_| start >= outside) else { continue };
            let end = end_of_part(text, place, name);
            if let Some(end) = end.filter(|_| parts.get(name).is_none()) {
                parts.push_outside(text.get(outside..start));
                parts.pieces.push(Piece::Part { name, text: text.get(start..end).unwrap_or_default() });
                outside = end;
            }
        }
        parts.push_outside(text.get(outside..));
        parts
    }

    /// Whether there are no sections.
    fn is_plain(&self) -> bool {
        self.parts().next().is_none()
    }

    fn push_outside(&mut self, text: Option<&'a str>) {
        self.pieces.extend(text.filter(|text| !text.is_empty()).map(Piece::Outside));
    }

    fn parts(&self) -> impl DoubleEndedIterator<Item = (&'a str, &'a str)> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Part { name, text } => Some((*name, *text)),
            Piece::Outside(_) => None,
        })
    }

    fn names(&self) -> impl DoubleEndedIterator<Item = &'a str> {
        self.parts().map(|(name, _)| name)
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.parts().find_map(|(known, text)| (known == name).then_some(text))
    }
}

/// The name in `<!-- adl:begin NAME -->`, which must be alone on its line.
fn marker<'a>(line: &'a str, which: &str) -> Option<&'a str> {
    let inside = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    let name = inside.strip_prefix("adl:")?.strip_prefix(which)?;
    name.starts_with(' ').then(|| name.trim()).filter(|name| !name.is_empty() && !name.contains(' '))
}

/// The end of the section whose content begins at `start`, after its end marker. `None` if there is none before the
/// next begin marker.
fn end_of_part(text: &str, start: usize, name: &str) -> Option<usize> {
    let mut place = start;
    for line in text.get(start..)?.split_inclusive('\n') {
        place += line.len();
        if marker(line, "begin").is_some() {
            return None;
        }
        if marker(line, "end") == Some(name) {
            return Some(place);
        }
    }
    None
}

/// A piece of the merged text.
struct New<'a> {
    name: Option<&'a str>,
    text: String,
    /// The text with conflict markers; `None` if there is no conflict.
    marked: Option<String>,
}

struct Merging<'a> {
    base: Option<Parts<'a>>,
    ours: &'a Parts<'a>,
    pieces: Vec<New<'a>>,
    notes: Vec<Note>,
    conflicts: Vec<Conflict>,
    /// Whether the previous section was removed. One of the empty lines around it is removed too.
    after_gone: bool,
}

impl<'a> Merging<'a> {
    fn new(base: Option<Parts<'a>>, ours: &'a Parts<'a>) -> Self {
        Self { base, ours, pieces: Vec::new(), notes: Vec::new(), conflicts: Vec::new(), after_gone: false }
    }

    /// Adds a piece of the user's text, which begins at `line`.
    fn add(&mut self, piece: Piece<'a>, line: usize) {
        let Piece::Part { name, text: theirs } = piece else {
            let gone = std::mem::take(&mut self.after_gone);
            let text = piece.text();
            let text = text.strip_prefix('\n').filter(|_| gone).unwrap_or(text);
            self.pieces.push(New { name: None, text: text.to_owned(), marked: None });
            return;
        };
        let base = self.base.as_ref().and_then(|base| base.get(name));
        let Some(ours) = self.ours.get(name) else { return self.add_gone(name, theirs, base) };
        let merged = if base == Some(ours) || theirs == ours {
            Merged::clean(theirs)
        } else {
            text::merge(&Versions { base, theirs, ours })
        };
        match merged {
            Merged::Clean { text, .. } => self.pieces.push(New { name: Some(name), text, marked: None }),
            Merged::Conflict { conflicts, marked } => {
                let placed = |conflict: Conflict| Conflict { line: conflict.line + line - 1, ..conflict };
                self.conflicts.extend(conflicts.into_iter().map(placed));
                self.pieces.push(New { name: Some(name), text: theirs.to_owned(), marked: Some(marked) });
            }
        }
    }

    fn add_gone(&mut self, name: &'a str, theirs: &'a str, base: Option<&str>) {
        if base == Some(theirs) {
            self.after_gone = true;
            return;
        }
        if base.is_some() {
            let line = self.pieces.iter().map(|piece| piece.text.matches('\n').count()).sum::<usize>() + 1;
            let text = format!("section `{name}` is no longer generated; it is kept because you changed it");
            self.notes.push(Note { line, text });
        }
        self.pieces.push(New { name: Some(name), text: theirs.to_owned(), marked: None });
    }

    /// Inserts new sections, each after its predecessor or before its successor.
    fn insert_new(&mut self) {
        let names: Vec<_> = self.ours.names().collect();
        for (index, (name, text)) in self.ours.parts().enumerate() {
            let known = self.base.as_ref().is_some_and(|base| base.get(name).is_some());
            if known || self.is_begun(name) {
                continue;
            }
            let (before, after) = names.split_at(index);
            let place_of = |wanted: &&str| self.pieces.iter().position(|piece| piece.name == Some(*wanted));
            let new = New { name: Some(name), text: text.to_owned(), marked: None };
            let gap = New { name: None, text: "\n".to_owned(), marked: None };
            if let Some(place) = before.iter().rev().find_map(place_of) {
                if let Some(last) = self.pieces.get_mut(place) {
                    super::entries::end_line(&mut last.text);
                }
                self.pieces.insert(place + 1, new);
                self.pieces.insert(place + 1, gap);
            } else if let Some(place) = after.iter().find_map(place_of) {
                self.pieces.insert(place, gap);
                self.pieces.insert(place, new);
            } else {
                if let Some(last) = self.pieces.last_mut() {
                    super::entries::end_line(&mut last.text);
                    self.pieces.push(gap);
                }
                self.pieces.push(new);
            }
        }
    }

    /// Whether the user's text contains the section, or at least its begin marker.
    fn is_begun(&self, name: &str) -> bool {
        let begins = |text: &str| text.lines().any(|line| marker(line, "begin") == Some(name));
        self.pieces.iter().any(|piece| begins(&piece.text))
    }

    fn end(mut self) -> Merged {
        let ends_blank = |text: &str| text == "\n" || text.ends_with("\n\n");
        if let Some(last) = self.pieces.last_mut().filter(|last| self.after_gone && ends_blank(&last.text)) {
            last.text.pop();
        }
        if self.conflicts.is_empty() {
            return Merged::Clean {
                text: self.pieces.into_iter().map(|piece| piece.text).collect(),
                notes: self.notes,
            };
        }
        let marked = self.pieces.into_iter().map(|piece| piece.marked.unwrap_or(piece.text)).collect();
        Merged::Conflict { conflicts: self.conflicts, marked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, text: &str) -> String {
        format!("<!-- adl:begin {name} -->\n{text}\n<!-- adl:end {name} -->\n")
    }

    fn file(parts: &[(&str, &str)]) -> String {
        let parts: Vec<_> = parts.iter().map(|(name, text)| part(name, text)).collect();
        parts.join("\n")
    }

    fn clean(base: Option<&str>, theirs: &str, ours: &str) -> (String, Vec<Note>) {
        match merge(&Versions { base, theirs, ours }) {
            Merged::Clean { text, notes } => (text, notes),
            conflict @ Merged::Conflict { .. } => panic!("{conflict:?}"),
        }
    }

    #[test]
    fn updates_sections_and_keeps_the_text_around_them() {
        let base = file(&[("top", "# A"), ("use", "run a")]);
        let theirs =
            format!("![logo](x.png)\n\n{}\n## Mine\n\ntext\n\n{}## More", part("top", "# A"), part("use", "run a"));
        let ours = file(&[("top", "# B"), ("new", "new"), ("use", "run b")]);
        let expected = format!(
            "![logo](x.png)\n\n{}\n{}\n## Mine\n\ntext\n\n{}## More",
            part("top", "# B"),
            part("new", "new"),
            part("use", "run b")
        );
        assert_eq!(clean(Some(&base), &theirs, &ours), (expected, vec![]));
    }

    #[test]
    fn merges_edits_inside_a_section() {
        let base = file(&[("top", "a\nb\nc"), ("use", "x")]);
        let theirs = format!("mine\n{}", file(&[("top", "a\nb\nmine"), ("use", "x")]));
        let ours = file(&[("top", "A\nb\nc"), ("use", "y")]);
        let expected = format!("mine\n{}", file(&[("top", "A\nb\nmine"), ("use", "y")]));
        assert_eq!(clean(Some(&base), &theirs, &ours).0, expected);

        let ours = file(&[("top", "a\nb\nours"), ("use", "y")]);
        let Merged::Conflict { conflicts, marked } =
            merge(&Versions { base: Some(&base), theirs: &theirs, ours: &ours })
        else {
            panic!("no conflict");
        };
        assert_eq!(conflicts, [Conflict { line: 5, text: "you and adl both changed these lines".to_owned() }]);
        assert_eq!(
            marked,
            "mine\n<!-- adl:begin top -->\na\nb\n<<<<<<< yours\nmine\n||||||| written before\nc\n=======\nours\n>>>>>>> adl\n\
             <!-- adl:end top -->\n\n<!-- adl:begin use -->\ny\n<!-- adl:end use -->\n"
        );
    }

    #[test]
    fn does_not_restore_removed_sections() {
        let base = file(&[("top", "a"), ("use", "x"), ("end", "z")]);
        let theirs = file(&[("top", "a"), ("end", "z")]);
        let ours = file(&[("top", "a"), ("use", "y"), ("end", "Z")]);
        assert_eq!(clean(Some(&base), &theirs, &ours).0, file(&[("top", "a"), ("end", "Z")]));
        assert_eq!(clean(Some(&base), "all mine\n", &ours).0, "all mine\n");
    }

    #[test]
    fn removes_obsolete_sections_unless_changed() {
        let base = file(&[("top", "a"), ("use", "x"), ("end", "z")]);
        let ours = file(&[("top", "b"), ("end", "z")]);
        let theirs = base.replace("z\n", "mine\n");
        assert_eq!(clean(Some(&base), &theirs, &ours).0, file(&[("top", "b"), ("end", "mine")]));
        let (theirs, last) = (format!("mine\n{}", part("use", "x")), part("use", "x"));
        assert_eq!(clean(Some(&last), &theirs, "other\n").0, "mine\n");
        let theirs = base.replace("x\n", "mine\n");
        let (text, notes) = clean(Some(&base), &theirs, &ours);
        assert_eq!(text, theirs.replace("a\n", "b\n"));
        let note = "section `use` is no longer generated; it is kept because you changed it".to_owned();
        assert_eq!(notes, [Note { line: 5, text: note }]);
    }

    #[test]
    fn inserts_new_sections_without_a_predecessor() {
        let (base, ours) = (file(&[("use", "x")]), file(&[("top", "a"), ("use", "y")]));
        let theirs = format!("mine\n\n{base}");
        assert_eq!(clean(Some(&base), &theirs, &ours).0, format!("mine\n\n{ours}"));
        assert_eq!(clean(Some(&base), "mine", &ours).0, format!("mine\n\n{}", part("top", "a")));
    }

    #[test]
    fn merges_files_without_markers_by_their_base() {
        let ours = part("top", "# B");
        assert!(matches!(
            merge(&Versions { base: Some("# A\n"), theirs: "# X\n", ours: &ours }),
            Merged::Conflict { .. }
        ));
        assert_eq!(
            clean(Some("# A\n\nb\n\nc\n"), "# A\n\nmine\n\nc\n", &part("top", "# A\n\nb\n\nc")).0,
            part("top", "# A\n\nmine\n\nc")
        );
        assert_eq!(clean(None, "# all mine\n", &ours).0, "# all mine\n");
        assert_eq!(clean(Some(""), "# all mine\n", &ours).0, format!("# all mine\n\n{ours}"));
    }

    #[test]
    fn treats_broken_and_repeated_markers_as_text() {
        let base = file(&[("top", "a"), ("use", "x")]);
        let ours = file(&[("top", "b"), ("use", "y"), ("new", "n")]);
        let open = base.replace("<!-- adl:end top -->\n", "");
        let expected = open.replace("x\n", "y\n") + "\n" + &part("new", "n");
        assert_eq!(clean(Some(&base), &open, &ours).0, expected);
        let twice = base.clone() + &part("top", "mine");
        let (text, _) = clean(Some(&base), &twice, &ours);
        assert!(text.starts_with(&part("top", "b")) && text.ends_with(&part("top", "mine")), "{text}");
    }

    #[test]
    fn reports_a_conflict_without_a_base() {
        let (theirs, ours) = (part("top", "mine"), part("top", "ours"));
        assert!(matches!(merge(&Versions { base: None, theirs: &theirs, ours: &ours }), Merged::Conflict { .. }));
    }
}
