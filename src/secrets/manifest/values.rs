//! Credentials in values. Checks all values, even those that rules do not check because the schema already rejects
//! them.

use crate::diagnostics::Span;
use crate::document::View;
use crate::secrets::credential::{
    in_arguments, in_environment, in_header, in_text, in_url, is_secret_name, is_stand_in,
};

/// The spans of scalars that contain credentials or may contain some.
pub(super) fn in_values(root: View<'_>) -> Vec<Span> {
    let mut found = Vec::new();
    visit(root, Place { name: "", kind: Kind::Prose }, &mut found);
    found
}

#[derive(Clone, Copy)]
struct Place<'a> {
    /// The nearest key. A key that indicates credentials also applies to everything below it.
    name: &'a str,
    kind: Kind,
}

/// The kind of texts in a part of the manifest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Prose,
    /// Security schemes and their parts. Their names describe how a credential is sent; they contain none.
    Scheme,
    /// The fields of MCP servers, which are machine-readable.
    Server,
    /// The headers of a server.
    Headers,
    /// The environment of a server.
    Environment,
    /// A command line.
    Command,
}

impl Kind {
    /// The kind of the value at `key`.
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

/// Checks the arguments of a program together, because an option determines the meaning of the next argument.
fn arguments(view: View<'_>, found: &mut Vec<Span>) {
    let texts: Vec<_> = view.items().map(|item| item.as_str().unwrap_or_default().to_owned()).collect();
    let credentials = in_arguments(&texts).into_iter();
    found.extend(credentials.filter_map(|(index, _)| Some(view.item(index)?.span())));
}

fn holds(text: &str, Place { name, kind }: Place<'_>) -> bool {
    let found = match (kind, name) {
        (Kind::Server, "args") => Vec::new(),
        (Kind::Server, "url") => in_url(text),
        // A string in place of a mapping.
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
