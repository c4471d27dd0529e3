//! Reads and checks a registry. Faults never quote values.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::coding_agents::{AGENTS, Scope, credentials};
use crate::document::config::{Config, Dialect};
use crate::mcp::{Connection, PortableServer, Setting, check_url, is_portable_name};

/// A registry.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    /// Its entries by name.
    pub servers: IndexMap<String, Entry>,
}

/// An entry of a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A server.
    Definition {
        /// The definition.
        server: PortableServer,
        /// The coding agents that get it; `None` for all.
        targets: Option<Vec<String>>,
    },
    /// Switches a server of the user in a project.
    Override {
        /// Whether it is on.
        enabled: bool,
    },
}

/// What is wrong with a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Line and column, from 1.
    pub place: (usize, usize),
    /// The field, such as `servers.a.url`; empty for the whole file.
    pub field: String,
    /// What is wrong.
    pub problem: String,
}

/// Reads a registry: the entries without faults, and all faults.
pub fn read_registry(scope: Scope, text: &str) -> (Registry, Vec<Fault>) {
    let parsed = Dialect::Json.check(text).and_then(|()| Config::parse(Dialect::Json, text));
    let config = match parsed {
        Ok(config) => config,
        Err(error) => {
            let place = (error.line, error.column);
            return (Registry::default(), vec![Fault { place, field: String::new(), problem: error.problem }]);
        }
    };
    let mut reader = Reader { config: &config, scope, faults: Vec::new() };
    let registry = reader.registry();
    (registry, reader.faults)
}

struct Reader<'a> {
    config: &'a Config,
    scope: Scope,
    faults: Vec<Fault>,
}

const STDIO: &[&str] = &["transport", "command", "args", "environment", "cwd", "enabled", "targets"];
const HTTP: &[&str] = &["transport", "url", "headers", "enabled", "targets"];

