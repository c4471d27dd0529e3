//! The typed manifest, before defaults are filled in.
//!
//! Only valid documents are decoded, so these types contain no checks. A field is an `Option` if "absent" differs from
//! an explicit zero, false or empty value.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Number, Value};

use super::integer;
use crate::mcp::ServerDefinition;

/// A whole manifest.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Metadata of the agent.
    pub metadata: Metadata,
    /// Definition of the agent.
    pub spec: Spec,
}

/// `metadata`: the fields that projects are generated from.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// Lower-case letters, digits and hyphens.
    pub name: String,
    /// Description on the agent card.
    pub description: String,
    /// `major.minor.patch`.
    pub version: String,
}

/// `spec`: the fields that projects are generated from.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    /// A2A capabilities.
    pub capabilities: Capabilities,
    /// Overrides of the agent card.
    #[serde(default)]
    pub card: Card,
    /// The language model, if any.
    pub agent: Option<Agent>,
    /// Words that are written in capitals in generated names.
    #[serde(default)]
    pub acronyms: Vec<String>,
    /// The agent's own tools.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// Skills for the card.
    #[serde(default)]
    pub skills: Vec<Skill>,
    /// HTTP server.
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
    /// Whether a 0.3 card announces it.
    pub state_transition_history: bool,
}

/// `spec.card`: the fields that projects are generated from.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Card {
    /// A2A protocol version, default `0.3.0`.
    pub protocol_version: Option<String>,
    /// Public base URL.
    pub url: Option<String>,
    /// Default `JSONRPC`.
    pub preferred_transport: Option<String>,
    /// Default `[text]`.
    pub default_input_modes: Option<Vec<String>>,
    /// Default `[text]`.
    pub default_output_modes: Option<Vec<String>>,
    /// Documentation URL.
    pub documentation_url: Option<String>,
    /// Icon URL.
    pub icon_url: Option<String>,
    /// Security schemes by name.
    #[serde(default)]
    pub security_schemes: IndexMap<String, SecurityScheme>,
    /// Security requirements. All schemes of an entry are required; entries are alternatives.
    #[serde(default)]
    pub security: Vec<IndexMap<String, Vec<String>>>,
}

/// One entry of `spec.card.securitySchemes`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SecurityScheme {
    /// `apiKey`, `http` or `mutualTLS`.
    pub r#type: String,
    /// Description.
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
    /// System prompt.
    pub system_prompt: Option<String>,
    /// Maximum number of generated tokens.
    #[serde(default, deserialize_with = "integer::read_optional")]
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
    /// Whether MCP is enabled.
    pub enabled: bool,
    /// Servers, in order.
    #[serde(default)]
    pub servers: Vec<ServerDefinition>,
    /// Path appended to each server URL, default `/mcp`.
    pub endpoint: Option<String>,
    /// Go duration, default `5m`.
    pub refresh_interval: Option<String>,
    /// Go duration, default `30s`.
    pub dial_timeout: Option<String>,
    /// Go duration, default `30s`.
    pub call_timeout: Option<String>,
    /// The maximum number of attempts; 0 means unlimited.
    #[serde(default, deserialize_with = "integer::read_optional")]
    pub max_retries: Option<u64>,
    /// Go duration, default `2s`.
    pub retry_interval: Option<String>,
    /// Go duration, default `30s`.
    pub retry_max_interval: Option<String>,
    /// The enabled transports. This field is an extension.
    pub transports: Option<Vec<String>>,
}

/// An entry of `spec.tools`: the fields that projects are generated from.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Identifier, which is also the file name.
    pub id: String,
    /// Name for the model; absent for built-in tools.
    pub name: Option<String>,
    /// Description for the model.
    pub description: Option<String>,
    /// Keywords.
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
    /// Display name.
    pub name: Option<String>,
    /// When to use the skill.
    pub description: Option<String>,
    /// Keywords.
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
    #[serde(deserialize_with = "integer::read")]
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
    pub typescript: Option<TypeScript>,
    /// Rust.
    pub rust: Option<Rust>,
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

/// `spec.language.typescript`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TypeScript {
    /// Name of the npm package.
    pub package_name: String,
    /// Version of Node.js, for example `24`.
    pub node_version: String,
}

/// `spec.language.rust`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rust {
    /// Name of the package.
    pub package_name: String,
    /// Version of Rust, for example `1.95`.
    pub version: String,
}

/// `spec.development`: the fields that projects are generated from.
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

/// A block of which only `enabled` is used.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Switch {
    /// Whether it is enabled.
    pub enabled: bool,
}
