//! Findings as text for people, with annotated source lines.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};

use super::{Diagnostic, Edit, FileId, Severity, Sources, Span};

/// Whether the text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Plain text.
    Plain,
    /// ANSI colours.
    Colour,
}

/// Locations at most this many lines apart, and within [`REACH`], share a snippet.
const NEAR: usize = 20;

/// The width of a snippet; the renderer truncates longer lines around the location.
const WIDTH: usize = 120;

/// Characters around a location that are passed to the renderer, whose cost grows with the line.
const REACH: usize = 2_000;

/// Renders one finding: severity and code, headline, `file:line:column`, source lines, notes, help. Ends with a line
/// break.
pub fn render_text(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&diagnostic.headline).id(diagnostic.code.to_string());
    let mut report = Group::with_title(title);
    for window in windows(diagnostic, sources) {
        report = window.add_to(report, sources);
    }
    for note in &diagnostic.notes {
        report = report.element(Level::NOTE.message(note));
    }
    if let Some(help) = &diagnostic.help {
        report = report.element(Level::HELP.message(help));
    }
    let mut groups = vec![report];
    for suggestion in sources.suggestions(diagnostic) {
        let title = Level::HELP.secondary_title(&suggestion.text);
        groups.push(match patch(&suggestion.edits, sources) {
            Some(snippet) => title.element(snippet),
            None => Group::with_title(title),
        });
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    let mut text = renderer.term_width(WIDTH).render(&groups);
    text.push('\n');
    text
}

/// Nearby locations of a file, shown in one snippet.
struct Window<'a> {
    file: FileId,
    /// The location of the `file:line:column` header.
    spot: Span,
    first: usize,
    last: usize,
    marks: Vec<(AnnotationKind, Span, &'a str)>,
}

/// Groups the locations of a finding. The first window contains the primary location; the others follow in label order.
fn windows<'a>(diagnostic: &'a Diagnostic, sources: &Sources) -> Vec<Window<'a>> {
    let primary = diagnostic.primary.iter().map(|label| (AnnotationKind::Primary, label));
    let related = diagnostic.related.iter().map(|label| (AnnotationKind::Context, label));
    let mut windows: Vec<Window<'_>> = Vec::new();
    for (kind, label) in primary.chain(related) {
        let line = sources.line_index(label.span.file, label.span.start);
        let mark = (kind, label.span, label.text.as_str());
        let near = windows.iter_mut().find(|window| {
            let lines = window.last.saturating_sub(NEAR)..=window.first + NEAR;
            let bytes = window.spot.start.abs_diff(label.span.start);
            window.file == label.span.file && lines.contains(&line) && bytes <= REACH
        });
        match near {
            Some(window) => {
                window.first = window.first.min(line);
                window.last = window.last.max(line);
                window.marks.push(mark);
            }
            None => windows.push(Window {
                file: label.span.file,
                spot: label.span,
                first: line,
                last: line,
                marks: vec![mark],
            }),
        }
    }
    windows
}

impl<'a> Window<'a> {
    fn add_to(&self, report: Group<'a>, sources: &'a Sources) -> Group<'a> {
        let spans: Vec<_> = self.marks.iter().map(|(_, span, _)| *span).collect();
        let excerpt = Excerpt::new(sources, self.file, self.first..=self.last, &spans);
        let annotations: Vec<_> = self
            .marks
            .iter()
            .map(|(kind, span, text)| {
                let annotation = kind.span(excerpt.place(sources, *span));
                if text.is_empty() { annotation } else { annotation.label(*text) }
            })
            .collect();
        let name = sources.name(self.file);
        let cut = excerpt.cut;
        let snippet = Snippet::source(excerpt.text).line_start(self.first + 1).annotations(annotations);
        if cut {
            // The renderer would count columns from the cut.
            let position = sources.position(self.spot);
            report.element(Origin::path(name).line(position.line).char_column(position.column)).element(snippet)
        } else {
            report.element(snippet.path(name))
        }
    }
}

/// The lines of a snippet, and their source ranges.
struct Excerpt {
    text: String,
    /// For each line: its offset in `text`, and its source range.
    lines: Vec<(usize, Range<usize>)>,
    first: usize,
    /// Whether the start of a line is cut off.
    cut: bool,
}

impl Excerpt {
    /// Extracts `lines` from a file: cuts long lines around the first of `spans`, masks concealed parts.
    fn new(sources: &Sources, file: FileId, lines: std::ops::RangeInclusive<usize>, spans: &[Span]) -> Self {
        let first = *lines.start();
        let mut excerpt = Self { text: String::new(), lines: Vec::new(), first, cut: false };
        for index in lines {
            let line = sources.line(file, index).unwrap_or_default();
            let on_line = spans.iter().filter(|span| sources.line_index(file, span.start) == index);
            let spot = on_line.map(|span| span.start).min().unwrap_or(line.start);
            let range = within_reach(sources.text(file), &line, spot);
            excerpt.cut |= range.start > line.start;
            if index > first {
                excerpt.text.push('\n');
            }
            excerpt.lines.push((excerpt.text.len(), range.clone()));
            excerpt.push_masked(sources, file, range);
        }
        excerpt
    }

