//! Warns about MCP servers whose program is not in the container image of the agent.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::manifest::TargetLanguage;
use crate::mcp::{Image, Transport};
use crate::rules::language::language;
use crate::rules::mcp::{Block, Server};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(block) = Block::enabled(root) else { return Vec::new() };
    let started = block.servers.iter().filter(|server| block.wires(server) && server.transport == Transport::Stdio);
    let started: Vec<_> = started.filter_map(|server| Some((server, server.definition.command.as_deref()?))).collect();
    let commands = started.iter().map(|(_, command)| *command);
    let image = match language(root) {
        Some(TargetLanguage::TypeScript) => Image::of_node(commands),
        Some(TargetLanguage::Go | TargetLanguage::Rust) | None => Image::for_commands(commands),
    };
    let missing = started.into_iter().filter(|(_, command)| !image.has(command));
    let warning = |(server, command): (&Server<'_>, &str)| {
        let name = &server.definition.name;
        let place = server.view.get("command").unwrap_or_else(|| server.name_view()).span();
        let headline = format!("the container image has no program `{command}`, which starts MCP server `{name}`");
        Diagnostic::new(Code::ProgramNotInImage, place, headline)
            .note("the image has what `npx`, `node`, `python` and `uvx` need where a server names them, and nothing else")
            .help("install the program in the last stage of the `Dockerfile`, which keeps your edits, or reach the server over `http`")
    };
    missing.map(warning).collect()
}
