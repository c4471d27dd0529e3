//! Reads an entry of an agent's file as a portable definition, and says what such a definition cannot express.

use std::fmt;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::environment_reference::{Notation, references};
use super::facts::{CodingAgent, Command, Fields, Off};
use super::safety::credentials;
use crate::mcp::{Connection, PortableServer, Setting, Transport, is_portable_name};

/// A native entry.
#[derive(Debug, Clone)]
pub struct Native {
    /// What it means; `None` if the agent cannot use it, or no portable definition has its transport.
    pub server: Option<PortableServer>,
    /// Set if the entry only switches a server of another scope on or off.
    pub switch: Option<bool>,
    /// Why it is not portable. Never contains values.
    pub problems: Vec<Problem>,
}

/// Something that a portable definition cannot express.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// The field of the native entry; empty for the whole entry.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.field.is_empty() { "" } else { " " };
        write!(f, "{}{separator}{}", self.field, self.problem)
    }
}

/// Reads the entry `name` of an agent's file.
pub fn read_native(agent: &CodingAgent, name: &str, entry: &Value) -> Native {
    let mut reader = Reader { fields: &agent.fields, problems: Vec::new(), used: Vec::new() };
    if !is_portable_name(name) {
        reader.problem("", "the name must be 1 to 64 lower-case letters, digits, `_` or `-`");
    }
    let Value::Object(entry) = entry else {
        reader.problem("", "the entry is not a table");
        return Native { server: None, switch: None, problems: reader.problems };
    };
    if let Some(enabled) = reader.only_switch(entry) {
        return Native { server: None, switch: Some(enabled), problems: reader.problems };
    }
    let server = reader.server(entry);
    if server.is_some() {
        reader.unknown_fields(entry);
    }
    let mut problems = reader.problems;
    for field in server.iter().flat_map(credentials) {
        problems.push(Problem { field, problem: "contains a credential; use a reference to a variable".to_owned() });
    }
    Native { server, switch: None, problems }
}

