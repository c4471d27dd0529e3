//! The MCP client of a project: the enabled servers and settings.

use indexmap::IndexMap;
use serde::Serialize;

use crate::{
    manifest::{self, TargetLanguage, duration},
    mcp::{self, Transport, defaults},
    secrets,
};

/// The settings of the generated MCP client. Durations are Go durations as written in the manifest.
#[derive(Debug, Clone, Serialize)]
pub struct McpClient {
    /// The enabled transports: `http`, `sse`, `stdio`.
    pub transports: Vec<String>,
    /// The enabled servers, in manifest order, without literal credentials.
    pub servers: Vec<McpServer>,
    /// The path that is appended to each server URL, as written.
    pub endpoint: String,
    /// The interval between requests for the list of tools.
    pub refresh_interval: String,
    /// The timeout of connecting to a server.
    pub dial_timeout: String,
    /// The timeout of a tool call.
    pub call_timeout: String,
    /// The number of consecutive failures after which the agent stops retrying; 0 means unlimited.
    pub max_retries: u64,
    /// The interval before the first retry.
    pub retry_interval: String,
    /// The maximum interval between retries.
    pub retry_max_interval: String,
    /// Whether the manifest sets the maximum interval. If not, it is increased to the first interval if necessary.
    pub retry_max_interval_written: bool,
    /// The variables that the enabled servers refer to, with the location of each reference.
    pub references: Vec<Reference>,
}

/// An enabled MCP server.
#[derive(Debug, Clone, Serialize)]
pub struct McpServer {
    /// Unique name.
    pub name: String,
    /// The connection to the server.
    #[serde(flatten)]
    pub connection: Connection,
}

/// The connection to a server. Every string may contain `${VAR}`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "lowercase", tag = "transport")]
pub enum Connection {
    /// Streamable HTTP.
    Http(Remote),
    /// Server-sent events.
    Sse(Remote),
    /// A process that the agent starts.
    Stdio {
        /// The program.
        command: String,
        /// The arguments.
        args: Vec<String>,
        /// The environment variables of the process.
        env: Vec<Entry>,
    },
}

/// A server with a URL.
#[derive(Debug, Clone, Serialize)]
pub struct Remote {
    /// The URL, without the endpoint.
    pub url: String,
    /// The headers, in manifest order.
    pub headers: Vec<Entry>,
}

/// A header or an environment variable.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// A reference to an environment variable, which the agent resolves when it starts.
#[derive(Debug, Clone, Serialize)]
pub struct Reference {
    /// The variable.
    pub name: String,
    /// The server.
    pub server: String,
    /// The field that contains the reference, such as `headers.Authorization`.
    pub field: String,
}

impl McpClient {
    /// The client for an enabled MCP block. Returns `None` if the language has no client by default.
    pub(super) fn resolve(block: &manifest::Mcp, language: TargetLanguage) -> Option<Self> {
        let listed = block.transports.as_ref().map(|words| words.iter().map(String::as_str));
        let transports = language.wired_transports(listed)?;
        let mut references = Vec::new();
        let mut servers = Vec::new();
        let protected = secrets::protect(&block.servers).servers.into_iter();
        for server in protected.filter(|server| mcp::is_wired(server, &transports)) {
            let used = mcp::variables(&server);
            let Some(server) = McpServer::resolve(server) else { continue };
            references.extend(used.into_iter().map(Reference::from).filter(|used| server.has_field(&used.field)));
            servers.push(server);
        }
        let or = |value: &Option<String>, default: &str| value.clone().unwrap_or_else(|| default.to_owned());
        let retry_interval = or(&block.retry_interval, defaults::RETRY_INTERVAL);
        let retry_max_interval = match &block.retry_max_interval {
            Some(written) => written.clone(),
            None if is_longer(&retry_interval, defaults::RETRY_MAX_INTERVAL) => retry_interval.clone(),
            None => defaults::RETRY_MAX_INTERVAL.to_owned(),
        };
        Some(Self {
            transports: transports.iter().map(Transport::to_string).collect(),
            servers,
            references,
            endpoint: or(&block.endpoint, defaults::ENDPOINT),
            refresh_interval: or(&block.refresh_interval, defaults::REFRESH_INTERVAL),
            dial_timeout: or(&block.dial_timeout, defaults::DIAL_TIMEOUT),
            call_timeout: or(&block.call_timeout, defaults::CALL_TIMEOUT),
            max_retries: block.max_retries.unwrap_or(defaults::MAX_RETRIES),
            retry_interval,
            retry_max_interval,
            retry_max_interval_written: block.retry_max_interval.is_some(),
        })
    }

    /// The programs that the agent starts.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.servers.iter().filter_map(|server| match &server.connection {
            Connection::Stdio { command, .. } => Some(command.as_str()),
            Connection::Http(_) | Connection::Sse(_) => None,
        })
    }

    /// The URLs of the remote servers, comma-separated, in manifest order.
    pub fn addresses(&self) -> String {
        self.servers.iter().filter_map(McpServer::url).collect::<Vec<_>>().join(",")
    }
}

