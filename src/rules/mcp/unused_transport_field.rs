//! Warns about fields that the server's transport does not use.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::mcp::Transport;

use super::{Block, Server};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(block) = Block::enabled(root) else { return Vec::new() };
    block.servers.iter().flat_map(unused).collect()
}

fn unused(server: &Server<'_>) -> Vec<Diagnostic> {
    let fields: &[&str] = match server.transport {
        Transport::Http | Transport::Sse => &["command", "args", "env"],
        Transport::Stdio => &["url", "headers"],
    };
    let written = fields.iter().filter_map(|field| {
        let view = server.view.get(field).filter(|view| !is_empty(*view))?;
        Some((field, view.key_span()?))
    });
    written
        .map(|(field, span)| {
            let (name, transport) = (&server.definition.name, server.transport);
            let headline = format!("`{field}` of MCP server `{name}` has no effect: its transport is `{transport}`");
            Diagnostic::new(Code::UnusedTransportField, span, headline).help("remove the key, or change `transport`")
        })
        .collect()
}

/// Whether a value is empty and therefore not reported.
fn is_empty(view: View<'_>) -> bool {
    match view.as_str() {
        Some(text) => text.trim().is_empty(),
        None => view.items().next().is_none() && view.entries().next().is_none(),
    }
}
