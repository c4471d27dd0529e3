//! A credential in the manifest is read by everybody who reads the manifest. It never enters the generated project.

use crate::diagnostics::{Applicability, Code, Diagnostic, Span};
use crate::document::View;
use crate::manifest::McpServer;
use crate::mcp::{all_texts, protect};
use crate::rules::{at, text, write_instead};

use super::Block;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(block) = Block::enabled(root) else { return Vec::new() };
    let definitions: Vec<McpServer> = block.servers.iter().map(|server| server.definition.clone()).collect();
    let protected = protect(&definitions);
    let mut found = Vec::new();
    for ((index, server), safe) in block.servers.iter().enumerate().zip(&protected.servers) {
        for text in all_texts(safe) {
            let taken =
                protected.secrets.iter().filter(|secret| secret.server == index && secret.pointer == text.pointer);
            let variables: Vec<_> = taken.map(|secret| format!("`{}`", secret.variable)).collect();
            let Some(view) = server.view.at(&text.pointer).filter(|_| !variables.is_empty()) else { continue };
            let headline = format!("`{}` of MCP server `{}` holds a credential", text.field, server.definition.name);
            let names = variables.join(" and ");
            let finding = Diagnostic::new(Code::HardcodedCredential, view.span(), headline);
            if text.field == "command" {
                found.push(
                    finding
                        .note("it is left out of the generated project, and a command has no references that are resolved")
                        .help("write the program alone, and the credential under `args` or `env` as a reference"),
                );
                continue;
            }
            let fate = if block.wires(server) {
                format!("it is left out of the generated project, which reads {names} instead")
            } else {
                "whoever reads the manifest reads it too".to_owned()
            };
            let written = serde_json::Value::from(text.text).to_string();
            found.push(
                finding
                    .note(fate)
                    .help(format!("refer to a variable, for example {names}, and set it where the agent runs"))
                    .suggest(write_instead(view, &written, Applicability::Review)),
            );
        }
    }
    found
}

/// The scalars of MCP servers that hold credentials, whether the block is on or not and whatever else is wrong with a server.
pub(in crate::rules) fn credential_spans(root: View<'_>) -> Vec<Span> {
    let servers = at(root, &["spec", "agent", "mcp", "servers"]).into_iter().flat_map(View::items);
    let servers: Vec<_> = servers.collect();
    let definitions: Vec<_> = servers.iter().map(|server| texts_alone(*server)).collect();
    let found = protect(&definitions)
        .secrets
        .into_iter()
        .filter_map(|secret| Some(servers.get(secret.server)?.at(&secret.pointer)?.span()));
    found.collect()
}

/// A server with every text that it has, and blanks in the place of what should be one.
fn texts_alone(server: View<'_>) -> McpServer {
    let map = |field| {
        let entries = server.get(field).into_iter().flat_map(View::entries);
        entries.map(|(name, value)| (name.to_owned(), value.as_str().unwrap_or_default().to_owned())).collect()
    };
    let arguments = server.get("args").into_iter().flat_map(View::items);
    McpServer {
        name: String::new(),
        transport: String::new(),
        url: text(server, "url").map(str::to_owned),
        headers: map("headers"),
        command: text(server, "command").map(str::to_owned),
        args: arguments.map(|argument| argument.as_str().unwrap_or_default().to_owned()).collect(),
        env: map("env"),
    }
}
