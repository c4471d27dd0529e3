//! Credentials of MCP servers, whether the block is on or not and whatever else is wrong with a server.

use crate::diagnostics::Span;
use crate::document::View;
use crate::mcp::ServerDefinition;
use crate::secrets::protect::protect;

/// The scalars of MCP servers that hold credentials.
pub(super) fn in_servers(root: View<'_>) -> Vec<Span> {
    let servers = ["spec", "agent", "mcp", "servers"].iter().try_fold(root, |view, key| view.get(key));
    let servers: Vec<_> = servers.into_iter().flat_map(View::items).collect();
    let definitions: Vec<_> = servers.iter().map(|server| texts_alone(*server)).collect();
    let found = protect(&definitions)
        .secrets
        .into_iter()
        .filter_map(|secret| Some(servers.get(secret.server)?.at(&secret.pointer)?.span()));
    found.collect()
}

/// A server with all of its texts, and an empty text in the place of a value of another type.
fn texts_alone(server: View<'_>) -> ServerDefinition {
    let text = |field| server.get(field).and_then(View::as_str).map(str::to_owned);
    let map = |field| {
        let entries = server.get(field).into_iter().flat_map(View::entries);
        entries.map(|(name, value)| (name.to_owned(), value.as_str().unwrap_or_default().to_owned())).collect()
    };
    let arguments = server.get("args").into_iter().flat_map(View::items);
    ServerDefinition {
        name: String::new(),
        transport: String::new(),
        url: text("url"),
        headers: map("headers"),
        command: text("command"),
        args: arguments.map(|argument| argument.as_str().unwrap_or_default().to_owned()).collect(),
        env: map("env"),
    }
}
