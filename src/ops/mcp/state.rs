//! Which entries of coding agents are managed: those that `adl` wrote or adopted, and what they were.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::files::sha256;

const SCHEMA_VERSION: u32 = 1;

/// The managed entries of a scope, `~/.adl/state/mcp/<scope>.json`. It contains no values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    schema_version: u32,
    /// The managed entries.
    pub(super) entries: Vec<Managed>,
}

/// A managed entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Managed {
    /// The coding agent.
    pub(super) agent: String,
    /// The server.
    pub(super) server: String,
    /// The file.
    pub(super) file: PathBuf,
    /// The path of the entry, or of the list that contains the server.
    pub(super) path: Vec<String>,
    /// Hash of the entry as it was written; `None` for an item of a list.
    pub(super) sha256: Option<String>,
}

impl Default for State {
    fn default() -> Self {
        Self { schema_version: SCHEMA_VERSION, entries: Vec::new() }
    }
}

impl State {
    /// Reads a state; `None` if it is invalid or of a later version.
    pub(super) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|state: &Self| state.schema_version == SCHEMA_VERSION)
    }

    /// Writes the state, one entry per line.
    pub(super) fn to_json(&self) -> String {
        let line = |entry| format!("\n    {}", serde_json::to_string(entry).unwrap_or_default());
        let lines: Vec<_> = self.entries.iter().map(line).collect();
        format!("{{\n  \"schemaVersion\": {SCHEMA_VERSION},\n  \"entries\": [{}\n  ]\n}}\n", lines.join(","))
    }

    /// The record of an entry.
    pub(super) fn find(&self, agent: &str, file: &std::path::Path, path: &[String], server: &str) -> Option<&Managed> {
        self.entries.iter().find(|it| it.agent == agent && it.file == file && it.path == path && it.server == server)
    }
}

/// Hash of an entry, whatever the order of its keys: agents write their files again.
pub(super) fn hash(value: &Value) -> String {
    sha256(sorted(value).to_string().as_bytes())
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            let entries: BTreeMap<_, _> = entries.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            Value::Object(entries.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
