//! Which servers a generated agent connects to, and with which defaults.

use super::{ServerDefinition, Transport};

/// Default values of `spec.agent.mcp`. Durations use the syntax of Go.
pub mod defaults {
    /// Path appended to each server's URL.
    pub const ENDPOINT: &str = "/mcp";
    /// Interval at which the tools of the servers are listed again.
    pub const REFRESH_INTERVAL: &str = "5m";
    /// Timeout for connecting to a server.
    pub const DIAL_TIMEOUT: &str = "30s";
    /// Timeout for one tool call.
    pub const CALL_TIMEOUT: &str = "30s";
    /// Maximum number of consecutive failed attempts to connect; 0 for no limit.
    pub const MAX_RETRIES: u64 = 0;
    /// Delay before the first retry.
    pub const RETRY_INTERVAL: &str = "2s";
    /// Maximum delay between retries.
    pub const RETRY_MAX_INTERVAL: &str = "30s";
}

/// Whether the server has the URL or command that its transport requires.
pub fn has_address(server: &ServerDefinition) -> bool {
    let address = match Transport::from_word(&server.transport) {
        Some(Transport::Http | Transport::Sse) => &server.url,
        Some(Transport::Stdio) => &server.command,
        None => &None,
    };
    address.as_ref().is_some_and(|address| !address.trim().is_empty())
}

/// Whether an agent with these transports connects to a server.
pub fn is_wired(server: &ServerDefinition, transports: &[Transport]) -> bool {
    Transport::from_word(&server.transport).is_some_and(|transport| transports.contains(&transport))
        && has_address(server)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connects_only_to_servers_with_a_supported_transport_and_address() {
        for (server, wired) in [
            (serde_json::json!({"name": "a", "transport": "http", "url": "http://a"}), true),
            (serde_json::json!({"name": "a", "transport": "http", "url": " \t", "command": "a"}), false),
            (serde_json::json!({"name": "a", "transport": "http"}), false),
            (serde_json::json!({"name": "a", "transport": "sse", "url": "http://a"}), false),
            (serde_json::json!({"name": "a", "transport": "stdio", "command": "a"}), true),
            (serde_json::json!({"name": "a", "transport": "stdio", "url": "http://a"}), false),
        ] {
            let definition = serde_json::from_value(server.clone()).unwrap();
            assert_eq!(is_wired(&definition, &[Transport::Http, Transport::Stdio]), wired, "{server}");
        }
    }
}
