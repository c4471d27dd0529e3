//! The project model: a manifest with all defaults, independent of the target language.
//!
//! [`Project::resolve`] requires a manifest without errors and cannot fail. Targets only read this model. Decisions are
//! made here or in the targets, never in a template.

mod features;
mod mcp;
pub mod providers;
mod variables;

use serde::Serialize;
use serde_json::{Number, Value};

pub use features::Feature;
pub use mcp::{Connection, Entry, McpClient, McpServer, Reference, Remote};
pub use variables::{Group, Kind, Variable, every_variable, variable_of_field};

use crate::manifest::{self, Manifest, TargetLanguage, built_in_tool};
pub use crate::manifest::{GoVersion, OLDEST_NODE, OLDEST_RUST};
use crate::secrets::{Secrets, is_secret_name};

/// The resolved manifest, from which a target generates a project.
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
    /// The fields of the agent card.
    pub card: Card,
    /// The HTTP server.
    pub server: Server,
    /// The language model; `None` if the user's handler answers.
    pub model: Option<Model>,
    /// The MCP client; `None` if the project does not use MCP.
    pub mcp: Option<McpClient>,
    /// The agent's own tools, which the user implements, in manifest order.
    pub tools: Vec<Tool>,
    /// Words that are written in capitals in names.
    pub acronyms: Vec<String>,
    /// Whether `docker-compose.yaml` and `.env.example` are generated.
    pub docker_compose: bool,
    /// All environment variables of the agent.
    pub variables: Vec<Variable>,
    /// Commands to run in the project folder after generation, as written in the manifest.
    pub hooks: Vec<String>,
}

/// The target language and its settings.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "lowercase", tag = "name")]
pub enum Language {
    /// Go.
    Go {
        /// Module path.
        module: String,
        /// Language version, as written in the manifest.
        version: GoVersion,
    },
    /// TypeScript.
    TypeScript {
        /// Name of the npm package.
        package: String,
        /// Node.js version, as written in the manifest.
        node: String,
    },
    /// Rust.
    Rust {
        /// Name of the package.
        package: String,
        /// Rust version, as written in the manifest.
        version: String,
    },
}

/// `spec.capabilities`.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Capabilities {
    /// Streaming methods are served.
    pub streaming: bool,
    /// Push notifications are sent.
    pub push_notifications: bool,
    /// Whether a 0.3 card announces it.
    pub state_transition_history: bool,
}

/// The A2A protocol versions that the agent serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// 0.3 and 1.0 on one port.
    Both,
    /// Only 1.0.
    One,
}

/// `spec.card`.
#[derive(Debug, Clone, Serialize)]
pub struct Card {
    /// The protocol versions that the agent serves.
    pub protocol: Protocol,
    /// The protocol version on the card, for example `0.3.0`.
    pub protocol_version: String,
    /// The public base URL, if the manifest sets it.
    pub url: Option<String>,
    /// Accepted media types or modes, default `text`.
    pub input_modes: Vec<String>,
    /// Produced media types or modes, default `text`.
    pub output_modes: Vec<String>,
    /// Documentation URL.
    pub documentation_url: Option<String>,
    /// Icon URL.
    pub icon_url: Option<String>,
    /// Security schemes, in manifest order.
    pub security_schemes: Vec<SecurityScheme>,
    /// Security requirements. All schemes of an entry are required; entries are alternatives.
    pub security: Vec<Vec<SecurityRequirement>>,
    /// The skills of the manifest that have a name and a description.
    pub skills: Vec<Skill>,
}

/// A security scheme of the card.
#[derive(Debug, Clone, Serialize)]
pub struct SecurityScheme {
    /// The name.
    pub name: String,
    /// The description.
    pub description: Option<String>,
    /// The authentication method.
    #[serde(flatten)]
    pub kind: SecurityKind,
}

/// An authentication method.
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

/// A scheme in a security requirement.
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
    /// Display name.
    pub name: String,
    /// Description.
    pub description: String,
    /// Keywords.
    pub tags: Vec<String>,
}

/// `spec.server`.
#[derive(Debug, Clone, Serialize)]
pub struct Server {
    /// TCP port.
    pub port: u16,
    /// `http` or `https`.
    pub scheme: String,
    /// Whether debug logs are enabled.
    pub debug: bool,
}

/// `spec.agent` without `mcp`.
#[derive(Debug, Clone, Serialize)]
pub struct Model {
    /// The provider; empty if none is set.
    pub provider: String,
    /// The model; empty if it must be set in the environment.
    pub model: String,
    /// The system prompt.
    pub system_prompt: String,
    /// The maximum number of generated tokens; `None` for the provider's default.
    pub max_tokens: Option<u64>,
    /// The sampling temperature; `None` for the provider's default.
    pub temperature: Option<Number>,
}

/// One of the agent's own tools.
#[derive(Debug, Clone, Serialize)]
pub struct Tool {
    /// The identifier, which is a valid identifier in most languages.
    pub id: String,
    /// The name that the model sees.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// Keywords.
    pub tags: Vec<String>,
    /// JSON Schema of the arguments, as written in the manifest.
    pub schema: Value,
}

/// The default system prompt.
const DEFAULT_SYSTEM_PROMPT: &str = "You are a helpful assistant.";

impl Project {
    /// The variables whose values no output may show: those that the manifest refers to, headers, and variables whose
    /// name indicates a secret.
    pub fn secrets(&self) -> Secrets {
        let is_secret = |variable: &&Variable| {
            (variable.group == Group::Reference && !variable.is_of_process())
                || variable.kind == Kind::Pairs
                || is_secret_name(&variable.name)
        };
        let (secret, other) = self.variables.iter().partition::<Vec<_>, _>(is_secret);
        let names = |variables: Vec<&Variable>| variables.into_iter().map(|variable| variable.name.clone()).collect();
        Secrets::new(names(secret), names(other))
    }

    /// Resolves a manifest that has passed all checks: fills in all defaults.
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
        match (&language.go, &language.typescript, &language.rust) {
            (Some(go), _, _) => {
                Self::Go { module: go.module.clone(), version: go.version.parse().unwrap_or(GoVersion::OLDEST) }
            }
            (None, Some(typescript), _) => {
                Self::TypeScript { package: typescript.package_name.clone(), node: typescript.node_version.clone() }
            }
            (None, None, rust) => {
                let (package, version) = rust.as_ref().map(|rust| (&rust.package_name, &rust.version)).unzip();
                Self::Rust {
                    package: package.cloned().unwrap_or_default(),
                    version: version.cloned().unwrap_or_default(),
                }
            }
        }
    }

    /// The target language without its settings.
    pub fn target(&self) -> TargetLanguage {
        match self {
            Self::Go { .. } => TargetLanguage::Go,
            Self::TypeScript { .. } => TargetLanguage::TypeScript,
            Self::Rust { .. } => TargetLanguage::Rust,
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
