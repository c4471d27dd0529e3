//! The project model: a manifest with every default filled in, independent of the target language.
//!
//! [`Project::resolve`] expects a manifest without errors and cannot fail. Targets read nothing but this model; what they
//! print is decided here or in them, never in a template.

mod features;
mod mcp;
pub mod providers;
mod variables;

use serde::Serialize;
use serde_json::{Number, Value};

pub use features::Feature;
pub use mcp::{Connection, Entry, McpClient, McpServer, Reference, Remote};
pub use variables::{Group, Kind, Variable, every_variable, variable_of_field};

pub use crate::manifest::GoVersion;
use crate::manifest::{self, Manifest, TargetLanguage, built_in_tool};
use crate::secrets::{Secrets, is_secret_name};

/// Everything that a target needs to know.
#[derive(Debug, Clone, Serialize)]
pub struct Project {
    /// `metadata.name`.
    pub name: String,
    /// `metadata.description`.
    pub description: String,
    /// `metadata.version`.
    pub version: String,
    /// Target language.
    pub language: Language,
    /// `spec.capabilities`.
    pub capabilities: Capabilities,
    /// The agent card's own fields.
    pub card: Card,
    /// Where the agent listens.
    pub server: Server,
    /// The language model; `None`: the user's handler answers.
    pub model: Option<Model>,
    /// The MCP client; `None`: no trace of MCP in the output.
    pub mcp: Option<McpClient>,
    /// The agent's own tools that the user fills in, in manifest order.
    pub tools: Vec<Tool>,
    /// Words that keep their capitals in names.
    pub acronyms: Vec<String>,
    /// Whether `docker-compose.yaml` and `.env.example` are written.
    pub docker_compose: bool,
    /// Every environment variable of the agent.
    pub variables: Vec<Variable>,
    /// The user's commands to run in the project's folder after generation, as the manifest has them.
    pub hooks: Vec<String>,
}

/// Target language and what it needs to know.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "lowercase", tag = "name")]
pub enum Language {
    /// Go.
    Go {
        /// Module path.
        module: String,
        /// Language version as the manifest has it.
        version: GoVersion,
    },
    /// TypeScript.
    TypeScript {
        /// Name of the npm package.
        package: String,
        /// Version of Node.js as the manifest has it.
        node: String,
    },
    /// Rust, which has no templates yet.
    Rust,
}

/// `spec.capabilities`.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Capabilities {
    /// Streaming methods are served.
    pub streaming: bool,
    /// Push notifications are sent.
    pub push_notifications: bool,
    /// Announced on a card of protocol 0.3.
    pub state_transition_history: bool,
}

/// Which A2A protocol versions the agent serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// 0.3 and 1.0 on one port.
    Both,
    /// 1.0 alone.
    One,
}

/// `spec.card`.
#[derive(Debug, Clone, Serialize)]
pub struct Card {
    /// Protocols served.
    pub protocol: Protocol,
    /// Protocol version that the card names, for example `0.3.0`.
    pub protocol_version: String,
    /// Public base address, where the manifest has one.
    pub url: Option<String>,
    /// Media types or modes taken, default `text`.
    pub input_modes: Vec<String>,
    /// Media types or modes given, default `text`.
    pub output_modes: Vec<String>,
    /// Page about the agent.
    pub documentation_url: Option<String>,
    /// Picture.
    pub icon_url: Option<String>,
    /// Security schemes, in manifest order.
    pub security_schemes: Vec<SecurityScheme>,
    /// Requirements: one entry suffices, all schemes of an entry are needed.
    pub security: Vec<Vec<SecurityRequirement>>,
    /// What the agent can do, for other agents: the manifest's skills that carry a name and a description.
    pub skills: Vec<Skill>,
}

/// One security scheme of the card.
#[derive(Debug, Clone, Serialize)]
pub struct SecurityScheme {
    /// Its name.
    pub name: String,
    /// Text for people.
    pub description: Option<String>,
    /// How a caller proves who it is.
    #[serde(flatten)]
    pub kind: SecurityKind,
}

