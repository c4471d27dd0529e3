//! What a generated agent connects to.

use super::{ServerDefinition, Transport};

/// What counts while `spec.agent.mcp` does not say. Durations are texts in Go's grammar.
pub mod defaults {
    /// Path behind each server's url.
    pub const ENDPOINT: &str = "/mcp";
    /// How often the servers are asked for their tools.
    pub const REFRESH_INTERVAL: &str = "5m";
    /// How long connecting may take.
    pub const DIAL_TIMEOUT: &str = "30s";
    /// How long one call may take.
    pub const CALL_TIMEOUT: &str = "30s";
    /// Failed tries in a row that end the attempts; 0: none do.
    pub const MAX_RETRIES: u64 = 0;
    /// Pause before the first new try.
    pub const RETRY_INTERVAL: &str = "2s";
    /// Longest pause.
    pub const RETRY_MAX_INTERVAL: &str = "30s";
}

/// Whether what its transport needs, a url or a command, is there.
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
    fn a_server_needs_its_transport_and_what_the_transport_needs() {
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
