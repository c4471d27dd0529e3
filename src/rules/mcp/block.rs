//! The block as rules look at it.

use serde::Deserialize;

use crate::document::View;
use crate::manifest::McpServer;
use crate::mcp::Transport;
use crate::rules::at;
use crate::rules::language::{Language, language};

/// An MCP block that is switched on.
pub(in crate::rules) struct Block<'a> {
    pub(in crate::rules) view: View<'a>,
    /// The servers of a right shape, in order.
    pub(in crate::rules) servers: Vec<Server<'a>>,
    /// The transports that are wired.
    pub(in crate::rules) wired: Vec<Transport>,
}

/// One server of the block.
pub(in crate::rules) struct Server<'a> {
    pub(in crate::rules) view: View<'a>,
    pub(in crate::rules) definition: McpServer,
    pub(in crate::rules) transport: Transport,
}

impl<'a> Block<'a> {
    /// The block of a manifest, if there is one and it is on.
    pub(in crate::rules) fn enabled(root: View<'a>) -> Option<Self> {
        let view = at(root, &["spec", "agent", "mcp"])?;
        if view.get("enabled")?.as_bool() != Some(true) {
            return None;
        }
        let wired = match view.get("transports") {
            Some(transports) => transports.items().filter_map(|word| Transport::from_word(word.as_str()?)).collect(),
            None if language(root) == Some(Language::Go) => vec![Transport::Http],
            None => Vec::new(),
        };
        Some(Self { view, servers: servers(view), wired })
    }

    /// Whether a generated agent connects to a server.
    pub(in crate::rules) fn wires(&self, server: &Server<'_>) -> bool {
        self.wired.contains(&server.transport) && server.has_address()
    }
}

impl<'a> Server<'a> {
    /// Where findings about the whole server point: its name.
    pub(in crate::rules) fn name_view(&self) -> View<'a> {
        self.view.get("name").unwrap_or(self.view)
    }

    /// Whether what its transport needs, a url or a command, is there.
    pub(in crate::rules) fn has_address(&self) -> bool {
        let address = match self.transport {
            Transport::Http | Transport::Sse => &self.definition.url,
            Transport::Stdio => &self.definition.command,
        };
        address.as_ref().is_some_and(|address| !address.trim().is_empty())
    }
}

/// The servers of a block whose shape is right.
fn servers(block: View<'_>) -> Vec<Server<'_>> {
    let views = block.get("servers").into_iter().flat_map(View::items);
    views
        .filter_map(|view| {
            let definition = McpServer::deserialize(view.value()).ok()?;
            let transport = Transport::from_word(&definition.transport)?;
            Some(Server { view, definition, transport })
        })
        .collect()
}
