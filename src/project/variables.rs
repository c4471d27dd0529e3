//! The table of environment variables: all run-time settings of a generated agent.
//!
//! The agent's configuration, its README, `CONFIGURATIONS.md`, `.env.example` and compose file are generated from this
//! table, so they always agree.

use std::sync::LazyLock;

use serde::Serialize;

use super::{McpClient, Model, Project};
use crate::manifest::duration;

/// The type of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `true` or `false`.
    Boolean,
    /// An integer.
    Integer,
    /// An integer, or empty.
    OptionalInteger,
    /// A decimal number, or empty.
    OptionalNumber,
    /// A Go duration, such as `1h30m`.
    Duration,
    /// A string.
    Text,
    /// A comma-separated list of strings.
    List,
    /// Comma-separated `Name=value` pairs.
    Pairs,
}

impl Kind {
    /// The name of the type in documentation.
    pub fn title(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::OptionalInteger => "integer or empty",
            Self::OptionalNumber => "number or empty",
            Self::Duration => "duration",
            Self::Text => "string",
            Self::List => "comma-separated list",
            Self::Pairs => "comma-separated `Name=value` pairs",
        }
    }
}

/// The section of a variable in the documentation and in the configuration code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// The HTTP server.
    Server,
    /// Capabilities on the agent card.
    Capabilities,
    /// The language model.
    Model,
    /// Retention of finished tasks.
    Tasks,
    /// The MCP client.
    Mcp,
    /// Variables that the manifest itself refers to, and the keys of model providers.
    Reference,
}

impl Group {
    /// The heading in the documentation.
    pub fn title(self) -> &'static str {
        match self {
            Self::Server => "Server",
            Self::Capabilities => "Capabilities",
            Self::Model => "Language model",
            Self::Tasks => "Tasks",
            Self::Mcp => "MCP servers",
            Self::Reference => "Values from the environment",
        }
    }
}

/// An environment variable of a generated agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Variable {
    /// The full name, including the prefix.
    pub name: String,
    /// The section.
    pub group: Group,
    /// The type.
    pub kind: Kind,
    /// The default. Values from the manifest are kept as written.
    pub default: String,
    /// The manifest field that sets the default, if any.
    pub field: Option<&'static str>,
    /// The description: one or two sentences of Markdown on one line, suitable for a table cell.
    pub text: String,
    /// Whether the agent requires a value to start.
    pub required: bool,
    /// Whether examples of the environment set it: the manifest sets its value, or it is an MCP setting.
    pub is_stated: bool,
}

impl Variable {
    #[expect(clippy::needless_pass_by_value, reason = "defaults are numbers, booleans or strings")]
    fn new(name: &str, group: Group, kind: Kind, default: impl ToString, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            group,
            kind,
            default: default.to_string(),
            field: None,
            text: text.to_owned(),
            required: false,
            is_stated: false,
        }
    }

    /// The default of a duration in nanoseconds; `None` for other kinds.
    pub fn nanoseconds(&self) -> Option<i64> {
        (self.kind == Kind::Duration).then_some(())?;
        duration::parse(&self.default).ok().map(|duration| duration.0)
    }

    /// Whether every process already has it, so that no file may set it for the agent. For example, an empty `PATH`
    /// finds no program.
    pub fn is_of_process(&self) -> bool {
        self.group == Group::Reference && PROCESS_VARIABLES.contains(&self.name.as_str())
    }

    /// Whether the user should set it before the first start, because the agent requires it or probably needs it.
    pub fn is_to_be_set(&self) -> bool {
        (self.required || self.group == Group::Reference) && !self.is_of_process()
    }

    /// Whether it is a setting of the agent rather than a variable that the manifest refers to.
    pub fn is_setting(&self) -> bool {
        self.group != Group::Reference
    }

    fn field(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        self.is_stated = self.group == Group::Mcp || !self.default.is_empty();
        self
    }

    /// Overrides whether the manifest sets a value, for fields that always have one.
    fn stated_if(mut self, is_stated: bool) -> Self {
        self.is_stated = is_stated;
        self
    }

    fn required_if(mut self, required: bool) -> Self {
        self.required = required;
        self
    }
}

/// Variables that the system or a shell sets for processes.
const PROCESS_VARIABLES: [&str; 14] = [
    "HOME", "HOSTNAME", "LANG", "LC_ALL", "LOGNAME", "PATH", "PWD", "SHELL", "TEMP", "TERM", "TMP", "TMPDIR", "TZ",
    "USER",
];

/// The variable whose default is set by the manifest field `field` (`spec.agent.mcp.refreshInterval`), with the default
/// for manifests without this field.
pub fn variable_of_field(field: &str) -> Option<Variable> {
    every_variable().iter().find(|variable| variable.field == Some(field)).cloned()
}

