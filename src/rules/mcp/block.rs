//! The MCP block as seen by rules.

use serde::Deserialize;

use crate::document::View;
use crate::mcp::{ServerDefinition, Transport, is_wired};
use crate::rules::at;
use crate::rules::language::language;

/// An enabled MCP block.
pub(in crate::rules) struct Block<'a> {
    pub(in crate::rules) view: View<'a>,
    /// The servers with a valid shape, in order.
    pub(in crate::rules) servers: Vec<Server<'a>>,
    /// The transports that generated agents support; `None` if the block is ignored.
    pub(in crate::rules) wired: Option<Vec<Transport>>,
}

/// One server of the block.
pub(in crate::rules) struct Server<'a> {
    pub(in crate::rules) view: View<'a>,
    pub(in crate::rules) definition: ServerDefinition,
    pub(in crate::rules) transport: Transport,
}

impl<'a> Block<'a> {
    /// The MCP block of a manifest. Returns `None` if it is missing or disabled.
    pub(in crate::rules) fn enabled(root: View<'a>) -> Option<Self> {
        let view = at(root, &["spec", "agent", "mcp"])?;
        if view.get("enabled")?.as_bool() != Some(true) {
            return None;
        }
        let listed = view.get("transports").map(|transports| transports.items().filter_map(View::as_str));
        let wired = language(root).and_then(|language| language.wired_transports(listed));
        Some(Self { view, servers: servers(view), wired })
    }

    /// Whether a generated agent connects to a server.
    pub(in crate::rules) fn wires(&self, server: &Server<'_>) -> bool {
        self.wired.as_ref().is_some_and(|transports| is_wired(&server.definition, transports))
    }
}

impl<'a> Server<'a> {
    /// The view that findings about the whole server point at: its name.
    pub(in crate::rules) fn name_view(&self) -> View<'a> {
        self.view.get("name").unwrap_or(self.view)
    }
}

/// The servers of a block with a valid shape.
fn servers(block: View<'_>) -> Vec<Server<'_>> {
    let views = block.get("servers").into_iter().flat_map(View::items);
    views
        .filter_map(|view| {
            let definition = ServerDefinition::deserialize(view.value()).ok()?;
            let transport = Transport::from_word(&definition.transport)?;
            Some(Server { view, definition, transport })
        })
        .collect()
}
