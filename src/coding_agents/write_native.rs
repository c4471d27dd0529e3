//! Writes a portable definition as an entry of an agent's file, or says what the agent cannot express.

use serde_json::{Map, Value, json};

use super::environment_reference::{Notation, references};
use super::facts::{CodingAgent, Command, Fields, Off};
use super::native::{Problem, read_native};
use crate::mcp::{Connection, PortableServer, Setting, Transport};

/// The entry `name` of an agent's file for a definition. `None` if the server is disabled and the agent has no switch in
/// its entries, so that it must not have the entry.
///
/// # Errors
/// Every field that the agent would ignore, expand or read differently.
pub fn write_native(
    agent: &CodingAgent,
    name: &str,
    server: &PortableServer,
) -> Result<Option<Map<String, Value>>, Vec<Problem>> {
    let mut writer = Writer { fields: &agent.fields, entry: Map::new(), problems: Vec::new() };
    // Goose wants both; where the others ignore them, they are left out.
    if agent.fields.ignorable.iter().any(|(field, _)| *field == "name") {
        writer.put("name", json!(name));
    }
    writer.connection(&server.connection);
    match agent.fields.off {
        Off::Enabled if !server.enabled => writer.put("enabled", json!(false)),
        Off::Disabled if !server.enabled => writer.put("disabled", json!(true)),
        Off::Elsewhere if !server.enabled => return Ok(None),
        Off::Enabled | Off::Disabled | Off::Elsewhere => {}
    }
    let Writer { entry, mut problems, .. } = writer;
    if problems.is_empty() {
        // The reader knows what the agent would make of the entry.
        let read = read_native(agent, name, &Value::Object(entry.clone()));
        problems = read.problems;
        if problems.is_empty() && read.server.as_ref() != Some(server) {
            problems.push(Problem { field: String::new(), problem: "has another meaning in this agent".to_owned() });
        }
    }
    if problems.is_empty() { Ok(Some(entry)) } else { Err(problems) }
}

struct Writer<'a> {
    fields: &'a Fields,
    entry: Map<String, Value>,
    problems: Vec<Problem>,
}

