//! Keys that are not in the schema: errors in closed objects, warnings elsewhere.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::diagnostics::{Applicability, Code, Diagnostic, Edit, Severity, Suggestion};
use crate::document::{Document, View};
use crate::names::closest;

use super::node::{Known, Node};
use super::outdated;
use super::path::path;

/// The maximum number of fields in a help text.
const MAX_LISTED: usize = 12;

pub(super) fn check(document: &Document) -> Vec<Diagnostic> {
    let mut walk = Walk { root: document.root(), found: Vec::new() };
    walk.visit(document.root(), Node::root());
    walk.found
}

struct Walk<'a> {
    root: View<'a>,
    found: Vec<Diagnostic>,
}

impl<'a> Walk<'a> {
    fn visit(&mut self, view: View<'a>, node: Node) {
        for (key, child) in view.entries() {
            match node.known(key) {
                Known::Child(known) => self.visit(child, known),
                Known::Free => {}
                Known::Refused => self.report(view, key, child, node, Severity::Error),
                Known::Ignored => self.report(view, key, child, node, Severity::Warning),
            }
        }
        if let Some(items) = node.items() {
            view.items().for_each(|item| self.visit(item, items));
        }
    }

    fn report(&mut self, owner: View<'a>, key: &str, child: View<'a>, node: Node, severity: Severity) {
        if outdated::covers(child) {
            return;
        }
        let Some(span) = child.key_span() else { return };
        let owner_path = path(self.root, &owner.pointer());
        let headline = if owner_path == "the manifest" {
            format!("unknown key `{key}` in the manifest")
        } else {
            format!("unknown key `{key}` in `{owner_path}`")
        };
        let mut finding = Diagnostic::new(Code::UnknownKey, span, headline);
        finding.severity = severity;
        if severity == Severity::Warning {
            finding = finding.note("the key has no effect");
        }
        let free: Vec<_> = node.properties().map(|(name, _)| name).filter(|name| owner.get(name).is_none()).collect();
        if let Some(elsewhere) = place_nearby(key, &owner_path) {
            finding = finding.help(format!("move it to `{elsewhere}`"));
        } else if let Some(meant) = closest(key, free) {
            let edits = vec![Edit { span, replacement: meant.to_owned() }];
            let text = format!("write `{meant}`");
            finding = finding.help(format!("did you mean `{meant}`?")).suggest(Suggestion {
                text,
                edits,
                applicability: Applicability::Review,
            });
        } else {
            finding = finding.help(fields_of(node));
        }
        self.found.push(finding);
    }
}

fn fields_of(node: Node) -> String {
    let names: Vec<_> = node.properties().map(|(name, _)| format!("`{name}`")).collect();
    let own = "keys of your own start with `x-`";
    if names.len() > MAX_LISTED {
        format!("remove it; {own}")
    } else {
        format!("valid keys are {}; {own}", names.join(", "))
    }
}

/// The path of the property with this name, if it is unique in the schema and belongs to a descendant or an ancestor of
/// `owner`.
fn place_nearby(name: &str, owner: &str) -> Option<&'static str> {
    let [place] = PLACES.get(name)?.as_slice() else { return None };
    let (home, _) = place.rsplit_once('.')?;
    let is_in = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
    (is_in(owner, home) || is_in(home, owner)).then_some(place)
}

/// The paths of all properties by name, with `*` for items and entries.
static PLACES: LazyLock<BTreeMap<&str, Vec<String>>> = LazyLock::new(|| {
    let mut places = BTreeMap::new();
    collect_places(Node::root(), "", &mut places);
    places
});

fn collect_places(node: Node, path: &str, places: &mut BTreeMap<&'static str, Vec<String>>) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for (name, child) in node.properties() {
        let place = below(name);
        collect_places(child, &place, places);
        places.entry(name).or_default().push(place);
    }
    for element in node.items().into_iter().chain(node.entries()) {
        collect_places(element, &below("*"), places);
    }
}