impl McpServer {
    /// Resolves a server definition. Returns `None` if its transport is unknown.
    fn resolve(server: mcp::ServerDefinition) -> Option<Self> {
        let connection = match Transport::from_word(&server.transport)? {
            Transport::Http => Connection::Http(Remote::resolve(server.url, server.headers)),
            Transport::Sse => Connection::Sse(Remote::resolve(server.url, server.headers)),
            Transport::Stdio => {
                Connection::Stdio { command: trimmed(server.command), args: server.args, env: entries(server.env) }
            }
        };
        Some(Self { name: server.name, connection })
    }

    /// Whether the transport uses a field. Other fields have no effect.
    fn has_field(&self, field: &str) -> bool {
        let is_remote = self.url().is_some();
        (field.starts_with("url") || field.starts_with("headers")) == is_remote
    }

    /// The URL of a remote server.
    pub fn url(&self) -> Option<&str> {
        match &self.connection {
            Connection::Http(remote) | Connection::Sse(remote) => Some(&remote.url),
            Connection::Stdio { .. } => None,
        }
    }
}

impl Remote {
    fn resolve(url: Option<String>, headers: IndexMap<String, String>) -> Self {
        Self { url: trimmed(url), headers: entries(headers) }
    }
}

fn is_longer(one: &str, other: &str) -> bool {
    duration::parse(one).ok() > duration::parse(other).ok()
}

/// A string without surrounding spaces.
fn trimmed(text: Option<String>) -> String {
    text.map(|text| text.trim().to_owned()).unwrap_or_default()
}

fn entries(map: IndexMap<String, String>) -> Vec<Entry> {
    map.into_iter().map(|(name, value)| Entry { name, value }).collect()
}

impl From<mcp::VariableUse> for Reference {
    fn from(used: mcp::VariableUse) -> Self {
        Self { name: used.variable, server: used.server, field: used.field }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn client(block: Value) -> McpClient {
        McpClient::resolve(&serde_json::from_value(block).unwrap(), TargetLanguage::Go).unwrap()
    }

    #[test]
    fn keeps_settings_and_fills_in_defaults() {
        let client = client(json!({"enabled": true, "endpoint": "", "maxRetries": 0, "callTimeout": "1h30m"}));
        assert_eq!(client.endpoint, "");
        assert_eq!(client.call_timeout, "1h30m");
        assert_eq!(client.dial_timeout, "30s");
        assert_eq!((client.retry_max_interval.as_str(), client.retry_max_interval_written), ("30s", false));
    }

    #[test]
    fn default_maximum_is_at_least_the_first_interval() {
        assert_eq!(client(json!({"enabled": true, "retryInterval": "1m"})).retry_max_interval, "1m");
        let written = client(json!({"enabled": true, "retryInterval": "1s", "retryMaxInterval": "5s"}));
        assert_eq!((written.retry_max_interval.as_str(), written.retry_max_interval_written), ("5s", true));
    }

    #[test]
    fn enables_listed_transports_or_http() {
        let servers = json!([
            {"name": "a", "transport": "http", "url": " http://a "},
            {"name": "blank", "transport": "http", "url": "  "},
            {"name": "b", "transport": "sse", "url": "http://b/sse"},
            {"name": "c", "transport": "stdio", "command": "c", "env": {"TOKEN": "${C}"}, "url": "${NOT_USED}"},
        ]);
        let default = client(json!({"enabled": true, "servers": servers}));
        assert_eq!(default.addresses(), "http://a");
        let all = client(json!({"enabled": true, "servers": servers, "transports": ["sse", "stdio"]}));
        let names: Vec<_> = all.servers.iter().map(|server| server.name.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
        assert_eq!(all.references.iter().map(|used| used.name.as_str()).collect::<Vec<_>>(), ["C"]);
    }

    #[test]
    fn ignored_block_has_no_client() {
        let ignored = serde_json::from_value(json!({"enabled": true})).unwrap();
        assert!(McpClient::resolve(&ignored, TargetLanguage::TypeScript).is_none());
        let listed = serde_json::from_value(json!({"enabled": true, "transports": ["http"]})).unwrap();
        assert_eq!(McpClient::resolve(&listed, TargetLanguage::Rust).unwrap().transports, ["http"]);
    }

    #[test]
    fn replaces_literal_credentials() {
        let client = client(json!({"enabled": true, "servers": [
            {"name": "a", "transport": "http", "url": "http://a", "headers": {"Authorization": "Bearer dummy-value"}},
        ]}));
        assert!(!format!("{client:?}").contains("dummy-value"));
        assert_eq!(client.references.first().map(|used| used.name.as_str()), Some("A2A_MCP_SECRET_A_AUTHORIZATION"));
    }
}
