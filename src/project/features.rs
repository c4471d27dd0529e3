//! The features of a project, which select the parts of the run-time code that it needs.

use std::collections::BTreeMap;

use super::{Project, Protocol};

/// An optional part of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// A language model answers messages.
    Model,
    /// The user's handler answers messages, because there is no model.
    Handler,
    /// MCP servers provide tools.
    Mcp,
    /// MCP servers with streamable HTTP.
    Http,
    /// MCP servers with server-sent events.
    Sse,
    /// MCP servers with a URL: `http` or `sse`.
    Remote,
    /// MCP servers that the agent starts as processes.
    Stdio,
    /// Task updates are sent to webhooks.
    Push,
    /// All states of a task are kept.
    History,
    /// The streaming methods are served.
    Streaming,
    /// A2A 0.3 is served in addition to 1.0.
    V03,
    /// The card announces security schemes.
    Security,
    /// The agent has tools of its own.
    Tools,
    /// The agent executes tools itself: its own, or those that find and call MCP tools.
    ToolSet,
    /// An enabled MCP server refers to environment variables.
    References,
}

impl Feature {
    /// All features.
    pub const ALL: [Self; 15] = [
        Self::Model,
        Self::Handler,
        Self::Mcp,
        Self::Http,
        Self::Sse,
        Self::Remote,
        Self::Stdio,
        Self::Push,
        Self::History,
        Self::Streaming,
        Self::V03,
        Self::Security,
        Self::Tools,
        Self::ToolSet,
        Self::References,
    ];

    /// The name in the markers of run-time sources.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Handler => "handler",
            Self::Mcp => "mcp",
            Self::Http => "http",
            Self::Sse => "sse",
            Self::Remote => "remote",
            Self::Stdio => "stdio",
            Self::Push => "push",
            Self::History => "history",
            Self::Streaming => "streaming",
            Self::V03 => "v03",
            Self::Security => "security",
            Self::Tools => "tools",
            Self::ToolSet => "toolset",
            Self::References => "references",
        }
    }
}

impl Project {
    /// Whether the project has a feature.
    pub fn has(&self, feature: Feature) -> bool {
        let mcp = self.mcp.as_ref();
        let wires = |transport: &str| mcp.is_some_and(|mcp| mcp.transports.iter().any(|wired| wired == transport));
        match feature {
            Feature::Model => self.model.is_some(),
            Feature::Handler => self.model.is_none(),
            Feature::Mcp => mcp.is_some(),
            Feature::Http | Feature::Sse | Feature::Stdio => wires(feature.name()),
            Feature::Remote => self.has(Feature::Http) || self.has(Feature::Sse),
            Feature::Push => self.capabilities.push_notifications,
            Feature::History => self.capabilities.state_transition_history,
            Feature::Streaming => self.capabilities.streaming,
            Feature::V03 => self.card.protocol == Protocol::Both,
            Feature::Security => !self.card.security_schemes.is_empty(),
            Feature::Tools => self.model.is_some() && !self.tools.is_empty(),
            Feature::ToolSet => self.has(Feature::Tools) || mcp.is_some(),
            Feature::References => mcp.is_some_and(|mcp| !mcp.references.is_empty()),
        }
    }

    /// All features by name, and whether the project has them.
    pub fn features(&self) -> BTreeMap<&'static str, bool> {
        Feature::ALL.into_iter().map(|feature| (feature.name(), self.has(feature))).collect()
    }
}
