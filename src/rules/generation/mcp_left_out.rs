//! MCP servers that the generated project does not connect to.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::manifest::TargetLanguage;
use crate::mcp::Transport;
use crate::rules::language::language;
use crate::rules::mcp::{Block, Server};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(block) = Block::enabled(root) else { return Vec::new() };
    let Some(wired) = &block.wired else {
        return language(root).map(|language| ignored(&block, language)).into_iter().collect();
    };
    let dropped = block.servers.iter().filter(|server| !wired.contains(&server.transport));
    let dropped = dropped.map(|server| dropped_server(&block, server));
    let unusable = !block.servers.iter().any(|server| block.wires(server));
    dropped.chain(unusable.then(|| no_usable_server(&block, wired))).collect()
}

fn ignored(block: &Block<'_>, language: TargetLanguage) -> Diagnostic {
    let headline =
        format!("`spec.agent.mcp` is ignored: by default no MCP client is generated for {}", language.name());
    Diagnostic::new(Code::McpIgnored, block.view.span(), headline)
        .help("list the transports to support, for example `transports: [http]` under `spec.agent.mcp`")
}

fn dropped_server(block: &Block<'_>, server: &Server<'_>) -> Diagnostic {
    let (name, transport) = (&server.definition.name, server.transport);
    let (reason, help) = if block.view.get("transports").is_some() {
        (
            format!("`spec.agent.mcp.transports` does not list `{transport}`"),
            format!("add `{transport}` to `spec.agent.mcp.transports`"),
        )
    } else {
        let reason = "the generated client is streamable-HTTP-only".to_owned();
        (reason, format!("list the transports to support: `transports: [http, {transport}]` under `spec.agent.mcp`"))
    };
    let place = server.view.get("transport").unwrap_or_else(|| server.name_view()).span();
    Diagnostic::new(Code::ServerDropped, place, format!("MCP server `{name}` is dropped: {reason}")).help(help)
}

fn no_usable_server(block: &Block<'_>, wired: &[Transport]) -> Diagnostic {
    let place = block.view.get("servers").unwrap_or(block.view).span();
    let transport = wired.first().copied().unwrap_or(Transport::Http);
    Diagnostic::new(Code::NoUsableServer, place, "no usable MCP server")
        .note("the agent does not start until A2A_MCP_SERVERS lists a server")
        .help(format!(
            "add a server with `transport: {transport}`, or set A2A_MCP_SERVERS in the environment of the agent"
        ))
}
