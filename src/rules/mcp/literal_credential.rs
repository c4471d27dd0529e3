//! A credential in the manifest is read by everybody who reads the manifest. It never enters the generated project.

use crate::diagnostics::{Applicability, Code, Diagnostic, Span};
use crate::document::View;
use crate::manifest::McpServer;
use crate::mcp::{is_secret_name, protect, texts};
use crate::rules::{at, write_instead};

use super::Block;
use super::block::servers;
use super::malformed_reference::view_of;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(block) = Block::enabled(root) else { return Vec::new() };
    let definitions: Vec<McpServer> = block.servers.iter().map(|server| server.definition.clone()).collect();
    let protected = protect(&definitions);
    let mut found = Vec::new();
    for ((index, server), safe) in block.servers.iter().enumerate().zip(&protected.servers) {
        for text in texts(safe) {
            let taken =
                protected.secrets.iter().filter(|secret| secret.server == index && secret.pointer == text.pointer);
            let variables: Vec<_> = taken.map(|secret| format!("`{}`", secret.variable)).collect();
            let Some(view) = view_of(server.view, &text.pointer).filter(|_| !variables.is_empty()) else { continue };
            let headline = format!("`{}` of MCP server `{}` holds a credential", text.field, server.definition.name);
            let names = variables.join(" and ");
            let fate = if block.wires(server) {
                format!("it is left out of the generated project, which reads {names} instead")
            } else {
                "whoever reads the manifest reads it too".to_owned()
            };
            let written = serde_json::Value::from(text.text).to_string();
            found.push(
                Diagnostic::new(Code::LiteralCredential, view.span(), headline)
                    .note(fate)
                    .help(format!("refer to a variable, for example {names}, and set it where the agent runs"))
                    .suggest(write_instead(view, &written, Applicability::Review)),
            );
        }
    }
    found
}

/// The scalars of MCP servers that hold credentials, whether the block is on or not and whatever the scalar's type.
pub(in crate::rules) fn credential_spans(root: View<'_>) -> Vec<Span> {
    let Some(block) = at(root, &["spec", "agent", "mcp"]) else { return Vec::new() };
    let servers = servers(block);
    let definitions: Vec<McpServer> = servers.iter().map(|server| server.definition.clone()).collect();
    let found = protect(&definitions)
        .secrets
        .into_iter()
        .filter_map(|secret| Some(view_of(servers.get(secret.server)?.view, &secret.pointer)?.span()));
    let telling = block.get("servers").into_iter().flat_map(View::items).flat_map(|server| {
        let maps = ["headers", "env"].into_iter().filter_map(move |field| server.get(field));
        maps.flat_map(View::entries).filter(|(name, value)| is_secret_name(name) && value.as_str().is_none())
    });
    found.chain(telling.map(|(_, value)| value.span())).collect()
}
