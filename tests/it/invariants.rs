//! Invariants for any input. The property tests and the fuzz targets in `fuzz/` share them.

use std::collections::BTreeMap;

use adl::diagnostics::{Diagnostic, FileId, FileReport, Label, Sources, Style, render_json, render_sarif, render_text};
use adl::document::{Document, View, decode_utf8, parse};
use adl::manifest;
use adl::ops::{Checked, Scope, examine, repair};
use adl::project::Project;
use adl::render::render;
use adl::targets;
use serde_json::Map;

/// Parses bytes and checks the locations of all findings and views.
pub(crate) fn read_bytes(bytes: &[u8]) {
    match decode_utf8(FileId(0), bytes.to_vec()) {
        Ok(text) => read(&text),
        Err(broken) => {
            let span = broken.diagnostic.primary.unwrap().span;
            assert_eq!(broken.text.get(span.range()), Some("\u{fffd}"));
        }
    }
}

/// Like [`read_bytes`], for a string.
pub(crate) fn read(text: &str) {
    let parsed = parse(FileId(0), text);
    let mut sources = Sources::new();
    sources.add("file.yaml", text);
    assert!(
        parsed.document.is_some() || parsed.diagnostics.iter().any(Diagnostic::is_error),
        "no document and no error"
    );
    check_findings(&parsed.diagnostics, &sources, text);
    if let Some(document) = &parsed.document {
        assert_eq!(document.root().value(), document.value());
        walk(document, document.root(), text);
    }
}

/// Checks that every finding has a valid location and a help text, and can be rendered.
fn check_findings(findings: &[Diagnostic], sources: &Sources, text: &str) {
    for finding in findings {
        for Label { span, .. } in finding.primary.iter().chain(&finding.related) {
            assert!(text.get(span.range()).is_some(), "{span:?} is not a range of the text");
        }
        for edit in finding.suggestions.iter().flat_map(|suggestion| &suggestion.edits) {
            assert!(text.get(edit.span.range()).is_some(), "{edit:?} is not a range of the text");
        }
        assert!(finding.primary.is_some() && finding.help.is_some(), "{finding:?}");
        for style in [Style::Plain, Style::Colour] {
            assert!(render_text(finding, sources, style).contains(&finding.code.to_string()));
        }
    }
}

fn walk(document: &Document, view: View<'_>, text: &str) {
    assert!(text.get(view.span().range()).is_some());
    assert!(view.key_span().is_none_or(|span| text.get(span.range()).is_some()));
    let pointer = view.pointer();
    assert_eq!(document.at(&pointer).map(|found| (found.span(), found.value())), Some((view.span(), view.value())));
    assert_eq!(document.value().pointer(&pointer), Some(view.value()));
    assert_eq!(view.items().count(), view.value().as_array().map_or(0, Vec::len));
    assert_eq!(view.entries().count(), view.value().as_object().map_or(0, Map::len));
    for (key, child) in view.entries() {
        assert_eq!(view.get(key).map(View::value), Some(child.value()));
        walk(document, child, text);
    }
    for child in view.items() {
        walk(document, child, text);
    }
}

/// Runs all checks on a manifest. A manifest without errors must yield a project.
pub(crate) fn validate(bytes: &[u8]) {
    for scope in [Scope::Manifest, Scope::Portable, Scope::Generation] {
        let Checked { sources, document, diagnostics, .. } = examine("agent.yaml".to_owned(), bytes.to_vec(), scope);
        check_findings(&diagnostics, &sources, sources.text(FileId::default()));
        if scope == Scope::Generation && !diagnostics.iter().any(Diagnostic::is_error) {
            let manifest = manifest::decode(&document.unwrap()).expect("a valid manifest decodes");
            let project = Project::resolve(&manifest);
            render(&targets::plan(&project).files).expect("a valid manifest renders");
        }
        let report = [FileReport::read("agent.yaml".to_owned(), sources, diagnostics)];
        assert!(!render_json(&report).is_empty() && !render_sarif(&report).is_empty());
    }
}

/// Fixes a manifest. Checks that no comment is lost and that a second run changes nothing.
pub(crate) fn fix(text: &str) {
    let once = repair("agent.yaml", text);
    let twice = repair("agent.yaml", &once.text);
    assert_eq!(
        twice.text, once.text,
        "a second run changes the text; first\n{:#?}\nthen\n{:#?}",
        once.applied, twice.applied
    );
    assert_eq!(once.text == text, once.applied.is_empty(), "{:#?}", once.applied);
    let kept = comments(&once.text);
    for (comment, count) in comments(text) {
        let found: usize = kept.iter().filter(|(kept, _)| kept.ends_with(comment)).map(|(_, count)| count).sum();
        assert!(found >= count, "{comment:?} occurred {count} times, but {found} times in\n{}", once.text);
    }
}

/// The number of occurrences of each comment. Empty if the text has errors.
fn comments(text: &str) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    let parsed = parse(FileId(0), text);
    let Some(document) = parsed.document.filter(|_| !parsed.diagnostics.iter().any(Diagnostic::is_error)) else {
        return found;
    };
    let mut literal = vec![false; text.len()];
    mark(document.root(), &mut literal);
    let mut start = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let begins =
            |place: usize| line[..place].chars().next_back().is_none_or(|before| " \t\u{feff}".contains(before));
        let mut places = line.match_indices('#').map(|(place, _)| place);
        if let Some(place) = places.find(|place| begins(*place) && literal.get(start + place) == Some(&false)) {
            *found.entry(line[place..].trim_end()).or_default() += 1;
        }
        start += line.len();
    }
    found
}

/// Marks the bytes of keys and scalars.
fn mark(view: View<'_>, literal: &mut [bool]) {
    let is_scalar = !view.is_mapping() && !view.is_sequence();
    for span in view.key_span().into_iter().chain(is_scalar.then(|| view.span())) {
        literal.get_mut(span.range()).expect("a span is a range of the text").fill(true);
    }
    view.items().for_each(|item| mark(item, literal));
    view.entries().for_each(|(_, entry)| mark(entry, literal));
}