/// All variables that some agent reads, except those that a manifest refers to, with the defaults for manifests that
/// set no field.
pub fn every_variable() -> &'static [Variable] {
    static EVERY: LazyLock<Vec<Variable>> = LazyLock::new(|| {
        serde_json::from_str(COMPLETE_MANIFEST)
            .map_or_else(|_| Vec::new(), |manifest| Project::resolve(&manifest).variables)
    });
    &EVERY
}

/// A manifest that enables every variable with a field.
const COMPLETE_MANIFEST: &str = r#"{
    "metadata": {"name": "", "description": "", "version": ""},
    "spec": {
        "capabilities": {"streaming": true, "pushNotifications": true, "stateTransitionHistory": true},
        "card": {"url": ""},
        "agent": {"mcp": {"enabled": true}},
        "server": {"port": 0},
        "language": {"go": {"module": "", "version": "1.25"}}
    }
}"#;

/// The variables of a project, in the order of the documentation.
pub(super) fn table(project: &Project) -> Vec<Variable> {
    let mut table = server(project);
    table.extend(capabilities(project));
    if let Some(model) = &project.model {
        table.extend(language_model(model));
    }
    table.extend(tasks());
    if let Some(mcp) = &project.mcp {
        table.extend(mcp_client(mcp));
    }
    for reference in references(project) {
        if table.iter().all(|known| known.name != reference.name) {
            table.push(reference);
        }
    }
    table
}

fn server(project: &Project) -> Vec<Variable> {
    use Group::Server;
    let url = Variable::new(
        "A2A_AGENT_URL",
        Server,
        Kind::Text,
        project.card.url.clone().unwrap_or_default(),
        "Base URL of the agent for its clients, which the agent card contains. Empty: `localhost` with the scheme and \
         the port in use.",
    );
    vec![
        Variable::new(
            "A2A_SERVER_HOST",
            Server,
            Kind::Text,
            "",
            "Address to listen on; empty: all addresses of the machine.",
        ),
        Variable::new(
            "A2A_SERVER_PORT",
            Server,
            Kind::Integer,
            project.server.port,
            "Port to listen on; 0: any free one.",
        )
        .field("spec.server.port"),
        url.field("spec.card.url"),
        Variable::new("A2A_DEBUG", Server, Kind::Boolean, project.server.debug, "Enables debug logs.")
            .field("spec.server.debug")
            .stated_if(project.server.debug),
        Variable::new(
            "A2A_SERVER_READ_TIMEOUT",
            Server,
            Kind::Duration,
            "120s",
            "Maximum duration of reading a request.",
        ),
        Variable::new(
            "A2A_SERVER_IDLE_TIMEOUT",
            Server,
            Kind::Duration,
            "120s",
            "Time after which an unused connection is closed.",
        ),
        Variable::new(
            "A2A_SERVER_SHUTDOWN_TIMEOUT",
            Server,
            Kind::Duration,
            "10s",
            "Time for running requests to finish after SIGTERM or SIGINT.",
        ),
        Variable::new(
            "A2A_SERVER_MAX_BODY_BYTES",
            Server,
            Kind::Integer,
            "4194304",
            "Largest request that is accepted, in bytes.",
        ),
        Variable::new(
            "A2A_SERVER_DISABLE_HEALTHCHECK_LOG",
            Server,
            Kind::Boolean,
            "true",
            "Does not log requests to `/health`.",
        ),
        Variable::new(
            "A2A_SERVER_TLS_ENABLED",
            Server,
            Kind::Boolean,
            "false",
            "Serves HTTPS with the certificate and key of the next two variables.",
        ),
        Variable::new("A2A_SERVER_TLS_CERT_PATH", Server, Kind::Text, "", "PEM file with the certificate chain."),
        Variable::new("A2A_SERVER_TLS_KEY_PATH", Server, Kind::Text, "", "PEM file with the certificate's key."),
    ]
}

/// Agents without push notifications or state history have no variables for them.
fn capabilities(project: &Project) -> Vec<Variable> {
    use Group::Capabilities;
    let announced = project.capabilities;
    let mut table = vec![
        Variable::new(
            "A2A_CAPABILITIES_STREAMING",
            Capabilities,
            Kind::Boolean,
            announced.streaming,
            "Serves the streaming methods.",
        )
        .field("spec.capabilities.streaming"),
    ];
    if announced.push_notifications {
        let text = "Sends task updates to the URLs that clients register.";
        let variable = Variable::new("A2A_CAPABILITIES_PUSH_NOTIFICATIONS", Capabilities, Kind::Boolean, true, text);
        table.push(variable.field("spec.capabilities.pushNotifications"));
    }
    if announced.state_transition_history {
        let text = "Keeps every state of a task in its metadata; announced on the agent card of protocol 0.3.";
        let variable =
            Variable::new("A2A_CAPABILITIES_STATE_TRANSITION_HISTORY", Capabilities, Kind::Boolean, true, text);
        table.push(variable.field("spec.capabilities.stateTransitionHistory"));
    }
    table
}

