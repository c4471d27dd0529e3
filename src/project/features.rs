//! The features of a project: what decides which parts of the run-time code it needs.

use std::collections::BTreeMap;

use super::{Project, Protocol};

/// A part of an agent that a manifest asks for or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// A language model answers.
    Model,
    /// The user's handler answers: there is no model.
    Handler,
    /// MCP servers offer tools.
    Mcp,
    /// MCP servers are reached over streamable HTTP.
    Http,
    /// MCP servers are reached over server-sent events.
    Sse,
    /// MCP servers have urls: `http` or `sse`.
    Remote,
    /// MCP servers are programs that the agent starts.
    Stdio,
    /// Task updates are sent to web hooks.
    Push,
    /// Every state of a task is kept.
    History,
    /// The streaming methods are served.
    Streaming,
    /// A2A 0.3 is served beside 1.0.
    V03,
    /// The agent has tools of its own.
    Tools,
    /// The agent runs tools itself: its own, or those that find and call the tools of MCP servers.
    ToolSet,
    /// A wired MCP server refers to environment variables.
    References,
}

impl Feature {
    /// All of them.
    pub const ALL: [Self; 14] = [
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
        Self::Tools,
        Self::ToolSet,
        Self::References,
    ];

    /// Its name in the markers of run-time sources.
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
            Feature::Tools => self.model.is_some() && !self.tools.is_empty(),
            Feature::ToolSet => self.has(Feature::Tools) || mcp.is_some(),
            Feature::References => mcp.is_some_and(|mcp| !mcp.references.is_empty()),
        }
    }

    /// Every feature by its name, and whether the project has it.
    pub fn features(&self) -> BTreeMap<&'static str, bool> {
        Feature::ALL.into_iter().map(|feature| (feature.name(), self.has(feature))).collect()
    }
}
