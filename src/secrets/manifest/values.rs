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
    /// What programs read: those of MCP servers.
    Server,
    /// A program and its arguments, parted as a shell parts them.
    Command,
}

fn visit<'a>(view: View<'a>, place: Place<'a>, found: &mut Vec<Span>) {
    for (key, child) in view.entries() {
        let keeps = is_secret_name(place.name) && !place.name.eq_ignore_ascii_case("auth");
        let name = if keeps { place.name } else { key };
        let kind = match key {
            "mcp" => Kind::Server,
            "hooks" => Kind::Command,
            _ => place.kind,
        };
        visit(child, Place { name, kind }, found);
    }
    view.items().for_each(|item| visit(item, place, found));
    let holds = match view.as_str() {
        Some(text) => holds(text, place),
        None => view.value().is_number() && is_secret_name(place.name),
    };
    if holds {
        found.push(view.span());
    }
}

fn holds(text: &str, Place { name, kind }: Place<'_>) -> bool {
    if kind == Kind::Command {
        let words = shlex::split(text).unwrap_or_default();
        return !in_arguments(&words).is_empty() || !in_text(text).is_empty();
    }
    if kind == Kind::Server {
        let of_url = if name == "url" { in_url(text) } else { Vec::new() };
        return [in_header(name, text), in_text(text), of_url].iter().any(|found| !found.is_empty());
    }
    let name = if is_secret_name(name) && !name.eq_ignore_ascii_case("auth") { name } else { "" };
    !is_stand_in(text) && !in_environment(name, text).is_empty()
}
