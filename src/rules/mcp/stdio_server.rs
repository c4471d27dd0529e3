//! Checks that `stdio` servers have a command and valid names of environment variables.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::mcp::{Transport, has_address};

use super::{Block, Server};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(block) = Block::enabled(root) else { return Vec::new() };
    let local = || block.servers.iter().filter(|server| server.transport == Transport::Stdio);
    local()
        .filter(|server| !has_address(&server.definition))
        .map(without_command)
        .chain(local().flat_map(invalid_variables))
        .collect()
}

fn without_command(server: &Server<'_>) -> Diagnostic {
    let place = server.view.get("command").unwrap_or_else(|| server.name_view()).span();
    let headline = format!("MCP server `{}` has no command and is skipped", server.definition.name);
    Diagnostic::new(Code::StdioServerWithoutCommand, place, headline).help("set `command`, for example `command: npx`")
}

fn invalid_variables(server: &Server<'_>) -> Vec<Diagnostic> {
    let variables = server.view.get("env").into_iter().flat_map(View::entries);
    let invalid = variables.filter(|(name, _)| name.is_empty() || name.contains(['=', '\0']));
    invalid
        .filter_map(|(_, view)| {
            let headline =
                format!("an environment variable of MCP server `{}` has an invalid name", server.definition.name);
            Some(Diagnostic::new(Code::InvalidVariableName, view.key_span()?, headline).help("use a name without `=`"))
        })
        .collect()
}