fn language_model(model: &Model) -> Vec<Variable> {
    use Group::Model;
    let optional = |value: Option<String>| value.unwrap_or_default();
    vec![
        Variable::new(
            "A2A_AGENT_CLIENT_PROVIDER",
            Model,
            Kind::Text,
            &model.provider,
            "Model provider: determines the URL and the key variable if these are not set.",
        )
        .field("spec.agent.provider"),
        Variable::new("A2A_AGENT_CLIENT_MODEL", Model, Kind::Text, &model.model, "Model that answers.")
            .field("spec.agent.model")
            .required_if(model.model.is_empty()),
        Variable::new(
            "A2A_AGENT_CLIENT_BASE_URL",
            Model,
            Kind::Text,
            "",
            "URL of an OpenAI-compatible API; empty: the provider's own.",
        )
        .required_if(!super::providers::has_address(&model.provider)),
        Variable::new(
            "A2A_AGENT_CLIENT_API_KEY",
            Model,
            Kind::Text,
            "",
            "Key for the model's API; empty: the provider's own variable.",
        ),
        Variable::new(
            "A2A_AGENT_CLIENT_SYSTEM_PROMPT",
            Model,
            Kind::Text,
            &model.system_prompt,
            "System prompt: instructions that come first in every conversation.",
        )
        .field("spec.agent.systemPrompt")
        .stated_if(model.system_prompt != super::DEFAULT_SYSTEM_PROMPT),
        Variable::new(
            "A2A_AGENT_CLIENT_MAX_TOKENS",
            Model,
            Kind::OptionalInteger,
            optional(model.max_tokens.map(|tokens| tokens.to_string())),
            "Maximum number of tokens of one answer; empty: the provider's own limit.",
        )
        .field("spec.agent.maxTokens"),
        Variable::new(
            "A2A_AGENT_CLIENT_TEMPERATURE",
            Model,
            Kind::OptionalNumber,
            optional(model.temperature.as_ref().map(ToString::to_string)),
            "Sampling temperature, 0 to 2; empty: the provider's own.",
        )
        .field("spec.agent.temperature"),
        Variable::new(
            "A2A_AGENT_CLIENT_TIMEOUT",
            Model,
            Kind::Duration,
            "30s",
            "Longest wait for the model to begin or continue its answer.",
        ),
        Variable::new(
            "A2A_AGENT_CLIENT_MAX_RETRIES",
            Model,
            Kind::Integer,
            "3",
            "Number of retries of a failed request to the model; one that timed out is not retried.",
        ),
        Variable::new(
            "A2A_AGENT_CLIENT_MAX_CHAT_COMPLETION_ITERATIONS",
            Model,
            Kind::Integer,
            "50",
            "Maximum number of requests to the model for one message.",
        ),
        Variable::new(
            "A2A_AGENT_CLIENT_MAX_CONVERSATION_HISTORY",
            Model,
            Kind::Integer,
            "20",
            "Maximum number of earlier messages of a conversation that are sent to the model.",
        ),
        Variable::new(
            "A2A_AGENT_CLIENT_MAX_CONVERSATION_BYTES",
            Model,
            Kind::Integer,
            "67108864",
            "Memory for all conversations, in bytes; the least recently used are forgotten first.",
        ),
    ]
}

fn tasks() -> Vec<Variable> {
    vec![
        Variable::new(
            "A2A_TASK_RETENTION_MAX_COMPLETED_TASKS",
            Group::Tasks,
            Kind::Integer,
            "100",
            "Maximum number of completed or canceled tasks that are kept for `tasks/get`.",
        ),
        Variable::new(
            "A2A_TASK_RETENTION_MAX_FAILED_TASKS",
            Group::Tasks,
            Kind::Integer,
            "50",
            "Maximum number of failed or rejected tasks that are kept for `tasks/get`.",
        ),
        Variable::new(
            "A2A_TASK_RETENTION_MAX_BYTES",
            Group::Tasks,
            Kind::Integer,
            "67108864",
            "Memory for all ended tasks, in bytes; the oldest are dropped first.",
        ),
        Variable::new(
            "A2A_TASK_RETENTION_MAX_WAITING_BYTES",
            Group::Tasks,
            Kind::Integer,
            "67108864",
            "Memory for all tasks that wait for input, in bytes; the oldest are dropped first.",
        ),
    ]
}

