//! Safe fixes for schema errors. They only use information in the file itself.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::diagnostics::Suggestion;
use crate::document::edit::Place;
use crate::document::{Document, View};
use crate::manifest::built_in;

/// Values that follow from the manifest.
pub(super) struct Remedies<'a> {
    document: &'a Document,
    /// The derived ids of tools and skills without a valid id, by JSON pointer.
    ids: OnceCell<BTreeMap<String, String>>,
}

impl<'a> Remedies<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Self { document, ids: OnceCell::new() }
    }

    /// A fix for the missing field `name` of `owner`.
    pub(super) fn missing(&self, owner: View<'_>, name: &str) -> Option<Suggestion> {
        let at = owner.pointer();
        let tokens: Vec<_> = at.split('/').skip(1).collect();
        let (value, place): (Value, _) = match (tokens.as_slice(), name) {
            // A missing capability is not supported.
            (["spec", "capabilities"], _) => (false.into(), Place::Last),
            (["spec"], "capabilities") => {
                let none = json!({"streaming": false, "pushNotifications": false, "stateTransitionHistory": false});
                (none, Place::First)
            }
            // Older manifests enabled artifacts by the presence of the block.
            (["spec", "artifacts"], "enabled") if owner.entries().next().is_some() => (true.into(), Place::First),
            (["spec", "tools" | "skills", _], "id") => (self.id(&at)?.into(), Place::First),
            _ => return None,
        };
        let edits = self.document.editor()?.insert(&at, name, &value, place)?;
        let text = if value.is_object() {
            format!("add `{name}` with all values `false`")
        } else {
            format!("add `{name}: {value}`")
        };
        Some(Suggestion::safe(text.replace('"', ""), edits))
    }

    /// A fix for a string with an invalid format.
    pub(super) fn invalid_format(&self, view: View<'_>) -> Option<Suggestion> {
        if let Some(version) = whole_version(view) {
            return self.replacement(view, &version);
        }
        self.replacement(view, self.id(view.pointer().strip_suffix("/id")?)?)
    }

    /// A fix for a number that must be a string and would still be invalid in quotes.
    pub(super) fn number(&self, view: View<'_>) -> Option<Suggestion> {
        self.replacement(view, &whole_version(view)?)
    }

    fn replacement(&self, view: View<'_>, text: &str) -> Option<Suggestion> {
        let edits = self.document.editor()?.replace(&view.pointer(), text)?;
        Some(Suggestion::safe(format!("write `{text}`"), edits))
    }

    fn id(&self, owner: &str) -> Option<&str> {
        self.ids.get_or_init(|| self.all_ids()).get(owner).map(String::as_str)
    }

    fn all_ids(&self) -> BTreeMap<String, String> {
        let spec = self.document.root().get("spec");
        let list = |key| spec.and_then(|spec| spec.get(key));
        let mut ids = BTreeMap::new();
        if let Some(tools) = list("tools") {
            derive(tools, built_in::ids(), '_', &mut ids);
        }
        if let Some(skills) = list("skills") {
            derive(skills, [], '-', &mut ids);
        }
        ids
    }
}

/// Completes a version: `1.0` and `2` become `1.0.0` and `2.0.0`.
fn whole_version(view: View<'_>) -> Option<String> {
    if view.pointer() != "/metadata/version" {
        return None;
    }
    let written = view.as_str().unwrap_or(view.raw());
    let mut numbers: Vec<_> = written.split('.').collect();
    let is_short = numbers.len() < 3 && numbers.iter().all(|number| is_number(number));
    numbers.resize(3, "0");
    is_short.then(|| numbers.join("."))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Derives an id for each entry without a valid one: its id or name with invalid characters replaced by `filler`, and
/// with a number if the id is already used.
fn derive(
    entries: View<'_>,
    reserved: impl IntoIterator<Item = &'static str>,
    filler: char,
    ids: &mut BTreeMap<String, String>,
) {
    let text = |entry: View<'_>, key: &str| entry.get(key).and_then(View::as_str).unwrap_or_default().trim().to_owned();
    let is_valid = |text: &str| !text.is_empty() && sanitized(text, filler) == text;
    let (with, without): (Vec<_>, Vec<_>) = entries.items().partition(|entry| is_valid(&text(*entry, "id")));
    let mut taken: BTreeSet<_> = with.into_iter().map(|entry| text(entry, "id").to_lowercase()).collect();
    taken.extend(reserved.into_iter().map(str::to_owned));
    for entry in without {
        let source = [text(entry, "id"), text(entry, "name")].into_iter().find(|text| !text.is_empty());
        let Some(base) = source.map(|source| sanitized(&source, filler)).filter(|id| !id.is_empty()) else { continue };
        let numbered = (2..).map(|number| format!("{base}{filler}{number}"));
        let free = std::iter::once(base.clone()).chain(numbered).find(|id| taken.insert(id.to_lowercase()));
        ids.extend(free.map(|id| (entry.pointer(), id)));
    }
}

/// Replaces invalid characters by `filler`. Tool ids (with filler `_`) do not start with a digit. Returns an empty
/// string if no letter or digit is left.
fn sanitized(text: &str, filler: char) -> String {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == filler;
    let mut id = String::new();
    for c in text.chars() {
        if is_allowed(c) {
            id.push(c);
        } else if !id.ends_with(filler) {
            id.push(filler);
        }
    }
    if !id.contains(|c: char| c.is_ascii_alphanumeric()) {
        return String::new();
    }
    let id = if filler == '-' { id.trim_start_matches('-') } else { &id };
    if filler == '_' && id.starts_with(|c: char| c.is_ascii_digit()) { format!("_{id}") } else { id.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::sanitized;

    #[test]
    fn derives_ids_from_names() {
        for (name, tool, skill) in [
            ("get_weather", "get_weather", "get_weather"),
            ("search-n8n-docs", "search_n8n_docs", "search-n8n-docs"),
            ("Get weather!", "Get_weather_", "Get-weather-"),
            ("2fa", "_2fa", "2fa"),
            ("--x", "_x", "x"),
            ("!?", "", ""),
            ("größe", "gr_e", "gr-e"),
        ] {
            assert_eq!((sanitized(name, '_').as_str(), sanitized(name, '-').as_str()), (tool, skill), "{name}");
        }
    }
}
