//! Credentials in values: wherever one may stand, also where no rule looks because the schema has already refused the place.

use crate::diagnostics::Span;
use crate::document::View;
use crate::secrets::credential::{
    in_arguments, in_environment, in_header, in_text, in_url, is_secret_name, is_stand_in,
};

/// The scalars that hold credentials, or may.
pub(super) fn in_values(root: View<'_>) -> Vec<Span> {
    let mut found = Vec::new();
    visit(root, Place { name: "", kind: Kind::Prose }, &mut found);
    found
}

#[derive(Clone, Copy)]
struct Place<'a> {
    /// The nearest key; one that tells of credentials stays with all that lies below it.
    name: &'a str,
    kind: Kind,
}

/// What the texts of a part are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Prose,
    /// Security schemes and the names of their parts, which say how a credential is sent and hold none.
    Scheme,
    /// What programs read: the fields of MCP servers.
    Server,
    /// The headers of one, under their names.
    Headers,
    /// The environment of one, under its names.
    Environment,
    /// A command line.
    Command,
}

impl Kind {
    /// What stands below a key.
    fn below(self, key: &str) -> Self {
        match (self, key) {
            (_, "mcp") => Self::Server,
            (_, "hooks") => Self::Command,
            (Self::Prose, "securitySchemes" | "security") => Self::Scheme,
            (Self::Server, "headers") => Self::Headers,
            (Self::Server, "env") => Self::Environment,
            (kind, _) => kind,
        }
    }
}

fn visit<'a>(view: View<'a>, place: Place<'a>, found: &mut Vec<Span>) {
    for (key, child) in view.entries() {
        let keeps =
            place.kind != Kind::Scheme && is_secret_name(place.name) && !place.name.eq_ignore_ascii_case("auth");
        let name = if keeps { place.name } else { key };
        visit(child, Place { name, kind: place.kind.below(key) }, found);
    }
    if place.kind == Kind::Server && place.name == "args" && view.is_sequence() {
        arguments(view, found);
    }
    view.items().for_each(|item| visit(item, place, found));
    let holds = match view.as_str() {
        Some(text) => holds(text, place),
        None => view.value().is_number() && place.kind != Kind::Scheme && is_secret_name(place.name),
    };
    if holds {
        found.push(view.span());
    }
}

/// The arguments of a program: one may say what the next one is.
fn arguments(view: View<'_>, found: &mut Vec<Span>) {
    let texts: Vec<_> = view.items().map(|item| item.as_str().unwrap_or_default().to_owned()).collect();
    let credentials = in_arguments(&texts).into_iter();
    found.extend(credentials.filter_map(|(index, _)| Some(view.item(index)?.span())));
}

fn holds(text: &str, Place { name, kind }: Place<'_>) -> bool {
    let found = match (kind, name) {
        (Kind::Server, "args") => Vec::new(),
        (Kind::Server, "url") => in_url(text),
        // A text in the place of what has names.
        (Kind::Server, _) | (Kind::Headers, "headers") | (Kind::Environment, "env") => in_text(text),
        (Kind::Headers, name) => in_header(name, text),
        (Kind::Environment, name) => in_environment(name, text),
        (Kind::Command, _) => {
            let words = shlex::split(text).unwrap_or_default();
            return !in_arguments(&words).is_empty() || !in_text(text).is_empty();
        }
        (Kind::Prose, _) if is_stand_in(text) => Vec::new(),
        (Kind::Prose, name) => {
            let is_telling = is_secret_name(name) && !name.eq_ignore_ascii_case("auth");
            in_environment(if is_telling { name } else { "" }, text)
        }
        (Kind::Scheme, _) => in_environment("", text),
    };
    !found.is_empty()
}