struct Reader<'a> {
    fields: &'a Fields,
    problems: Vec<Problem>,
    /// The fields that were understood.
    used: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn problem(&mut self, field: impl Into<String>, problem: impl Into<String>) {
        self.problems.push(Problem { field: field.into(), problem: problem.into() });
    }

    fn server(&mut self, entry: &Map<String, Value>) -> Option<PortableServer> {
        let enabled = self.enabled(entry);
        // Some agents nest the transport in a table of its own.
        let nested = entry.get("transport").and_then(Value::as_object);
        let entry = nested.inspect(|_| self.used.push("transport")).unwrap_or(entry);
        let connection = self.connection(entry)?;
        Some(PortableServer { connection, enabled })
    }

    /// The switch of an entry that contains nothing else.
    fn only_switch(&mut self, entry: &Map<String, Value>) -> Option<bool> {
        let key = match self.fields.off {
            Off::Enabled => "enabled",
            Off::Disabled => "disabled",
            Off::Elsewhere => return None,
        };
        (entry.len() == 1 && entry.contains_key(key)).then(|| self.enabled(entry))
    }

    fn enabled(&mut self, entry: &Map<String, Value>) -> bool {
        let (field, off) = match self.fields.off {
            Off::Enabled => ("enabled", false),
            Off::Disabled => ("disabled", true),
            Off::Elsewhere => return true,
        };
        self.used.push(field);
        match entry.get(field) {
            None => true,
            Some(Value::Bool(value)) => *value != off,
            Some(_) => {
                self.problem(field, "is not a boolean");
                true
            }
        }
    }

    fn connection(&mut self, entry: &Map<String, Value>) -> Option<Connection> {
        self.used.push(self.fields.kind);
        let word = self.text(entry, self.fields.kind);
        if word.is_none() && entry.contains_key(self.fields.kind) {
            return None;
        }
        let kind = word.as_ref().and_then(|word| self.fields.kinds.iter().find(|(known, _)| known == word));
        if word.is_some() && kind.is_none() {
            let known: Vec<_> = self.fields.kinds.iter().map(|(word, _)| format!("`{word}`")).collect();
            self.problem(self.fields.kind, format!("is not one of {}", known.join(", ")));
            return None;
        }
        let kind = kind.map(|(_, transport)| *transport);
        let key = match self.fields.command {
            Command::Text(key) | Command::Words(key) => key,
        };
        let has_command = entry.contains_key(key);
        let url = self.fields.urls.iter().find(|(key, _)| entry.contains_key(*key));
        match (kind, url) {
            (Some(Transport::Stdio), _) | (None, None) => self.stdio(entry),
            (None, Some(_)) if has_command => self.stdio(entry),
            (Some(Transport::Http | Transport::Sse), None) => {
                self.problem(self.fields.urls.first().map_or("url", |(key, _)| key), "is missing");
                None
            }
            (kind, Some((key, meaning))) => {
                let Some(transport) = kind.or(*meaning).or(self.fields.remote_default) else {
                    self.problem(self.fields.kind, "is missing; the agent ignores the entry");
                    return None;
                };
                self.used.push(key);
                if transport != Transport::Http {
                    self.problem(*key, "uses SSE; only stdio and streamable HTTP are portable");
                    return None;
                }
                self.http(entry, key)
            }
        }
    }

    fn stdio(&mut self, entry: &Map<String, Value>) -> Option<Connection> {
        let (command, args) = match self.fields.command {
            Command::Text(key) => {
                self.used.extend([key, "args"]);
                let Some(command) = self.text(entry, key) else {
                    self.missing(entry, key);
                    return None;
                };
                (command, self.words(entry, "args")?)
            }
            Command::Words(key) => {
                self.used.push(key);
                let mut words = self.words(entry, key)?;
                if words.is_empty() {
                    self.missing(entry, key);
                    return None;
                }
                (words.remove(0), words)
            }
        };
        let texts = std::iter::once(("command".to_owned(), &command));
        let texts = texts.chain(args.iter().enumerate().map(|(index, word)| (format!("args[{index}]"), word)));
        texts.for_each(|(field, text)| self.check_literal(&field, text));
        let mut environment = self.settings(entry, self.fields.environment)?;
        if let Some(key) = self.fields.passed_variables {
            self.used.push(key);
            for name in self.names(entry, key)? {
                environment.insert(name.clone(), Setting::Variable { from_env: name, scheme: None });
            }
        }
        let cwd = self.text(entry, "cwd");
        self.used.push("cwd");
        if let Some(cwd) = &cwd {
            self.check_literal("cwd", cwd);
            if !self.fields.has_cwd {
                self.problem("cwd", "has no effect in this agent");
            }
        }
        Some(Connection::Stdio { command, args, environment, cwd: cwd.filter(|_| self.fields.has_cwd) })
    }

    fn http(&mut self, entry: &Map<String, Value>, key: &str) -> Option<Connection> {
        let Some(url) = self.text(entry, key) else {
            self.missing(entry, key);
            return None;
        };
        self.check_literal(key, &url);
        let mut headers = self.settings(entry, self.fields.headers)?;
        if let Some(key) = self.fields.header_variables {
            self.used.push(key);
            for (name, variable) in self.texts(entry, key)? {
                headers.insert(name, Setting::Variable { from_env: variable, scheme: None });
            }
        }
        if let Some(key) = self.fields.bearer_variable {
            self.used.push(key);
            if let Some(from_env) = self.text(entry, key) {
                let setting = Setting::Variable { from_env, scheme: Some("Bearer".to_owned()) };
                headers.insert("Authorization".to_owned(), setting);
            }
        }
        Some(Connection::Http { url, headers })
    }

    fn missing(&mut self, entry: &Map<String, Value>, key: &str) {
        if !self.problems.iter().any(|problem| problem.field == key) {
            self.problem(key, if entry.contains_key(key) { "is empty" } else { "is missing" });
        }
    }

    /// A string; reports any other value.
    fn text(&mut self, entry: &Map<String, Value>, key: &str) -> Option<String> {
        let text = entry.get(key)?.as_str();
        if text.is_none() {
            self.problem(key, "is not a string");
        }
        text.map(str::to_owned)
    }

    /// A list of strings, empty if it is missing; `None` for any other value.
    fn words(&mut self, entry: &Map<String, Value>, key: &str) -> Option<Vec<String>> {
        let Some(value) = entry.get(key) else { return Some(Vec::new()) };
        let words =
            value.as_array().and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
        if words.is_none() {
            self.problem(key, "is not a list of strings");
        }
        words
    }

    /// Names of variables: strings, or tables with a `name`.
    fn names(&mut self, entry: &Map<String, Value>, key: &str) -> Option<Vec<String>> {
        let Some(value) = entry.get(key) else { return Some(Vec::new()) };
        let name = |item: &Value| item.as_str().or_else(|| item.get("name")?.as_str()).map(str::to_owned);
        let names = value.as_array().and_then(|items| items.iter().map(name).collect());
        if names.is_none() {
            self.problem(key, "is not a list of variables");
        }
        names
    }

    /// A table of strings, empty if it is missing; `None` for any other value.
    fn texts(&mut self, entry: &Map<String, Value>, key: &str) -> Option<IndexMap<String, String>> {
        let Some(value) = entry.get(key) else { return Some(IndexMap::new()) };
        let texts = value.as_object().and_then(|entries| {
            entries.iter().map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
        });
        if texts.is_none() {
            self.problem(key, "is not a table of strings");
        }
        texts
    }

    fn settings(&mut self, entry: &Map<String, Value>, key: &'a str) -> Option<IndexMap<String, Setting>> {
        self.used.push(key);
        let texts = self.texts(entry, key)?;
        Some(
            texts
                .into_iter()
                .map(|(name, text)| {
                    let setting = self.setting(&format!("{key}.{name}"), text);
                    (name, setting)
                })
                .collect(),
        )
    }

    /// A value that is a reference or a literal; reports what is both.
    fn setting(&mut self, field: &str, text: String) -> Setting {
        let found = references(&text, self.fields.notations);
        match found.as_slice() {
            [] => {}
            [one] if matches!(one.notation, Notation::Default) => {
                self.problem(field, "contains a reference with a default, which is not portable");
            }
            [one] if matches!(one.notation, Notation::Shell) => {
                self.problem(field, "is a shell command, which is not portable");
            }
            [one] if one.range.end == text.len() => {
                let before = text.get(..one.range.start).unwrap_or_default();
                let scheme = before.strip_suffix(' ').filter(|word| word.chars().all(char::is_alphabetic));
                if before.is_empty() || scheme.is_some() {
                    return Setting::Variable { from_env: one.name.to_owned(), scheme: scheme.map(str::to_owned) };
                }
                self.problem(field, "contains a reference inside other text, which is not portable");
            }
            _ => self.problem(field, "contains a reference inside other text, which is not portable"),
        }
        Setting::Literal { literal: text }
    }

    /// Reports references where definitions contain only literal text.
    fn check_literal(&mut self, field: &str, text: &str) {
        if self.fields.resolves_everywhere && !references(text, self.fields.notations).is_empty() {
            self.problem(field, "refers to a variable, which is portable only in the environment and in headers");
        }
    }

    fn is_ignorable(&self, key: &str, value: &Value) -> bool {
        let known = self.fields.ignorable.iter().find(|(known, _)| *known == key);
        known.is_some_and(|(_, only)| {
            only.is_none_or(|only| serde_json::from_str(only).is_ok_and(|only: Value| only == *value))
        })
    }

    fn unknown_fields(&mut self, entry: &Map<String, Value>) {
        let unknown: Vec<_> = entry
            .iter()
            .filter(|(key, value)| !self.used.contains(&key.as_str()) && !self.is_ignorable(key, value))
            .map(|(key, _)| key.clone())
            .collect();
        for key in unknown {
            let is_switch = key == "enabled" || key == "disabled";
            self.problem(key, if is_switch { "has no effect in this agent" } else { "is not portable" });
        }
    }
}
