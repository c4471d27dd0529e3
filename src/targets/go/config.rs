//! The settings of a Go agent: what `config.go` composes, from the table of variables and the `env` tags of the run-time code.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Serialize;

use super::{GoProject, runtime};
use crate::{
    project::{Kind, McpClient, Variable},
    render::literals::{go_string, go_text},
};

/// What the template `config.go` prints.
#[derive(Debug, Serialize)]
pub(super) struct Config<'a> {
    module: &'a str,
    has_model: bool,
    has_mcp: bool,
    groups: Vec<Group>,
    /// Optional values that have a default: variables that the values point to.
    optionals: Vec<Optional>,
    /// A system prompt of several lines, which gets a constant of its own.
    system_prompt: Option<&'a str>,
    mcp: Option<&'a McpClient>,
}

/// A part of the configuration: the settings of a package.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Group {
    /// Name of the field, and the blanks behind it.
    field: String,
    /// The field as the key of a literal.
    key: String,
    /// Its type.
    r#type: &'static str,
    /// The fields that are not zero.
    values: Vec<Value>,
}

/// A field of a literal.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Value {
    /// Its name, a colon, and blanks.
    key: String,
    /// A Go expression.
    value: String,
}

/// A local variable.
#[derive(Debug, Serialize)]
struct Optional {
    name: String,
    value: String,
}

/// Every struct with settings: its package, its name, and the field of the configuration that holds it.
const STRUCTS: [(&str, &str, &str, &str); 6] = [
    ("internal/server/", "Config", "Server", "server.Config"),
    ("internal/server/", "Capabilities", "Capabilities", "server.Capabilities"),
    ("internal/server/", "Retention", "Tasks", "server.Retention"),
    ("internal/llm/", "Config", "Model", "llm.Config"),
    ("internal/agent/", "Config", "Agent", "agent.Config"),
    ("internal/mcp/", "Config", "MCP", "mcp.Config"),
];

/// Where a variable's value goes: the index of its struct in [`STRUCTS`], and the field.
type Place = (usize, &'static str);

/// The place of every variable that a struct of the run-time code has a tag for.
static PLACES: LazyLock<BTreeMap<&str, Place>> = LazyLock::new(|| {
    let mut places = BTreeMap::new();
    for file in runtime::FILES {
        let mut current = None;
        for line in file.source.text.lines() {
            if let Some(name) = line.strip_prefix("type ").and_then(|rest| rest.strip_suffix(" struct {")) {
                current =
                    STRUCTS.iter().position(|(folder, known, ..)| file.path.starts_with(folder) && *known == name);
            }
            let tag = line.split_once("`env:\"").and_then(|(_, tag)| tag.split_once('"'));
            if let (Some(index), Some((variable, _)), Some(field)) = (current, tag, line.split_whitespace().next()) {
                places.insert(variable, (index, field));
            }
        }
    }
    places
});

pub(super) fn context<'a>(go: &GoProject<'a>) -> Config<'a> {
    let project = go.project;
    let prompt = project.model.as_ref().map(|model| model.system_prompt.as_str());
    let system_prompt = prompt.filter(|prompt| prompt.contains('\n'));
    let mut optionals = Vec::new();
    let mut groups: Vec<Group> = Vec::new();
    for (index, (_, _, field, r#type)) in STRUCTS.into_iter().enumerate() {
        let of_group = |variable: &&Variable| {
            PLACES.get(variable.name.as_str()).is_some_and(|(struct_index, _)| *struct_index == index)
        };
        let mut variables = project.variables.iter().filter(of_group).peekable();
        if variables.peek().is_none() {
            continue;
        }
        let mut values = Vec::new();
        for variable in variables {
            let Some((_, name)) = PLACES.get(variable.name.as_str()) else { continue };
            let mut value = expression(variable);
            if *name == "SystemPrompt" && system_prompt.is_some() {
                value = Some("systemPrompt".to_owned());
            } else if matches!(variable.kind, Kind::OptionalInteger | Kind::OptionalNumber) {
                value = value.map(|value| {
                    let local = uncapitalized(name);
                    optionals.push(Optional { name: local.clone(), value });
                    format!("&{local}")
                });
            }
            values.extend(value.map(|value| (*name, value)));
        }
        match field {
            "Server" => values.push(("Scheme", go_string(&project.server.scheme))),
            "MCP" if project.mcp.as_ref().is_some_and(|mcp| mcp.retry_max_interval_written) => {
                values.push(("FixedRetryMax", "true".to_owned()));
            }
            _ => {}
        }
        let width = values.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let values =
            values.into_iter().map(|(name, value)| Value { key: pad(&format!("{name}:"), width + 1), value }).collect();
        groups.push(Group { field: field.to_owned(), key: format!("{field}:"), r#type, values });
    }
    let width = groups.iter().map(|group| group.field.len()).max().unwrap_or(0);
    for group in &mut groups {
        group.field = pad(&group.field, width);
    }
    Config {
        module: go.module,
        has_model: project.model.is_some(),
        has_mcp: project.mcp.is_some(),
        groups,
        optionals,
        system_prompt,
        mcp: project.mcp.as_ref(),
    }
}

fn pad(text: &str, width: usize) -> String {
    format!("{text:width$}")
}

fn uncapitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_ascii_lowercase(), letters.as_str()))
}

