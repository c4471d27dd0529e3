//! Checks that header names and values are valid in HTTP and that names are unique.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::duplicates;

use super::{Block, Server};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(block) = Block::enabled(root) else { return Vec::new() };
    block.servers.iter().flat_map(|server| invalid(server).chain(repeated(server)).collect::<Vec<_>>()).collect()
}

fn invalid(server: &Server<'_>) -> impl Iterator<Item = Diagnostic> {
    let name = server.definition.name.clone();
    headers(server).filter_map(move |(header, view)| {
        if header.is_empty() || !header.chars().all(is_token) {
            let headline = format!("a header of MCP server `{name}` has an invalid name");
            return Some(
                Diagnostic::new(Code::InvalidHeader, view.key_span()?, headline)
                    .help("use letters, digits and hyphens"),
            );
        }
        let is_invalid = view.as_str().is_some_and(|value| value.chars().any(|c| c.is_control() && c != '\t'));
        let headline = format!("header `{header}` of MCP server `{name}` contains a line break or a control character");
        is_invalid
            .then(|| Diagnostic::new(Code::InvalidHeader, view.span(), headline).help("write the value on one line"))
    })
}

fn repeated(server: &Server<'_>) -> impl Iterator<Item = Diagnostic> {
    let name = server.definition.name.clone();
    let names = headers(server).map(|(header, view)| (header.to_ascii_lowercase(), view));
    duplicates(names).into_iter().filter_map(move |(again, first)| {
        let headline = format!("MCP server `{name}` has a duplicate header; header names are not case-sensitive");
        let finding = Diagnostic::new(Code::DuplicateHeader, again.key_span()?, headline).help("keep one of them");
        Some(finding.related(first.key_span()?, "first defined here"))
    })
}

fn headers<'a>(server: &Server<'a>) -> impl Iterator<Item = (&'a str, View<'a>)> {
    server.view.get("headers").into_iter().flat_map(View::entries)
}

/// A character of a header name (RFC 9110, `token`).
fn is_token(character: char) -> bool {
    character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(character)
}