impl Writer<'_> {
    fn put(&mut self, key: &str, value: Value) {
        self.entry.insert(key.to_owned(), value);
    }

    fn problem(&mut self, field: &str, problem: &str) {
        self.problems.push(Problem { field: field.to_owned(), problem: problem.to_owned() });
    }

    fn connection(&mut self, connection: &Connection) {
        match connection {
            Connection::Stdio { command, args, environment, cwd } => {
                if self.fields.remote_default.is_none() {
                    self.kind(Transport::Stdio);
                }
                self.literal("command", command);
                args.iter().enumerate().for_each(|(index, word)| self.literal(&format!("args[{index}]"), word));
                match self.fields.command {
                    Command::Text(key) => {
                        self.put(key, json!(command));
                        self.put("args", json!(args));
                    }
                    Command::Words(key) => {
                        let words: Vec<_> = std::iter::once(command).chain(args).collect();
                        self.put(key, json!(words));
                    }
                }
                let mut passed = Vec::new();
                let mut written = Map::new();
                for (name, setting) in environment {
                    match setting {
                        Setting::Variable { from_env, scheme: None }
                            if self.fields.passed_variables.is_some() && from_env == name =>
                        {
                            passed.push(json!(name));
                        }
                        Setting::Variable { .. } | Setting::Literal { .. } => {
                            let text = self.setting(&format!("environment.{name}"), setting);
                            written.insert(name.clone(), json!(text));
                        }
                    }
                }
                self.table(self.fields.environment, written);
                if let Some(key) = self.fields.passed_variables.filter(|_| !passed.is_empty()) {
                    self.put(key, json!(passed));
                }
                if let Some(cwd) = cwd {
                    if self.fields.has_cwd {
                        self.literal("cwd", cwd);
                        self.put("cwd", json!(cwd));
                    } else {
                        self.problem("cwd", "has no effect in this agent");
                    }
                }
            }
            Connection::Http { url, headers } => {
                let is_http = |(_, meaning): &&(&str, Option<Transport>)| *meaning == Some(Transport::Http);
                let known = self.fields.urls.iter().find(is_http).or(self.fields.urls.first());
                let Some((key, meaning)) = known else { return };
                if meaning.is_none() && self.fields.remote_default != Some(Transport::Http) {
                    self.kind(Transport::Http);
                }
                self.literal("url", url);
                self.put(key, json!(url));
                self.headers(headers.iter());
            }
        }
    }

    fn headers<'a>(&mut self, headers: impl Iterator<Item = (&'a String, &'a Setting)>) {
        let mut written = Map::new();
        let mut variables = Map::new();
        for (name, setting) in headers {
            match (setting, self.fields.header_variables, self.fields.bearer_variable) {
                (Setting::Variable { from_env, scheme: None }, Some(_), _) => {
                    variables.insert(name.clone(), json!(from_env));
                }
                (Setting::Variable { from_env, scheme: Some(scheme) }, _, Some(key))
                    if name == "Authorization" && scheme == "Bearer" =>
                {
                    self.put(key, json!(from_env));
                }
                _ => {
                    let text = self.setting(&format!("headers.{name}"), setting);
                    written.insert(name.clone(), json!(text));
                }
            }
        }
        self.table(self.fields.headers, written);
        if let Some(key) = self.fields.header_variables {
            self.table(key, variables);
        }
    }

    fn table(&mut self, key: &str, entries: Map<String, Value>) {
        if !entries.is_empty() {
            self.put(key, Value::Object(entries));
        }
    }

    fn kind(&mut self, transport: Transport) {
        if let Some((word, _)) = self.fields.kinds.iter().find(|(_, kind)| *kind == transport) {
            self.put(self.fields.kind, json!(word));
        }
    }

    /// The text of a value in the environment or in headers.
    fn setting(&mut self, field: &str, setting: &Setting) -> String {
        match setting {
            Setting::Literal { literal } => {
                if !references(literal, self.fields.notations).is_empty() {
                    self.problem(field, "is literal text that this agent would expand");
                }
                literal.clone()
            }
            Setting::Variable { from_env, scheme } => {
                let reference = self.fields.notations.iter().find_map(|notation| match notation {
                    Notation::Braces => Some(format!("${{{from_env}}}")),
                    Notation::EnvBraces => Some(format!("${{env:{from_env}}}")),
                    Notation::EnvCurly => Some(format!("{{env:{from_env}}}")),
                    Notation::Bare => Some(format!("${from_env}")),
                    Notation::Default | Notation::Shell => None,
                });
                if reference.is_none() {
                    let is_renamed = self.fields.passed_variables.is_some() && field.starts_with("environment.");
                    let problem = if is_renamed {
                        "refers to a variable with another name, which this agent cannot"
                    } else {
                        "refers to a variable, which this agent cannot"
                    };
                    self.problem(field, problem);
                }
                let scheme = scheme.as_ref().map(|scheme| format!("{scheme} ")).unwrap_or_default();
                scheme + &reference.unwrap_or_default()
            }
        }
    }

    /// Reports text that the agent would expand.
    fn literal(&mut self, field: &str, text: &str) {
        if self.fields.resolves_everywhere && !references(text, self.fields.notations).is_empty() {
            self.problem(field, "is literal text that this agent would expand");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::AGENTS;
    use super::*;

    fn server(json: &str) -> PortableServer {
        serde_json::from_str(json).unwrap()
    }

    fn problems(agent: &str, json: &str) -> Vec<String> {
        let agent = AGENTS.iter().find(|known| known.id == agent).unwrap();
        let written = write_native(agent, "x", &server(json));
        written.err().into_iter().flatten().map(|it| format!("{} {}", it.field, it.problem)).collect()
    }

    #[test]
    fn every_agent_reads_what_is_written_for_it() {
        let servers = [
            r#"{"transport": "stdio", "command": "npx", "args": ["-y", "a b"], "enabled": true}"#,
            r#"{"transport": "stdio", "command": "npx", "environment": {"A": {"literal": "x"}}, "enabled": false}"#,
            r#"{"transport": "http", "url": "https://h/mcp", "headers": {"X": {"literal": "y"}}, "enabled": true}"#,
        ];
        for agent in AGENTS {
            for json in servers {
                let server = server(json);
                let entry = write_native(agent, "x", &server).unwrap_or_else(|it| panic!("{}: {it:?}", agent.id));
                match entry {
                    Some(entry) => {
                        let read = read_native(agent, "x", &Value::Object(entry));
                        assert_eq!((read.server, read.problems), (Some(server), Vec::new()), "{}", agent.id);
                    }
                    None => assert!(!server.enabled && agent.fields.off == Off::Elsewhere, "{}", agent.id),
                }
            }
        }
    }

    #[test]
    fn writes_references_in_the_notation_of_the_agent() {
        let header = r#"{"transport": "http", "url": "https://h", "headers": {"Authorization": {"fromEnv": "T", "scheme": "Bearer"}}, "enabled": true}"#;
        for (agent, expected) in [
            ("claude-code", r#"{"type":"http","url":"https://h","headers":{"Authorization":"Bearer ${T}"}}"#),
            ("codex", r#"{"url":"https://h","bearer_token_env_var":"T"}"#),
            ("gemini-cli", r#"{"httpUrl":"https://h","headers":{"Authorization":"Bearer ${T}"}}"#),
            ("opencode", r#"{"type":"remote","url":"https://h","headers":{"Authorization":"Bearer {env:T}"}}"#),
            ("cursor", r#"{"url":"https://h","headers":{"Authorization":"Bearer ${env:T}"}}"#),
        ] {
            let agent = AGENTS.iter().find(|known| known.id == agent).unwrap();
            let entry = write_native(agent, "x", &server(header)).unwrap().unwrap();
            assert_eq!(Value::Object(entry).to_string(), expected, "{}", agent.id);
        }
    }

    #[test]
    fn refuses_what_an_agent_cannot_express() {
        let renamed =
            r#"{"transport": "stdio", "command": "x", "environment": {"A": {"fromEnv": "B"}}, "enabled": true}"#;
        let cwd = r#"{"transport": "stdio", "command": "x", "cwd": "sub", "enabled": true}"#;
        let literal = r#"{"transport": "stdio", "command": "x", "args": ["${A}"], "enabled": true}"#;
        for (agent, json, expected) in [
            ("codex", renamed, "environment.A refers to a variable with another name, which this agent cannot"),
            ("antigravity", renamed, "environment.A refers to a variable, which this agent cannot"),
            ("claude-code", cwd, "cwd has no effect in this agent"),
            ("grok", literal, "args[0] is literal text that this agent would expand"),
        ] {
            assert_eq!(problems(agent, json), [expected], "{agent}");
        }
        for (agent, json) in [("grok", renamed), ("codex", cwd), ("pi", literal)] {
            assert!(problems(agent, json).is_empty(), "{agent}");
        }
    }
}