/// The default of a variable as a Go expression; `None`: the zero value.
fn expression(variable: &Variable) -> Option<String> {
    let default = variable.default.as_str();
    let value = match variable.kind {
        _ if default.is_empty() => return None,
        Kind::Boolean | Kind::Integer if matches!(default, "false" | "0") => return None,
        Kind::Text | Kind::List | Kind::Pairs => go_text(default),
        Kind::OptionalNumber if default.bytes().all(|digit| digit.is_ascii_digit()) => format!("{default}.0"),
        Kind::Boolean | Kind::Integer | Kind::OptionalInteger | Kind::OptionalNumber => default.to_owned(),
        Kind::Duration => variable.nanoseconds().map_or_else(|| default.to_owned(), go_duration),
    };
    Some(value)
}

/// A duration as a product with the largest unit that divides it: `90 * time.Minute`.
fn go_duration(nanoseconds: i64) -> String {
    const UNITS: [(i64, &str); 6] = [
        (3_600_000_000_000, "time.Hour"),
        (60_000_000_000, "time.Minute"),
        (1_000_000_000, "time.Second"),
        (1_000_000, "time.Millisecond"),
        (1_000, "time.Microsecond"),
        (1, "time.Nanosecond"),
    ];
    let unit = UNITS.iter().find(|(size, _)| nanoseconds % size == 0);
    let (size, name) = unit.copied().unwrap_or((1, "time.Nanosecond"));
    match nanoseconds / size {
        1 => name.to_owned(),
        count => format!("{count} * {name}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        manifest::Manifest,
        project::{Group as VariableGroup, Project, providers::PROVIDERS},
    };

    fn project(spec: &serde_json::Value) -> Project {
        let mut whole = json!({
            "capabilities": {"streaming": true, "pushNotifications": true, "stateTransitionHistory": true},
            "server": {"port": 8080},
            "language": {"go": {"module": "example.com/x", "version": "1.25"}},
        });
        whole.as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
        let manifest: Manifest = serde_json::from_value(
            json!({"metadata": {"name": "x", "description": "x", "version": "0.1.0"}, "spec": whole}),
        )
        .unwrap();
        Project::resolve(&manifest)
    }

    fn everything() -> Project {
        project(&json!({
            "acronyms": ["port", "max"],
            "card": {"url": "https://agent.example.com"},
            "agent": {
                "systemPrompt": "Say \"hi\"",
                "maxTokens": 4096,
                "temperature": 0,
                "mcp": {"enabled": true, "callTimeout": "1h30m", "dialTimeout": "1.5s", "maxRetries": 0},
            },
        }))
    }

    fn of(project: &Project) -> Config<'_> {
        context(&GoProject::new(project, "example.com/x", crate::project::GoVersion::OLDEST))
    }

    #[test]
    fn every_variable_has_a_field_in_the_run_time_code_and_every_field_a_variable() {
        let project = everything();
        let variables: Vec<_> = project
            .variables
            .iter()
            .filter(|variable| variable.group != VariableGroup::Reference)
            .map(|variable| variable.name.as_str())
            .collect();
        for variable in &variables {
            assert!(PLACES.contains_key(variable), "no field has the tag {variable}");
        }
        for variable in PLACES.keys() {
            assert!(variables.contains(variable), "{variable} is not in the table of variables");
        }
    }

    #[test]
    fn defaults_are_go_expressions() {
        let project = everything();
        let config = of(&project);
        let values: BTreeMap<_, _> = config
            .groups
            .iter()
            .flat_map(|group| group.values.iter().map(move |value| (group.key.as_str(), value)))
            .map(|(group, value)| (format!("{group}{}", value.key.trim_end()), value.value.as_str()))
            .collect();
        for (key, value) in [
            ("Server:Port:", Some("8080")),
            ("Server:AgentURL:", Some("\"https://agent.example.com\"")),
            ("Server:TLSCertPath:", None),
            ("Server:TLSEnabled:", None),
            ("Capabilities:Streaming:", Some("true")),
            ("Agent:SystemPrompt:", Some(r#""Say \"hi\"""#)),
            ("Model:MaxTokens:", Some("&maxTokens")),
            ("MCP:CallTimeout:", Some("90 * time.Minute")),
            ("MCP:DialTimeout:", Some("1500 * time.Millisecond")),
            ("MCP:MaxRetries:", None),
        ] {
            assert_eq!(values.get(key).copied(), value, "{key}");
        }
        let optionals: Vec<_> =
            config.optionals.iter().map(|local| (local.name.as_str(), local.value.as_str())).collect();
        assert_eq!(optionals, [("maxTokens", "4096"), ("temperature", "0.0")]);
    }

    #[test]
    fn a_prompt_of_several_lines_is_a_constant() {
        let project = project(&json!({"agent": {"systemPrompt": "one\ntwo"}}));
        let config = of(&project);
        assert_eq!(config.system_prompt, Some("one\ntwo"));
        let agent = config.groups.iter().find(|group| group.key == "Agent:").unwrap();
        assert!(agent.values.iter().any(|value| value.value == "systemPrompt"), "{agent:?}");
    }

    #[test]
    fn the_model_client_knows_every_provider() {
        let client = runtime::FILES.iter().find(|file| file.path == "internal/llm/client.go").unwrap();
        let lines: Vec<String> =
            client.source.text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        for provider in PROVIDERS {
            let row = format!("{:?}: {{{:?}, {:?}}},", provider.name, provider.address, provider.key);
            assert!(lines.contains(&row), "{row} is missing in {}", client.path);
        }
        assert_eq!(lines.iter().filter(|line| line.contains("_API_KEY\"}")).count(), PROVIDERS.len());
    }
}
