//! Finds literal credentials in MCP servers. They are readable to everyone who can read the manifest, and are never
//! copied to the generated project.

use crate::diagnostics::{Applicability, Code, Diagnostic};
use crate::document::View;
use crate::mcp::{ServerDefinition, all_texts};
use crate::rules::write_instead;
use crate::secrets::protect;

use super::Block;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(block) = Block::enabled(root) else { return Vec::new() };
    let definitions: Vec<ServerDefinition> = block.servers.iter().map(|server| server.definition.clone()).collect();
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
                        .note("it is not copied to the generated project, and references in a command are not resolved")
                        .help("write only the program, and refer to the credential in `args` or `env`"),
                );
                continue;
            }
            let note = if block.wires(server) {
                format!("it is not copied to the generated project, which reads {names} instead")
            } else {
                "everyone who can read the manifest can read it".to_owned()
            };
            let written = serde_json::Value::from(text.text).to_string();
            found.push(
                finding
                    .note(note)
                    .help(format!("refer to a variable such as {names}, and set it in the environment of the agent"))
                    .suggest(write_instead(view, &written, Applicability::Review)),
            );
        }
    }
    found
}
