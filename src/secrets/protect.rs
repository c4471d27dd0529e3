//! Replaces the credentials of servers with references.

use super::credential::{Credential, in_arguments, in_environment, in_header, in_text, in_url};
use crate::document::pointer::tokens;
use crate::mcp::{ServerDefinition, Text, all_texts};

/// A literal credential that was removed from a server's definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// The variable that replaces it: `A2A_MCP_SECRET_<SERVER>_<FIELD>`.
    pub variable: String,
    /// Index of the server.
    pub server: usize,
    /// The field, as in [`Text::field`].
    pub field: String,
    /// JSON pointer of the field, as in [`Text::pointer`].
    pub pointer: String,
}

/// Servers without literal credentials.
#[derive(Debug, Clone)]
pub struct Protected {
    /// The servers, in the original order.
    pub servers: Vec<ServerDefinition>,
    /// The removed credentials, in order.
    pub secrets: Vec<Secret>,
}

/// Replaces each literal credential with a reference to a variable.
///
/// The names of the variables depend only on the whole list of servers, so a warning and a generated project use the
/// same names.
pub fn protect(servers: &[ServerDefinition]) -> Protected {
    let mut protected = Protected { servers: servers.to_vec(), secrets: Vec::new() };
    for (index, server) in protected.servers.iter_mut().enumerate() {
        let found = credentials(server);
        let mut replaced = Vec::new();
        for (field, pointer, credential) in found {
            let variable = free_variable(&server.name, &credential.name, &protected.secrets);
            protected.secrets.push(Secret {
                variable: variable.clone(),
                server: index,
                field,
                pointer: pointer.clone(),
            });
            replaced.push((pointer, credential.range, variable));
        }
        // From last to first, so that the remaining ranges stay valid.
        for (pointer, range, variable) in replaced.into_iter().rev() {
            if let Some(text) = text_mut(server, &pointer) {
                text.replace_range(range, &format!("${{{variable}}}"));
            }
        }
    }
    protected
}

/// Every literal credential of a server with its field and pointer, in the order of [`all_texts`].
fn credentials(server: &ServerDefinition) -> Vec<(String, String, Credential)> {
    let mut in_arguments = in_arguments(&server.args);
    let mut found = Vec::new();
    for Text { field, pointer, text } in all_texts(server) {
        let name = field.split_once('.').map_or("", |(_, name)| name);
        let credentials = match pointer.split('/').nth(1) {
            Some("url") => in_url(text),
            Some("command") => in_text(text),
            Some("headers") => in_header(name, text),
            Some("env") => in_environment(name, text),
            _ => {
                let index = pointer.strip_prefix("/args/").and_then(|index| index.parse().ok());
                let here = in_arguments.extract_if(.., |(argument, _)| Some(*argument) == index);
                here.map(|(_, credential)| credential).collect()
            }
        };
        found.extend(credentials.into_iter().map(|credential| (field.clone(), pointer.clone(), credential)));
    }
    found
}

fn text_mut<'a>(server: &'a mut ServerDefinition, pointer: &str) -> Option<&'a mut String> {
    let mut tokens = tokens(pointer);
    let (field, name) = (tokens.next()?, tokens.next().unwrap_or_default());
    match field.as_str() {
        "url" => server.url.as_mut(),
        "command" => server.command.as_mut(),
        "headers" => server.headers.get_mut(&name),
        "args" => server.args.get_mut(name.parse::<usize>().ok()?),
        _ => server.env.get_mut(&name),
    }
}

fn free_variable(server: &str, field: &str, taken: &[Secret]) -> String {
    let name = format!("A2A_MCP_SECRET_{}_{}", upper_snake(server), upper_snake(field));
    let is_free = |name: &String| taken.iter().all(|secret| secret.variable != *name);
    let numbered = (2..=taken.len() + 2).map(|number| format!("{name}_{number}"));
    std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
}

/// Upper-case letters, digits and single `_`: `x-api-key` becomes `X_API_KEY`.
fn upper_snake(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let joined = parts.map(str::to_ascii_uppercase).collect::<Vec<_>>().join("_");
    if joined.is_empty() { "VALUE".to_owned() } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(json: serde_json::Value) -> ServerDefinition {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn replaces_credentials_with_references() {
        let servers = [
            server(serde_json::json!({
                "name": "git-hub", "transport": "http", "url": "https://u:pw@host/?token=t1&api_key=k1",
                "headers": {"Authorization": "Bearer abc", "X-API-Key": "${KEPT}", "X/Token": "abc", "X-Tenant": "acme"},
            })),
            server(serde_json::json!({
                "name": "git_hub", "transport": "stdio", "command": "TOKEN=abc x",
                "args": ["--token=abc", "--token", "def"], "env": {"TOKEN": "ghi", "authorization": "x"},
            })),
        ];
        let protected = protect(&servers);
        let shown: Vec<_> =
            protected.secrets.iter().map(|secret| (secret.variable.as_str(), secret.field.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("A2A_MCP_SECRET_GIT_HUB_USER", "url"),
                ("A2A_MCP_SECRET_GIT_HUB_PASSWORD", "url"),
                ("A2A_MCP_SECRET_GIT_HUB_TOKEN", "url"),
                ("A2A_MCP_SECRET_GIT_HUB_API_KEY", "url"),
                ("A2A_MCP_SECRET_GIT_HUB_AUTHORIZATION", "headers.Authorization"),
                ("A2A_MCP_SECRET_GIT_HUB_X_TOKEN", "headers.X/Token"),
                ("A2A_MCP_SECRET_GIT_HUB_TOKEN_2", "args[0]"),
                ("A2A_MCP_SECRET_GIT_HUB_TOKEN_3", "args[2]"),
                ("A2A_MCP_SECRET_GIT_HUB_TOKEN_4", "env.TOKEN"),
                ("A2A_MCP_SECRET_GIT_HUB_AUTHORIZATION_2", "env.authorization"),
                ("A2A_MCP_SECRET_GIT_HUB_TOKEN_5", "command"),
            ]
        );
        let first = &protected.servers[0];
        assert_eq!(
            first.url.as_deref(),
            Some(
                "https://${A2A_MCP_SECRET_GIT_HUB_USER}:${A2A_MCP_SECRET_GIT_HUB_PASSWORD}@host/\
                 ?token=${A2A_MCP_SECRET_GIT_HUB_TOKEN}\
                 &api_key=${A2A_MCP_SECRET_GIT_HUB_API_KEY}"
            ),
        );
        assert_eq!(first.headers["Authorization"], "Bearer ${A2A_MCP_SECRET_GIT_HUB_AUTHORIZATION}");
        assert_eq!(first.headers["X/Token"], "${A2A_MCP_SECRET_GIT_HUB_X_TOKEN}");
        assert_eq!(first.headers["X-API-Key"], "${KEPT}");
        assert_eq!(first.headers["X-Tenant"], "acme");
        assert_eq!(protected.servers[1].args[0], "--token=${A2A_MCP_SECRET_GIT_HUB_TOKEN_2}");
        assert!(protect(&protected.servers).secrets.is_empty());
    }
}