fn mcp_client(mcp: &McpClient) -> Vec<Variable> {
    use Group::Mcp;
    let servers = mcp.addresses();
    vec![
        Variable::new("A2A_MCP_ENABLED", Mcp, Kind::Boolean, "true", "Connects to MCP servers.")
            .field("spec.agent.mcp.enabled"),
        Variable::new("A2A_MCP_SERVERS", Mcp, Kind::List, &servers, "URLs of the MCP servers, without the endpoint.")
            .field("spec.agent.mcp.servers")
            .required_if(mcp.servers.is_empty()),
        Variable::new(
            "A2A_MCP_ENDPOINT",
            Mcp,
            Kind::Text,
            &mcp.endpoint,
            "Path that is appended to each server's URL; may be empty.",
        )
        .field("spec.agent.mcp.endpoint"),
        Variable::new(
            "A2A_MCP_REFRESH_INTERVAL",
            Mcp,
            Kind::Duration,
            &mcp.refresh_interval,
            "Interval at which the tools of the servers are listed again.",
        )
        .field("spec.agent.mcp.refreshInterval"),
        Variable::new(
            "A2A_MCP_DIAL_TIMEOUT",
            Mcp,
            Kind::Duration,
            &mcp.dial_timeout,
            "Maximum duration of one attempt to connect to a server.",
        )
        .field("spec.agent.mcp.dialTimeout"),
        Variable::new(
            "A2A_MCP_CALL_TIMEOUT",
            Mcp,
            Kind::Duration,
            &mcp.call_timeout,
            "Maximum duration of one tool call.",
        )
        .field("spec.agent.mcp.callTimeout"),
        Variable::new(
            "A2A_MCP_MAX_RETRIES",
            Mcp,
            Kind::Integer,
            mcp.max_retries,
            "Number of failed retries in a row after which a server is given up; 0: never.",
        )
        .field("spec.agent.mcp.maxRetries"),
        Variable::new(
            "A2A_MCP_RETRY_INTERVAL",
            Mcp,
            Kind::Duration,
            &mcp.retry_interval,
            "Pause before the first retry; it doubles with each retry.",
        )
        .field("spec.agent.mcp.retryInterval"),
        Variable::new(
            "A2A_MCP_RETRY_MAX_INTERVAL",
            Mcp,
            Kind::Duration,
            &mcp.retry_max_interval,
            "Longest pause between two retries.",
        )
        .field("spec.agent.mcp.retryMaxInterval"),
        Variable::new(
            "A2A_MCP_HEADERS",
            Mcp,
            Kind::Pairs,
            "",
            "Headers for servers that only `A2A_MCP_SERVERS` names; `${VAR}` is replaced from the environment.",
        ),
        Variable::new(
            "A2A_MCP_DIRECT_TOOLS",
            Mcp,
            Kind::Integer,
            "40",
            "With more MCP tools than this, only `mcp_list_tools` and `mcp_call_tool` are offered to the model.",
        ),
    ]
}

/// The variables that the manifest refers to, including those of other sections. The first of several with the same
/// name is used.
fn references(project: &Project) -> Vec<Variable> {
    let mut table = Vec::new();
    if let Some(key) = project.model.as_ref().and_then(|model| super::providers::key_variable(&model.provider)) {
        table.push(Variable::new(
            key,
            Group::Reference,
            Kind::Text,
            "",
            "Key for the model provider's API, unless `A2A_AGENT_CLIENT_API_KEY` is set.",
        ));
    }
    for reference in project.mcp.iter().flat_map(|mcp| &mcp.references) {
        let text = format!("Read by `{}` of MCP server `{}`.", plain(&reference.field), plain(&reference.server));
        table.push(Variable::new(&reference.name, Group::Reference, Kind::Text, "", &text).required_if(true));
    }
    table
}

/// A manifest name that is safe in comments and table cells: other characters are replaced by `?`.
fn plain(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.[]".contains(letter);
    name.chars().map(|letter| if is_plain(letter) { letter } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_unique() {
        let mut manifest: serde_json::Value = serde_json::from_str(COMPLETE_MANIFEST).unwrap();
        manifest["spec"]["agent"]["mcp"]["servers"] = serde_json::json!([
            {"name": "a", "transport": "http", "url": "http://a", "headers": {"X-Port": "${A2A_SERVER_PORT}", "X": "${PATH}"}},
            {"name": "b", "transport": "http", "url": "http://b/${TOKEN}", "headers": {"X-Token": "${TOKEN}"}},
        ]);
        let table = Project::resolve(&serde_json::from_value(manifest).unwrap()).variables;
        let named = |name: &str| table.iter().filter(|variable| variable.name == name).collect::<Vec<_>>();
        assert!(matches!(named("A2A_SERVER_PORT").as_slice(), [port] if port.group == Group::Server));
        assert!(matches!(named("TOKEN").as_slice(), [token] if !token.is_of_process()));
        assert!(matches!(named("PATH").as_slice(), [path] if path.is_of_process()));
    }
}
