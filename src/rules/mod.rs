//! Rules that a schema cannot express, such as relations between fields.
//!
//! Most files contain one rule. A rule reads views of the document, so it can report locations and also runs if other
//! parts of the manifest are invalid. It skips values with an invalid shape, which the schema check reports. [`check`]
//! returns faults; [`check_generation`] adds what the project of a valid manifest leaves out or changes.

mod agent_name;
mod card;
mod deployment;
mod documents;
mod generation;
mod hardcoded_credential;
mod hooks;
mod language;
mod mcp;
mod metadata;
mod nul_character;
mod sections;
mod server_scheme;
mod skills;
mod source_control;
mod tools;
mod unresolved_placeholder;

use crate::diagnostics::{Applicability, Diagnostic, Edit, Suggestion, sort};
use crate::document::{Document, View};

/// A rule returns findings for the root of a manifest.
type Rule = fn(View<'_>) -> Vec<Diagnostic>;

const RULES: &[&[Rule]] = &[
    language::RULES,
    metadata::RULES,
    agent_name::RULES,
    card::RULES,
    server_scheme::RULES,
    tools::RULES,
    skills::RULES,
    sections::RULES,
    documents::RULES,
    deployment::RULES,
    source_control::RULES,
    hooks::RULES,
    mcp::RULES,
    nul_character::RULES,
    hardcoded_credential::RULES,
    unresolved_placeholder::RULES,
];

/// Returns all faults of a manifest, sorted by location.
pub fn check(document: &Document) -> Vec<Diagnostic> {
    run(RULES, document)
}

/// Returns warnings about what the generated project leaves out or changes, sorted by location.
pub fn check_generation(document: &Document) -> Vec<Diagnostic> {
    run(&[generation::RULES], document)
}

fn run(rules: &[&[Rule]], document: &Document) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<_> = rules.iter().copied().flatten().flat_map(|rule| rule(document.root())).collect();
    sort(&mut diagnostics);
    diagnostics
}

/// The value at a path of keys.
fn at<'a>(view: View<'a>, keys: &[&str]) -> Option<View<'a>> {
    keys.iter().try_fold(view, |view, key| view.get(key))
}

/// The string value of a field.
fn text<'a>(view: View<'a>, key: &str) -> Option<&'a str> {
    view.get(key)?.as_str()
}

/// Whether a field is missing or a blank string. The schema check reports other types.
fn is_unfilled(view: View<'_>, key: &str) -> bool {
    view.get(key).is_none() || text(view, key).is_some_and(|text| text.trim().is_empty())
}

/// Returns `true` for non-blank strings, numbers, `true`, and collections that contain such a value.
fn is_filled(view: View<'_>) -> bool {
    match view.value() {
        serde_json::Value::Null => false,
        serde_json::Value::Bool(value) => *value,
        serde_json::Value::Number(_) => true,
        serde_json::Value::String(text) => !text.trim().is_empty(),
        serde_json::Value::Array(_) => view.items().any(is_filled),
        serde_json::Value::Object(_) => own_entries(view).any(|(_, entry)| is_filled(entry)),
    }
}

fn is_enabled(view: View<'_>) -> bool {
    view.get("enabled").and_then(View::as_bool) == Some(true)
}

/// The entries that are not extensions (`x-`).
fn own_entries(view: View<'_>) -> impl Iterator<Item = (&str, View<'_>)> {
    view.entries().filter(|(key, _)| !key.starts_with("x-"))
}

/// User-defined configuration sections that are not empty.
fn filled_sections(root: View<'_>) -> impl Iterator<Item = View<'_>> {
    let entries = at(root, &["spec", "config"]).into_iter().flat_map(own_entries);
    let sections = entries.filter(|(name, section)| *name != "tools" && section.entries().next().is_some());
    sections.map(|(_, section)| section)
}

/// Pairs each duplicate with the first item that has the same key.
fn duplicates<'a, K: Ord>(items: impl Iterator<Item = (K, View<'a>)>) -> Vec<(View<'a>, View<'a>)> {
    let mut first = std::collections::BTreeMap::new();
    let mut repeated = Vec::new();
    for (key, view) in items {
        match first.entry(key) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(view);
            }
            std::collections::btree_map::Entry::Occupied(entry) => repeated.push((view, *entry.get())),
        }
    }
    repeated
}

/// A suggestion to replace a scalar with `replacement`.
fn write_instead(view: View<'_>, replacement: &str, applicability: Applicability) -> Suggestion {
    Suggestion {
        text: format!("write `{replacement}`"),
        edits: vec![Edit { span: view.span(), replacement: replacement.to_owned() }],
        applicability,
    }
}
