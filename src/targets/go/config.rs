//! The settings of a Go agent: what `internal/config` declares, from the table of variables.

use serde::Serialize;

use crate::{
    names::Casing,
    project::{Group, Kind, Project, Variable},
    render::literals::go_text,
};

/// A struct of settings.
#[derive(Debug, Serialize)]
pub(super) struct SettingGroup {
    /// Name of the struct, and of the field that holds it.
    r#type: &'static str,
    /// What it is for.
    comment: &'static str,
    /// Its fields.
    settings: Vec<Setting>,
}

/// A field with the variable that overrides it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Setting {
    /// The variable's whole name.
    variable: String,
    /// Name of the field.
    field: String,
    /// Type of the field.
    r#type: &'static str,
    /// The value that the agent is built with, as a Go expression; `None`: the zero value.
    value: Option<String>,
    /// What it does.
    comment: String,
}

/// What Go calls the settings of a group: the struct, what it is for, and the prefixes that its fields do without.
struct Shape(&'static str, &'static str, &'static [&'static str]);

fn shape(group: Group) -> Option<Shape> {
    Some(match group {
        Group::Server => Shape("Server", "Server says where and how requests are taken.", &["A2A_SERVER_", "A2A_"]),
        Group::Capabilities => Shape(
            "Capabilities",
            "Capabilities are the optional parts of the A2A protocol that are switched on.",
            &["A2A_CAPABILITIES_"],
        ),
        Group::Model => {
            Shape("Model", "Model says which language model answers and how it is asked.", &["A2A_AGENT_CLIENT_"])
        }
        Group::Tasks => Shape("Tasks", "Tasks bounds the tasks that are kept in memory.", &["A2A_TASK_RETENTION_"]),
        Group::Mcp => Shape("MCP", "MCP says which MCP servers offer tools and how they are reached.", &["A2A_MCP_"]),
        // Read where they are used, by the name that the manifest gives them.
        Group::Reference => return None,
    })
}

/// The settings of a project, in the table's order.
pub(super) fn groups(project: &Project) -> Vec<SettingGroup> {
    // Field names are part of the static sources: the manifest's own acronyms must not reach them.
    let casing = Casing::new([]);
    let mut groups: Vec<SettingGroup> = Vec::new();
    for variable in &project.variables {
        let Some(Shape(name, comment, prefixes)) = shape(variable.group) else { continue };
        if groups.last().is_none_or(|group| group.r#type != name) {
            groups.push(SettingGroup { r#type: name, comment, settings: Vec::new() });
        }
        let short = prefixes.iter().find_map(|prefix| variable.name.strip_prefix(prefix)).unwrap_or(&variable.name);
        if let Some(group) = groups.last_mut() {
            group.settings.push(Setting {
                variable: variable.name.clone(),
                field: casing.pascal(short),
                r#type: go_type(variable.kind),
                value: value(variable),
                comment: variable.text.clone(),
            });
        }
    }
    groups
}

fn go_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean => "bool",
        Kind::Integer => "int",
        Kind::OptionalInteger => "Optional[int]",
        Kind::OptionalNumber => "Optional[float64]",
        Kind::Duration => "time.Duration",
        Kind::Text | Kind::List | Kind::Pairs => "string",
    }
}

fn value(variable: &Variable) -> Option<String> {
    let default = variable.default.as_str();
    let value = match variable.kind {
        _ if default.is_empty() => return None,
        Kind::Boolean | Kind::Integer if matches!(default, "false" | "0") => return None,
        Kind::Text | Kind::List | Kind::Pairs => go_text(default),
        Kind::Boolean | Kind::Integer => default.to_owned(),
        Kind::OptionalInteger | Kind::OptionalNumber => {
            format!("{}{{Value: {default}, Set: true}}", go_type(variable.kind))
        }
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
    use crate::manifest::Manifest;

    fn setting(spec: &serde_json::Value, variable: &str) -> Setting {
        let mut whole = json!({
            "capabilities": {"streaming": true, "pushNotifications": false, "stateTransitionHistory": false},
            "server": {"port": 8080},
            "language": {"go": {"module": "example.com/x", "version": "1.25"}},
        });
        whole.as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
        let manifest: Manifest = serde_json::from_value(
            json!({"metadata": {"name": "x", "description": "x", "version": "0.1.0"}, "spec": whole}),
        )
        .unwrap();
        let groups = groups(&Project::resolve(&manifest));
        groups.into_iter().flat_map(|group| group.settings).find(|setting| setting.variable == variable).unwrap()
    }

    #[test]
    fn every_kind_has_its_go_type_and_value() {
        let agent = json!({
            "acronyms": ["port", "max"],
            "agent": {
                "systemPrompt": "Say \"hi\"",
                "maxTokens": 4096,
                "mcp": {"enabled": true, "callTimeout": "1h30m", "dialTimeout": "1.5s", "maxRetries": 0},
            },
        });
        for (variable, field, kind, value) in [
            ("A2A_SERVER_PORT", "Port", "int", "8080"),
            ("A2A_SERVER_TLS_CERT_PATH", "TLSCertPath", "string", ""),
            ("A2A_AGENT_URL", "AgentURL", "string", ""),
            ("A2A_CAPABILITIES_STREAMING", "Streaming", "bool", "true"),
            ("A2A_AGENT_CLIENT_SYSTEM_PROMPT", "SystemPrompt", "string", r#""Say \"hi\"""#),
            ("A2A_AGENT_CLIENT_MAX_TOKENS", "MaxTokens", "Optional[int]", "Optional[int]{Value: 4096, Set: true}"),
            ("A2A_AGENT_CLIENT_TEMPERATURE", "Temperature", "Optional[float64]", ""),
            ("A2A_MCP_CALL_TIMEOUT", "CallTimeout", "time.Duration", "90 * time.Minute"),
            ("A2A_MCP_DIAL_TIMEOUT", "DialTimeout", "time.Duration", "1500 * time.Millisecond"),
            ("A2A_MCP_MAX_RETRIES", "MaxRetries", "int", ""),
        ] {
            let setting = setting(&agent, variable);
            let found = setting.value.as_deref().unwrap_or_default();
            assert_eq!((setting.field.as_str(), setting.r#type, found), (field, kind, value));
        }
    }

    #[test]
    fn the_manifests_address_is_built_in() {
        let card = json!({"card": {"url": "https://agent.example.com"}});
        assert_eq!(setting(&card, "A2A_AGENT_URL").value.as_deref(), Some("\"https://agent.example.com\""));
    }
}