/// How a caller proves who it is.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum SecurityKind {
    /// A key in a header, cookie or query parameter.
    ApiKey {
        /// Name of the header, cookie or parameter.
        parameter: String,
        /// `header`, `cookie` or `query`.
        location: String,
    },
    /// HTTP authentication.
    Http {
        /// `bearer`, `basic`, ...
        scheme: String,
        /// Format of the bearer token.
        bearer_format: Option<String>,
    },
    /// A client certificate.
    MutualTls,
}

/// A scheme that a requirement names.
#[derive(Debug, Clone, Serialize)]
pub struct SecurityRequirement {
    /// Name of the scheme.
    pub scheme: String,
    /// Scopes.
    pub scopes: Vec<String>,
}

/// A skill on the card.
#[derive(Debug, Clone, Serialize)]
pub struct Skill {
    /// Identifier.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Free words.
    pub tags: Vec<String>,
}

/// `spec.server`.
#[derive(Debug, Clone, Serialize)]
pub struct Server {
    /// TCP port.
    pub port: u16,
    /// `http` or `https`.
    pub scheme: String,
    /// Debug logs.
    pub debug: bool,
}

/// `spec.agent` without its MCP part.
#[derive(Debug, Clone, Serialize)]
pub struct Model {
    /// Provider; empty: none named.
    pub provider: String,
    /// Model; empty: the environment names it.
    pub model: String,
    /// Instructions.
    pub system_prompt: String,
    /// Upper limit of generated tokens; `None`: the provider's.
    pub max_tokens: Option<u64>,
    /// Sampling temperature; `None`: the provider's.
    pub temperature: Option<Number>,
}

/// One of the agent's own tools.
#[derive(Debug, Clone, Serialize)]
pub struct Tool {
    /// Identifier, a legal identifier in most languages.
    pub id: String,
    /// The name that the model sees.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Free words.
    pub tags: Vec<String>,
    /// JSON Schema of its arguments, as the manifest has it.
    pub schema: Value,
}

/// What a model is told when the manifest says nothing.
const DEFAULT_SYSTEM_PROMPT: &str = "You are a helpful assistant.";

impl Project {
    /// What no output may show of the agent's environment: the values of what the manifest refers to, of headers, and of names
    /// that say so.
    pub fn secrets(&self) -> Secrets {
        let is_secret = |variable: &&Variable| {
            (variable.group == Group::Reference && !variable.is_of_process())
                || variable.kind == Kind::Pairs
                || is_secret_name(&variable.name)
        };
        let (secret, harmless) = self.variables.iter().partition::<Vec<_>, _>(is_secret);
        let names = |variables: Vec<&Variable>| variables.into_iter().map(|variable| variable.name.clone()).collect();
        Secrets::new(names(secret), names(harmless))
    }

    /// Fills in every default of a manifest that has passed all checks.
    pub fn resolve(manifest: &Manifest) -> Self {
        let spec = &manifest.spec;
        let agent = spec.agent.as_ref();
        let language = Language::resolve(&spec.language);
        let mut project = Self {
            name: manifest.metadata.name.clone(),
            description: manifest.metadata.description.clone(),
            version: manifest.metadata.version.clone(),
            language: language.clone(),
            capabilities: Capabilities {
                streaming: spec.capabilities.streaming,
                push_notifications: spec.capabilities.push_notifications,
                state_transition_history: spec.capabilities.state_transition_history,
            },
            card: Card::resolve(spec),
            server: Server {
                port: spec.server.port,
                scheme: spec.server.scheme.clone().unwrap_or_else(|| "http".to_owned()),
                debug: spec.server.debug.unwrap_or(false),
            },
            model: agent.map(Model::resolve),
            mcp: agent
                .and_then(|agent| agent.mcp.as_ref())
                .filter(|mcp| mcp.enabled)
                .and_then(|mcp| McpClient::resolve(mcp, language.target())),
            tools: spec.tools.iter().filter_map(Tool::resolve).collect(),
            acronyms: spec.acronyms.clone(),
            docker_compose: spec.development.sandbox.docker_compose.is_some_and(|switch| switch.enabled),
            variables: Vec::new(),
            hooks: spec.hooks.post.clone(),
        };
        project.variables = variables::table(&project);
        project
    }
}

