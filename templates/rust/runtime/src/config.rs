//! What the agent was built with, and its settings: the same, overridden by environment variables.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::environment::Lookup;
//adl:if model
use crate::llm::{Provider, Settings as ModelSettings};
//adl:end
//adl:if mcp
use crate::mcp::config::{DeclaredServer, Settings as McpSettings, Transport};
//adl:end
use crate::server::http::{CapabilitySettings, ServerSettings, TaskSettings};
//adl:if tools
use crate::tool::Definition;
//adl:end

/// What the manifest says.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub name: String,
    pub version: String,
    /// The part of the agent card that is always the same.
    pub card: Value,
    /// The protocol versions that are served.
    pub protocols: Vec<String>,
    /// The scheme of the agent's own address while it serves no TLS itself, as a proxy in front of it may.
    pub scheme: String,
    /// The values of the variables that are not set.
    pub defaults: BTreeMap<String, String>,
    //adl:if model
    /// The model providers that are known by name.
    pub providers: BTreeMap<String, Provider>,
    //adl:end
    //adl:if mcp
    pub mcp: McpClient,
    //adl:end
    //adl:if tools
    /// The agent's own tools.
    pub tools: Vec<Definition>,
    //adl:end
}
//adl:if mcp

/// The part of the manifest about MCP servers.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct McpClient {
    /// `${NAME}` in their texts stands for an environment variable, read when the agent starts.
    pub servers: Vec<DeclaredServer>,
    /// The transports that the agent was built for.
    pub transports: Vec<Transport>,
    /// The manifest sets the longest pause between retries.
    pub sets_retry_max_interval: bool,
}
//adl:end

/// Everything that can be set from outside.
#[derive(Clone, Debug)]
pub struct Config {
    pub server: ServerSettings,
    pub capabilities: CapabilitySettings,
    pub tasks: TaskSettings,
    //adl:if model
    pub model: ModelSettings,
    //adl:end
    //adl:if mcp
    pub mcp: McpSettings,
    //adl:end
}

impl Config {
    /// Reads the settings. The error lists every variable with a value that cannot be used, one a line.
    pub fn load(manifest: &Manifest, environment: Lookup) -> Result<Self, String> {
        let lookup: Lookup = &|name| environment(name).or_else(|| manifest.defaults.get(name).cloned());
        let mut problems = Vec::new();
        let config = Self {
            server: ServerSettings::read(lookup, &mut problems),
            capabilities: CapabilitySettings::read(lookup, &mut problems),
            tasks: TaskSettings::read(lookup, &mut problems),
            //adl:if model
            model: ModelSettings::read(lookup, &mut problems),
            //adl:end
            //adl:if mcp
            mcp: McpSettings::read(lookup, &mut problems),
            //adl:end
        };
        //adl:if mcp
        let mut config = config;
        //adl:end
        if problems.is_empty() {
            config.server.check(&mut problems);
            //adl:if model
            config.model.check(&mut problems);
            //adl:end
            //adl:if mcp
            config.mcp.check(environment, manifest.mcp.sets_retry_max_interval, &mut problems);
            //adl:end
        }
        if problems.is_empty() { Ok(config) } else { Err(problems.join("\n")) }
    }
}

/// The card of the agent at a base address.
pub fn card(manifest: &Manifest, base_url: &str, capabilities: &CapabilitySettings) -> Value {
    let base = base_url.trim_end_matches('/');
    let url = if base.ends_with("/a2a") { base.to_owned() } else { format!("{base}/a2a") };
    let interface = |protocol: &String| json!({"url": url, "protocolBinding": "JSONRPC", "protocolVersion": protocol});
    let mut card = manifest.card.clone();
    card["supportedInterfaces"] = manifest.protocols.iter().map(interface).collect();
    card["capabilities"] = json!({"streaming": capabilities.streaming, "pushNotifications": false});
    //adl:if push
    card["capabilities"]["pushNotifications"] = json!(capabilities.push_notifications);
    //adl:end
    //adl:if v03
    // For clients of protocol 0.3.
    card["url"] = json!(url);
    card["preferredTransport"] = json!("JSONRPC");
    card["capabilities"]["stateTransitionHistory"] = json!(false);
    //adl:end
    //adl:if history
    card["capabilities"]["stateTransitionHistory"] = json!(capabilities.state_transition_history);
    //adl:end
    card
}
