//! Literal credentials outside MCP servers, which have their own rule. Values under user-defined names are judged by
//! the name; in all other values only known token formats are detected.

use super::Rule;
use super::mcp::Block;
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::manifest;
use crate::secrets::{self, in_environment, is_secret_name, is_stand_in};

pub(super) const RULES: &[Rule] = &[in_values, in_keys];

fn in_values(root: View<'_>) -> Vec<Diagnostic> {
    let found = credentials(root).into_iter();
    found
        .map(|view| {
            let headline = format!("`{}` holds a credential", manifest::path(root, &view.pointer()));
            Diagnostic::new(Code::HardcodedCredential, view.span(), headline)
                .note("everyone who can read the manifest can read it")
                .help("remove it, pass the value in the environment of the agent, and revoke it if it was published")
        })
        .collect()
}

fn in_keys(root: View<'_>) -> Vec<Diagnostic> {
    let is_off = Block::enabled(root).is_none();
    let found = secrets::in_keys(root).into_iter().map(|(_, entry)| entry);
    found
        .filter(|entry| !is_off || !entry.pointer().starts_with("/spec/agent/mcp/"))
        .filter_map(View::key_span)
        .map(|span| {
            Diagnostic::new(Code::HardcodedCredential, span, "a key of the manifest holds a credential")
                .note("keys are copied to the generated project")
                .help("use only the name as the key, and revoke the credential if it was published")
        })
        .collect()
}

fn credentials(root: View<'_>) -> Vec<View<'_>> {
    let mut found = Vec::new();
    visit(root, &Place::Root, "", &mut found);
    found
}

/// How the names at a place in the manifest are interpreted.
enum Place {
    Root,
    Spec,
    /// Names of schema fields. A field such as `appPrivateKeySecret` contains the name of a variable, not a secret.
    Fields,
    /// User-defined names.
    Free,
}

impl Place {
    /// The place below `key`. Returns `None` if another rule checks it.
    fn below(&self, key: &str) -> Option<Self> {
        Some(match (self, key) {
            (Self::Root, "spec") => Self::Spec,
            (Self::Fields, "servers") => return None,
            (Self::Spec, "config") | (_, "environment") | (Self::Free, _) => Self::Free,
            (_, own) if own.starts_with("x-") => Self::Free,
            _ => Self::Fields,
        })
    }
}

fn visit<'a>(view: View<'a>, place: &Place, name: &'a str, found: &mut Vec<View<'a>>) {
    for (key, child) in view.entries() {
        if let Some(below) = place.below(key) {
            visit(child, &below, key, found);
        }
    }
    view.items().for_each(|item| visit(item, place, name, found));
    let name = if matches!(place, Place::Free) && is_credential_name(name) { name } else { "" };
    let holds = match view.as_str() {
        Some(text) => !is_stand_in(text) && !in_environment(name, text).is_empty(),
        None => view.value().is_number() && !name.is_empty(),
    };
    if holds {
        found.push(view);
    }
}

/// Whether the name denotes a credential. `auth` does not: `auth: basic` only names a method.
fn is_credential_name(name: &str) -> bool {
    is_secret_name(name) && !name.eq_ignore_ascii_case("auth")
}
