//! Server definitions: their fields, transports and texts.

use std::fmt;

use indexmap::IndexMap;
use serde::Deserialize;

use super::reference::references;
use crate::document::pointer::token;

/// How an MCP server is reached, as a manifest or a registry writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerDefinition {
    /// Unique name.
    pub name: String,
    /// `stdio`, `http` or `sse`.
    pub transport: String,
    /// Address (`http`, `sse`).
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

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transport {
    /// Streamable HTTP.
    Http,
    /// Server-sent events.
    Sse,
    /// A program that is started, over its standard input and output.
    Stdio,
}

impl Transport {
    /// The transport of a manifest's word; `None` for a word that the schema refuses.
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

/// One text of a server in which references are resolved and credentials may stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text<'a> {
    /// The field as people write it, relative to the server: `headers.Authorization`, `args[2]`.
    pub field: String,
    /// The field as a JSON pointer, relative to the server: `/headers/Authorization`.
    pub pointer: String,
    /// The text as written.
    pub text: &'a str,
}

/// The url, headers, arguments and environment of a server, in that order.
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

/// The texts, and behind them the command, in which no reference is resolved.
pub fn all_texts(server: &ServerDefinition) -> Vec<Text<'_>> {
    let command = server.command.iter();
    let command = command.map(|text| Text { field: "command".into(), pointer: "/command".into(), text });
    texts(server).into_iter().chain(command).collect()
}

fn entry<'a>(field: &str, name: &str, text: &'a str) -> Text<'a> {
    let pointer = format!("/{field}/{}", token(name));
    Text { field: format!("{field}.{name}"), pointer, text }
}

/// A variable that a server's definition refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableUse {
    /// The variable.
    pub variable: String,
    /// The server's name.
    pub server: String,
    /// The field, as in [`Text::field`].
    pub field: String,
}

/// The variables that a server refers to, in the order of [`texts`]; one used twice in a field is named once.
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
    fn names_every_variable_with_its_field() {
        let server = server(serde_json::json!({
            "name": "s", "transport": "stdio", "url": "http://${H}/${H}", "headers": {"A": "${T}"},
            "args": ["x", "${T}${U}"], "env": {"E": "${V}"},
        }));
        let uses: Vec<_> =
            variables(&server).into_iter().map(|found| format!("{} {}", found.field, found.variable)).collect();
        assert_eq!(uses, ["url H", "headers.A T", "args[1] T", "args[1] U", "env.E V"]);
    }
}
