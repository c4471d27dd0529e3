//! Server definitions: fields, transports and texts.

use std::fmt;

use indexmap::IndexMap;
use serde::Deserialize;

use super::reference::references;
use crate::document::pointer::token;

/// The definition of an MCP server in a manifest or a registry.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerDefinition {
    /// Unique name.
    pub name: String,
    /// `stdio`, `http` or `sse`.
    pub transport: String,
    /// URL (`http`, `sse`).
    pub url: Option<String>,
    /// Headers (`http`, `sse`).
    #[serde(default)]
    pub headers: IndexMap<String, String>,
    /// Program (`stdio`).
    pub command: Option<String>,
    /// Arguments (`stdio`).
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment (`stdio`).
    #[serde(default)]
    pub env: IndexMap<String, String>,
}

/// How to connect to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transport {
    /// Streamable HTTP.
    Http,
    /// Server-sent events.
    Sse,
    /// Standard input and output of a program that the agent starts.
    Stdio,
}

impl Transport {
    /// The transport with this name; `None` for a name that the schema rejects.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "http" => Some(Self::Http),
            "sse" => Some(Self::Sse),
            "stdio" => Some(Self::Stdio),
            _ => None,
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "http",
            Self::Sse => "sse",
            Self::Stdio => "stdio",
        })
    }
}

/// A string of a server definition that may contain references and credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text<'a> {
    /// The field in readable form, relative to the server: `headers.Authorization`, `args[2]`.
    pub field: String,
    /// The field as a JSON pointer, relative to the server: `/headers/Authorization`.
    pub pointer: String,
    /// The text as written.
    pub text: &'a str,
}

/// The URL, headers, arguments and environment of a server, in this order.
pub fn texts(server: &ServerDefinition) -> Vec<Text<'_>> {
    let url = server.url.iter().map(|url| Text { field: "url".into(), pointer: "/url".into(), text: url });
    let headers = server.headers.iter().map(|(name, text)| entry("headers", name, text));
    let arguments = server.args.iter().enumerate().map(|(index, text)| Text {
        field: format!("args[{index}]"),
        pointer: format!("/args/{index}"),
        text,
    });
    let environment = server.env.iter().map(|(name, text)| entry("env", name, text));
    url.chain(headers).chain(arguments).chain(environment).collect()
}

/// Like [`texts`], followed by the command, in which references are not resolved.
pub fn all_texts(server: &ServerDefinition) -> Vec<Text<'_>> {
    let command = server.command.iter();
    let command = command.map(|text| Text { field: "command".into(), pointer: "/command".into(), text });
    texts(server).into_iter().chain(command).collect()
}

fn entry<'a>(field: &str, name: &str, text: &'a str) -> Text<'a> {
    let pointer = format!("/{field}/{}", token(name));
    Text { field: format!("{field}.{name}"), pointer, text }
}

/// A reference to a variable in a server definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableUse {
    /// The name of the variable.
    pub variable: String,
    /// The server's name.
    pub server: String,
    /// The field, as in [`Text::field`].
    pub field: String,
}

/// The variables that a server refers to, in the order of [`texts`]. A variable that occurs more than once in a field
/// is listed once.
pub fn variables(server: &ServerDefinition) -> Vec<VariableUse> {
    let mut uses = Vec::new();
    for Text { field, text, .. } in texts(server) {
        for reference in references(text) {
            let variable = reference.name.to_owned();
            let found = VariableUse { variable, server: server.name.clone(), field: field.clone() };
            if !uses.contains(&found) {
                uses.push(found);
            }
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(json: serde_json::Value) -> ServerDefinition {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn lists_every_variable_with_its_field() {
        let server = server(serde_json::json!({
            "name": "s", "transport": "stdio", "url": "http://${H}/${H}", "headers": {"A": "${T}"},
            "args": ["x", "${T}${U}"], "env": {"E": "${V}"},
        }));
        let uses: Vec<_> =
            variables(&server).into_iter().map(|found| format!("{} {}", found.field, found.variable)).collect();
        assert_eq!(uses, ["url H", "headers.A T", "args[1] T", "args[1] U", "env.E V"]);
    }
}