    /// Appends the text of `range`, with each byte of a concealed part as `*` to preserve lengths.
    fn push_masked(&mut self, sources: &Sources, file: FileId, range: Range<usize>) {
        let text = sources.text(file);
        let mut concealed: Vec<_> = sources.concealed(file, &range).collect();
        concealed.sort_by_key(|part| part.start);
        let mut place = range.start;
        for part in concealed {
            self.text.push_str(text.get(place..part.start).unwrap_or_default());
            let start = place.max(part.start);
            self.text.extend(std::iter::repeat_n('*', part.end.saturating_sub(start)));
            place = place.max(part.end);
        }
        self.text.push_str(text.get(place..range.end).unwrap_or_default());
    }

    /// The range of a span in the excerpt, limited to its first line, on character boundaries.
    fn place(&self, sources: &Sources, span: Span) -> Range<usize> {
        let index = sources.line_index(span.file, span.start).saturating_sub(self.first);
        let Some((offset, range)) = self.lines.get(index) else { return 0..0 };
        let moved = |place: usize| offset + place.clamp(range.start, range.end) - range.start;
        let start = self.text.floor_char_boundary(moved(span.start));
        let end = self.text.ceil_char_boundary(moved(span.end));
        start..end.max(start)
    }
}

/// The part of a line within [`REACH`] characters of `spot`.
fn within_reach(text: &str, line: &Range<usize>, spot: usize) -> Range<usize> {
    let spot = text.floor_char_boundary(spot.clamp(line.start, line.end));
    let before = text.get(line.start..spot).unwrap_or_default();
    let behind = text.get(spot..line.end).unwrap_or_default();
    let start = before.char_indices().rev().nth(REACH - 1).map_or(line.start, |(place, _)| line.start + place);
    let end = behind.char_indices().nth(REACH).map_or(line.end, |(place, _)| spot + place);
    start..end
}

/// A suggestion as a diff; `None` if its edits are too far apart or in several files.
fn patch<'a>(edits: &'a [Edit], sources: &Sources) -> Option<Snippet<'a, Patch<'a>>> {
    let file = edits.first()?.span.file;
    let spans: Vec<_> = edits.iter().map(|edit| edit.span).collect();
    let first = spans.iter().map(|span| sources.line_index(file, span.start)).min()?;
    let last = spans.iter().map(|span| sources.line_index(file, span.end)).max()?;
    if last > first + NEAR || spans.iter().any(|span| span.file != file) {
        return None;
    }
    let excerpt = Excerpt::new(sources, file, first..=last, &spans);
    let patches: Vec<_> =
        edits.iter().map(|edit| Patch::new(excerpt.place(sources, edit.span), edit.replacement.as_str())).collect();
    Some(Snippet::source(excerpt.text).line_start(first + 1).patches(patches))
}

#[cfg(test)]
mod tests {
    use super::super::{Applicability, Code, Suggestion};
    use super::*;

    fn place(text: &str, part: &str) -> Span {
        let start = text.find(part).unwrap();
        Span::new(FileId(0), start..start + part.len())
    }

    fn render(text: &str, diagnostic: &Diagnostic) -> String {
        let mut sources = Sources::new();
        sources.add("file.yaml", text);
        render_text(diagnostic, &sources, Style::Plain)
    }

    #[test]
    fn masks_concealed_text_everywhere() {
        let text = "a: s3cr3t # é\nb: 1\n";
        let mut sources = Sources::new();
        sources.add("file.yaml", text);
        sources.conceal(place(text, "s3cr3t"));
        let finding = Diagnostic::new(Code::DuplicateKey, place(text, "s3cr3t"), "x").related(place(text, "1"), "y");
        let report = render_text(&finding, &sources, Style::Plain);
        assert!(report.contains("1 | a: ****** # é\n"), "{report}");
        assert!(report.contains("  |    ^^^^^^\n"), "{report}");
    }

    #[test]
    fn distant_locations_on_a_line_are_shown_separately() {
        let text = format!("first: {}last", "é ".repeat(100_000));
        let finding = Diagnostic::new(Code::DuplicateKey, place(&text, "last"), "x").related(place(&text, "first"), "");
        let report = render(&text, &finding);
        assert!(report.contains("file.yaml:1:200008\n"), "{report}");
        assert!(report.contains("file.yaml:1:1\n"), "{report}");
        assert!(report.lines().all(|line| line.chars().count() < 140), "{report}");
    }

    #[test]
    fn suggestions_are_shown_as_diffs() {
        let text = "version: 1.10\n";
        let edit = Edit { span: place(text, "1.10"), replacement: "\"1.10\"".to_owned() };
        let finding = Diagnostic::new(Code::WrongType, place(text, "1.10"), "x").suggest(Suggestion {
            text: "quote the value".to_owned(),
            edits: vec![edit],
            applicability: Applicability::Safe,
        });
        let report = render(text, &finding);
        assert!(report.contains("help: quote the value\n"), "{report}");
        assert!(report.contains("1 + version: \"1.10\"\n"), "{report}");
    }

    #[test]
    fn findings_without_location_show_their_help() {
        let report =
            render("", &Diagnostic::without_place(Code::FileNotFound, "file `x` not found").help("name another"));
        assert!(report.starts_with("error[ADL0901]: file `x` not found\n"), "{report}");
        assert!(report.ends_with("= help: name another\n"), "{report}");
    }
}
