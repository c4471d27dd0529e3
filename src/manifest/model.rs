//! The typed manifest: what the schema admits, field by field, before any default is filled in.
//!
//! Decoding happens only after the schema check has passed, so these types follow the schema and hold no rule of their own.
//! An optional field is an `Option` wherever "absent" and an explicit zero, false or empty value differ.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Number, Value};

use super::whole_number;
use crate::mcp::ServerDefinition;

/// A whole manifest.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Who the agent is.
    pub metadata: Metadata,
    /// What it does.
    pub spec: Spec,
}

/// `metadata`, as far as something is made of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// Lower-case letters, digits and dashes.
    pub name: String,
    /// One line for people and for the agent card.
    pub description: String,
    /// `major.minor.patch`.
    pub version: String,
}

/// `spec`: the blocks that this tool generates from.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    /// What the agent announces that it can do.
    pub capabilities: Capabilities,
    /// Overrides of the agent card.
    #[serde(default)]
    pub card: Card,
    /// The language model; absent: the agent has none.
    pub agent: Option<Agent>,
    /// Words that keep their capitals in names.
    #[serde(default)]
    pub acronyms: Vec<String>,
    /// The agent's own tools.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// Skills for the card.
    #[serde(default)]
    pub skills: Vec<Skill>,
    /// Where it listens.
    pub server: Server,
    /// Target language; exactly one is set.
    pub language: Language,
    /// Sandboxes and assistants.
    #[serde(default)]
    pub development: Development,
    /// Commands around generation.
    #[serde(default)]
    pub hooks: Hooks,
}

/// `spec.hooks`.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Hooks {
    /// Commands to run in the project's folder after generation.
    #[serde(default)]
    pub post: Vec<String>,
}

/// `spec.capabilities`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// Streaming methods are served.
    pub streaming: bool,
    /// Push notifications are sent.
    pub push_notifications: bool,
    /// Announced on a 0.3 card.
    pub state_transition_history: bool,
}

/// `spec.card`, as far as something is made of it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Card {
    /// A2A protocol version, default `0.3.0`.
    pub protocol_version: Option<String>,
    /// Public base address.
    pub url: Option<String>,
    /// Default `JSONRPC`.
    pub preferred_transport: Option<String>,
    /// Default `[text]`.
    pub default_input_modes: Option<Vec<String>>,
    /// Default `[text]`.
    pub default_output_modes: Option<Vec<String>>,
    /// Page about the agent.
    pub documentation_url: Option<String>,
    /// Picture.
    pub icon_url: Option<String>,
    /// Security schemes by name.
    #[serde(default)]
    pub security_schemes: IndexMap<String, SecurityScheme>,
    /// Requirements: schemes of one entry together, entries one for another.
    #[serde(default)]
    pub security: Vec<IndexMap<String, Vec<String>>>,
}

/// One entry of `spec.card.securitySchemes`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SecurityScheme {
    /// `apiKey`, `http` or `mutualTLS`.
    pub r#type: String,
    /// Text for people.
    pub description: Option<String>,
    /// Name of the header, cookie or query parameter (`apiKey`).
    pub name: Option<String>,
    /// `query`, `header` or `cookie` (`apiKey`).
    pub r#in: Option<String>,
    /// HTTP authentication scheme (`http`).
    pub scheme: Option<String>,
    /// Format of the bearer token (`http`).
    pub bearer_format: Option<String>,
}

/// `spec.agent`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Name of a model provider; may be empty.
    pub provider: Option<String>,
    /// Model identifier.
    pub model: Option<String>,
    /// Instructions for the model.
    pub system_prompt: Option<String>,
    /// Upper limit of generated tokens.
    #[serde(default, deserialize_with = "whole_number::read_optional")]
    pub max_tokens: Option<u64>,
    /// Sampling temperature, 0 to 2.
    pub temperature: Option<Number>,
    /// MCP servers to connect to.
    pub mcp: Option<Mcp>,
}

/// `spec.agent.mcp`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mcp {
    /// Master switch.
    pub enabled: bool,
    /// Servers, in order.
    #[serde(default)]
    pub servers: Vec<ServerDefinition>,
    /// Path behind each server's url, default `/mcp`.
    pub endpoint: Option<String>,
    /// Go duration, default `5m`.
    pub refresh_interval: Option<String>,
    /// Go duration, default `30s`.
    pub dial_timeout: Option<String>,
    /// Go duration, default `30s`.
    pub call_timeout: Option<String>,
    /// 0 = for ever.
    #[serde(default, deserialize_with = "whole_number::read_optional")]
    pub max_retries: Option<u64>,
    /// Go duration, default `2s`.
    pub retry_interval: Option<String>,
    /// Go duration, default `30s`.
    pub retry_max_interval: Option<String>,
    /// Our extension: the transports that are wired.
    pub transports: Option<Vec<String>>,
}

/// One entry of `spec.tools`, as far as something is made of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Identifier, also the file's name.
    pub id: String,
    /// The name that the model sees; absent for built-in tools.
    pub name: Option<String>,
    /// What the tool does, for the model.
    pub description: Option<String>,
    /// Free words.
    #[serde(default)]
    pub tags: Vec<String>,
    /// JSON Schema of the arguments.
    pub schema: Option<Value>,
}

/// One entry of `spec.skills`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Skill {
    /// Identifier.
    pub id: String,
    /// Name for people.
    pub name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Free words.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Version.
    pub version: Option<String>,
}

/// `spec.server`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Server {
    /// TCP port, 1 to 65535.
    #[serde(deserialize_with = "whole_number::read")]
    pub port: u16,
    /// `http` or `https`, default `http`.
    pub scheme: Option<String>,
    /// Debug logs, default false.
    pub debug: Option<bool>,
}

/// `spec.language`: exactly one is set.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Language {
    /// Go.
    pub go: Option<Go>,
    /// TypeScript.
    pub typescript: Option<Value>,
    /// Rust.
    pub rust: Option<Value>,
}

/// `spec.language.go`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Go {
    /// Module path.
    pub module: String,
    /// Language version, for example `1.26.4`.
    pub version: String,
}

/// `spec.development`, as far as something is made of it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Development {
    /// Development environments.
    #[serde(default)]
    pub sandbox: Sandbox,
}

/// `spec.development.sandbox`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sandbox {
    /// Writes `docker-compose.yaml` and `.env.example`.
    pub docker_compose: Option<Switch>,
}

/// A block with nothing but a switch that matters here.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Switch {
    /// On or off.
    pub enabled: bool,
}