impl Reader<'_> {
    fn fault(&mut self, path: &[&str], problem: impl Into<String>) {
        let known = (0..=path.len()).rev().find_map(|end| self.config.place(path.get(..end)?));
        self.faults.push(Fault { place: known.unwrap_or((1, 1)), field: path.join("."), problem: problem.into() });
    }

    fn registry(&mut self) -> Registry {
        let config = self.config;
        match config.get(&["schemaVersion"]) {
            Some(version) if *version == 1 => {}
            Some(_) => self.fault(&["schemaVersion"], "is not 1, the only version that this program knows"),
            None => self.fault(&["schemaVersion"], "is missing"),
        }
        let keys = config.value().as_object().into_iter().flatten().map(|(key, _)| key.as_str());
        for key in keys.filter(|key| !["$schema", "schemaVersion", "servers"].contains(key)) {
            self.fault(&[key], "is an unknown key");
        }
        let mut registry = Registry::default();
        match config.get(&["servers"]) {
            Some(Value::Object(servers)) => {
                for (name, entry) in servers {
                    let before = self.faults.len();
                    let entry = self.entry(name, entry).filter(|_| self.faults.len() == before);
                    registry.servers.extend(entry.map(|entry| (name.clone(), entry)));
                }
            }
            Some(_) => self.fault(&["servers"], "is not a table"),
            None => self.fault(&["servers"], "is missing"),
        }
        registry
    }

    fn entry(&mut self, name: &str, entry: &Value) -> Option<Entry> {
        let path = ["servers", name];
        if !is_portable_name(name) {
            self.fault(&path, "is not a name of 1 to 64 lower-case letters, digits, `_` or `-`");
        }
        let Value::Object(entry) = entry else {
            self.fault(&path, "is not a table");
            return None;
        };
        if entry.contains_key("inherits") {
            return self.switch(&path, entry);
        }
        let known = match entry.get("transport").and_then(Value::as_str) {
            Some("stdio") => STDIO,
            Some("http") => HTTP,
            Some(_) => {
                self.fault(&["servers", name, "transport"], "is not `stdio` or `http`");
                return None;
            }
            None => {
                self.fault(&["servers", name, "transport"], "is missing or not a string");
                return None;
            }
        };
        self.only(&path, entry, known);
        let enabled = self.enabled(&path, entry);
        let targets = self.targets(&path, entry);
        let connection = if known == STDIO { self.stdio(&path, entry) } else { self.http(&path, entry) }?;
        let server = PortableServer { connection, enabled };
        for field in credentials(&server) {
            let keys: Vec<_> = field.split('.').map(|key| key.split('[').next().unwrap_or(key)).collect();
            self.fault(&[&path, keys.as_slice()].concat(), "contains a credential; use `fromEnv`");
        }
        Some(Entry::Definition { server, targets })
    }

    fn switch(&mut self, path: &[&str], entry: &Map<String, Value>) -> Option<Entry> {
        self.only(path, entry, &["inherits", "enabled"]);
        if entry.get("inherits").and_then(Value::as_str) != Some("user") {
            self.fault(&[path, &["inherits"]].concat(), "is not `user`");
        }
        if self.scope == Scope::User {
            self.fault(&[path, &["inherits"]].concat(), "is allowed only in the registry of a project");
        }
        if !entry.contains_key("enabled") {
            self.fault(&[path, &["enabled"]].concat(), "is missing");
            return None;
        }
        Some(Entry::Override { enabled: self.enabled(path, entry) })
    }

    fn only(&mut self, path: &[&str], entry: &Map<String, Value>, known: &[&str]) {
        for key in entry.keys().filter(|key| !known.contains(&key.as_str())) {
            self.fault(&[path, &[key.as_str()]].concat(), "is an unknown key");
        }
    }

    fn enabled(&mut self, path: &[&str], entry: &Map<String, Value>) -> bool {
        let enabled = entry.get("enabled").map_or(Some(true), Value::as_bool);
        if enabled.is_none() {
            self.fault(&[path, &["enabled"]].concat(), "is not a boolean");
        }
        enabled.unwrap_or(true)
    }

    fn targets(&mut self, path: &[&str], entry: &Map<String, Value>) -> Option<Vec<String>> {
        entry.get("targets")?;
        let path = [path, &["targets"]].concat();
        let targets = self.words(&path, entry.get("targets"))?;
        if targets.is_empty() {
            self.fault(&path, "is empty; remove it to target all coding agents");
        }
        if targets.iter().any(|target| !AGENTS.iter().any(|agent| agent.id == target)) {
            self.fault(&path, "names an unknown coding agent");
        }
        Some(targets)
    }

    fn stdio(&mut self, path: &[&str], entry: &Map<String, Value>) -> Option<Connection> {
        let command_path = [path, &["command"]].concat();
        let command = self.text(&command_path, entry.get("command"))?;
        if command.contains(char::is_whitespace) && !command.contains(['/', '\\']) {
            self.fault(&command_path, "contains spaces; put arguments into `args`");
        }
        let args = self.words(&[path, &["args"]].concat(), entry.get("args"))?;
        let environment = self.settings(&[path, &["environment"]].concat(), entry.get("environment"))?;
        let cwd = match entry.get("cwd") {
            Some(cwd) => Some(self.cwd(&[path, &["cwd"]].concat(), cwd)?),
            None => None,
        };
        Some(Connection::Stdio { command, args, environment, cwd })
    }

    fn cwd(&mut self, path: &[&str], cwd: &Value) -> Option<String> {
        let cwd = self.text(path, Some(cwd))?;
        let leaves = cwd.split(['/', '\\']).any(|part| part == "..");
        let is_absolute = cwd.starts_with(['/', '\\', '~']) || cwd.get(1..2) == Some(":");
        if leaves || (self.scope == Scope::Project && is_absolute) {
            self.fault(path, "leads out of the project");
        }
        Some(cwd)
    }

    fn http(&mut self, path: &[&str], entry: &Map<String, Value>) -> Option<Connection> {
        let url_path = [path, &["url"]].concat();
        let url = self.text(&url_path, entry.get("url"))?;
        // Only manifests join URLs with commas.
        if check_url(&url.replace(',', "")).is_err() || url.trim() != url {
            self.fault(&url_path, "is not a valid HTTP or HTTPS URL");
        }
        let headers = self.settings(&[path, &["headers"]].concat(), entry.get("headers"))?;
        Some(Connection::Http { url, headers })
    }

    /// A string that is not empty and contains no NUL.
    fn text(&mut self, path: &[&str], value: Option<&Value>) -> Option<String> {
        let problem = match value {
            None => "is missing",
            Some(Value::String(text)) if text.is_empty() => "is empty",
            Some(Value::String(text)) if text.contains('\0') => "contains a NUL character",
            Some(Value::String(text)) => return Some(text.clone()),
            Some(_) => "is not a string",
        };
        self.fault(path, problem);
        None
    }

    fn words(&mut self, path: &[&str], value: Option<&Value>) -> Option<Vec<String>> {
        let items = match value {
            None => return Some(Vec::new()),
            Some(value) => value.as_array(),
        };
        let is_clean = |word: &&str| !word.contains('\0');
        let words = items
            .and_then(|items| items.iter().map(|item| item.as_str().filter(is_clean).map(str::to_owned)).collect());
        if words.is_none() {
            self.fault(path, "is not a list of strings without NUL characters");
        }
        words
    }

    fn settings(&mut self, path: &[&str], value: Option<&Value>) -> Option<IndexMap<String, Setting>> {
        let entries = match value {
            None => return Some(IndexMap::new()),
            Some(Value::Object(entries)) => entries,
            Some(_) => {
                self.fault(path, "is not a table");
                return None;
            }
        };
        let mut settings = IndexMap::new();
        for (name, value) in entries {
            let setting = serde_json::from_value(value.clone()).ok().filter(is_valid);
            if setting.is_none() {
                self.fault(&[path, &[name.as_str()]].concat(), "is not `{\"literal\": ...}` or `{\"fromEnv\": ...}`");
            }
            settings.extend(setting.map(|setting| (name.clone(), setting)));
        }
        Some(settings)
    }
}

fn is_valid(setting: &Setting) -> bool {
    match setting {
        Setting::Literal { literal } => !literal.contains('\0'),
        Setting::Variable { from_env, scheme } => {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            !from_env.is_empty()
                && !from_env.starts_with(|c: char| c.is_ascii_digit())
                && from_env.chars().all(is_name)
                && scheme.as_ref().is_none_or(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic()))
        }
    }
}
