//! Checks that server names are unique: they are the prefixes of tool names.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::duplicates;

use super::Block;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(block) = Block::enabled(root) else { return Vec::new() };
    let servers = block.view.get("servers").into_iter().flat_map(View::items);
    let names = servers.filter_map(|server| server.get("name")).filter_map(|name| Some((name.as_str()?, name)));
    duplicates(names)
        .into_iter()
        .map(|(again, first)| {
            let headline = format!("two MCP servers are called `{}`", again.as_str().unwrap_or_default());
            Diagnostic::new(Code::DuplicateServerName, again.span(), headline)
                .related(first.span(), "first defined here")
                .help("give each server a unique name")
        })
        .collect()
}