impl Language {
    fn resolve(language: &manifest::Language) -> Self {
        match (&language.go, &language.typescript) {
            (Some(go), _) => {
                Self::Go { module: go.module.clone(), version: go.version.parse().unwrap_or(GoVersion::OLDEST) }
            }
            (None, Some(typescript)) => {
                Self::TypeScript { package: typescript.package_name.clone(), node: typescript.node_version.clone() }
            }
            (None, None) => Self::Rust,
        }
    }

    /// Which language it is.
    pub fn target(&self) -> TargetLanguage {
        match self {
            Self::Go { .. } => TargetLanguage::Go,
            Self::TypeScript { .. } => TargetLanguage::TypeScript,
            Self::Rust => TargetLanguage::Rust,
        }
    }
}

impl Card {
    fn resolve(spec: &manifest::Spec) -> Self {
        let card = &spec.card;
        let protocol_version = card.protocol_version.clone().unwrap_or_else(|| "0.3.0".to_owned());
        let modes = |modes: &Option<Vec<String>>| modes.clone().unwrap_or_else(|| vec!["text".to_owned()]);
        Self {
            protocol: if protocol_version.starts_with("1.") { Protocol::One } else { Protocol::Both },
            protocol_version,
            url: card.url.clone().filter(|url| !url.is_empty()),
            input_modes: modes(&card.default_input_modes),
            output_modes: modes(&card.default_output_modes),
            documentation_url: card.documentation_url.clone(),
            icon_url: card.icon_url.clone(),
            security_schemes: card
                .security_schemes
                .iter()
                .map(|(name, scheme)| SecurityScheme::resolve(name, scheme))
                .collect(),
            security: card.security.iter().map(SecurityRequirement::resolve_all).collect(),
            skills: spec.skills.iter().filter_map(Skill::resolve).collect(),
        }
    }
}

impl SecurityScheme {
    fn resolve(name: &str, scheme: &manifest::SecurityScheme) -> Self {
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        let kind = match scheme.r#type.as_str() {
            "apiKey" => SecurityKind::ApiKey { parameter: text(&scheme.name), location: text(&scheme.r#in) },
            "http" => SecurityKind::Http { scheme: text(&scheme.scheme), bearer_format: scheme.bearer_format.clone() },
            _ => SecurityKind::MutualTls,
        };
        Self { name: name.to_owned(), description: scheme.description.clone(), kind }
    }
}

impl SecurityRequirement {
    fn resolve_all(entry: &indexmap::IndexMap<String, Vec<String>>) -> Vec<Self> {
        entry.iter().map(|(scheme, scopes)| Self { scheme: scheme.clone(), scopes: scopes.clone() }).collect()
    }
}

impl Skill {
    fn resolve(skill: &manifest::Skill) -> Option<Self> {
        let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        Some(Self {
            id: skill.id.clone(),
            name: filled(&skill.name)?,
            description: filled(&skill.description)?,
            tags: skill.tags.clone(),
        })
    }
}

impl Model {
    fn resolve(agent: &manifest::Agent) -> Self {
        Self {
            provider: agent.provider.clone().unwrap_or_default(),
            model: agent.model.clone().unwrap_or_default(),
            system_prompt: agent.system_prompt.clone().unwrap_or_else(|| DEFAULT_SYSTEM_PROMPT.to_owned()),
            max_tokens: agent.max_tokens,
            temperature: agent.temperature.clone(),
        }
    }
}

impl Tool {
    fn resolve(tool: &manifest::Tool) -> Option<Self> {
        if built_in_tool(&tool.id).is_some() {
            return None;
        }
        Some(Self {
            id: tool.id.clone(),
            name: tool.name.clone().unwrap_or_else(|| tool.id.clone()),
            description: tool.description.clone().unwrap_or_default(),
            tags: tool.tags.clone(),
            schema: tool.schema.clone().unwrap_or_else(|| serde_json::json!({"type": "object"})),
        })
    }
}
