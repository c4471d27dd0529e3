//! The files of a Go project that are not Go: documentation, container files, the example environment.

use minijinja::{Value, context, value::Serde};
use serde::Serialize;

use super::GoProject;
use crate::{
    merge::Strategy,
    names,
    project::{Connection, Group, McpClient, McpServer, Project, Protocol, Variable},
    render::{PlannedFile, source},
};

/// A heading and its variables.
#[derive(Serialize)]
struct VariableGroup {
    title: &'static str,
    variables: Vec<Row>,
}

/// A variable as tables and the example environment show it.
#[derive(Serialize)]
struct Row {
    name: String,
    kind: &'static str,
    default: String,
    /// The default in Markdown.
    shown: String,
    /// The manifest field in Markdown.
    source: String,
    text: String,
    required: bool,
}

/// An MCP server as the README shows it.
#[derive(Serialize)]
struct ServerRow<'a> {
    name: &'a str,
    address: String,
}

/// Longest default that a table shows; longer ones are named by their field.
const SHOWN_DEFAULT: usize = 60;

pub(super) fn plan(go: &GoProject<'_>) -> Vec<PlannedFile> {
    let project = go.project;
    let groups = Value::from(Serde(groups(&project.variables)));
    let mut files = vec![
        PlannedFile::shared("README.md", Strategy::Sections, source!("go/README.md.j2").fill(readme(go, &groups))),
        PlannedFile::generated(
            "CONFIGURATIONS.md",
            source!("go/CONFIGURATIONS.md.j2")
                .fill(context! { title => names::title(&project.name), groups => groups.clone() }),
        ),
        PlannedFile::generated(
            "Dockerfile",
            source!("go/Dockerfile.j2")
                .fill(context! { go_version => go.version.to_string(), port => project.server.port }),
        ),
        PlannedFile::generated(".dockerignore", source!("go/.dockerignore.j2").fill(())),
        PlannedFile::shared(
            ".gitignore",
            Strategy::Lines,
            source!("go/.gitignore.j2").fill(context! { binary => go.binary() }),
        ),
    ];
    if project.docker_compose {
        let names: Vec<_> = settable(project).map(|variable| context! { name => variable.name.as_str() }).collect();
        let compose = context! { service => project.name.as_str(), port => project.server.port, variables => names };
        files.push(PlannedFile::generated("docker-compose.yaml", source!("go/docker-compose.yaml.j2").fill(compose)));
        files.push(environment(project, ".env.example"));
    }
    files
}

/// An env file: `.env.example`, or one that an agent is set up with.
pub(super) fn environment(project: &Project, path: &str) -> PlannedFile {
    let groups = Value::from(Serde(groups(settable(project))));
    let context = context! { groups, is_example => path == ".env.example" };
    PlannedFile::shared(path, Strategy::Variables, source!("go/.env.example.j2").fill(context))
}

/// The variables that a file may set.
fn settable(project: &Project) -> impl Iterator<Item = &Variable> {
    project.variables.iter().filter(|variable| !variable.is_of_process())
}

fn readme(go: &GoProject<'_>, groups: &Value) -> Value {
    let project = go.project;
    let tools: Vec<_> = go
        .tools
        .iter()
        .map(|tool| {
            let tags = tool.tags.join(", ");
            context! { name => tool.name, description => tool.description, tags, file => tool.file.as_str() }
        })
        .collect();
    let own_files = if project.model.is_none() {
        "`handler/handler.go` is"
    } else if go.tools.is_empty() {
        "What you add is"
    } else {
        "Those of the table above are"
    };
    context! {
        title => names::title(&project.name),
        description => project.description.as_str(),
        has_model => project.model.is_some(),
        exports => exports(project),
        port => project.server.port,
        protocols => match project.card.protocol { Protocol::Both => "versions 0.3 and 1.0", Protocol::One => "version 1.0" },
        ask_url => format!("http://localhost:{}/a2a", project.server.port),
        tools,
        mcp_servers => Serde(project.mcp.as_ref().map(mcp_servers)),
        groups => groups.clone(),
        image => project.name.as_str(),
        own_files,
    }
}

/// The shell lines that set what the agent cannot start without, and the key that it most likely needs.
fn exports(project: &Project) -> Vec<String> {
    let key = |variable: &&Variable| variable.name.ends_with("_API_KEY") && variable.group == Group::Reference;
    let wanted = project.variables.iter().filter(|variable| variable.required || key(variable));
    let wanted = wanted.filter(|variable| !variable.is_of_process());
    wanted.map(|variable| format!("export {}=...", variable.name)).collect()
}

fn mcp_servers(mcp: &McpClient) -> Vec<ServerRow<'_>> {
    let address = |server: &McpServer| match &server.connection {
        Connection::Http(remote) | Connection::Sse(remote) => remote.url.clone(),
        Connection::Stdio { command, .. } => command.clone(),
    };
    mcp.servers.iter().map(|server| ServerRow { name: &server.name, address: address(server) }).collect()
}

fn groups<'a>(variables: impl IntoIterator<Item = &'a Variable>) -> Vec<VariableGroup> {
    let mut groups: Vec<VariableGroup> = Vec::new();
    for variable in variables {
        let title = variable.group.title();
        if groups.last().is_none_or(|group| group.title != title) {
            groups.push(VariableGroup { title, variables: Vec::new() });
        }
        if let Some(group) = groups.last_mut() {
            group.variables.push(row(variable));
        }
    }
    groups
}

fn row(variable: &Variable) -> Row {
    let default = &variable.default;
    let shown = if default.is_empty() {
        "empty".to_owned()
    } else if default.len() > SHOWN_DEFAULT || default.contains(['\n', '\r', '`', '|']) {
        "the manifest's".to_owned()
    } else {
        format!("`{default}`")
    };
    Row {
        name: variable.name.clone(),
        kind: variable.kind.title(),
        default: default.clone(),
        shown,
        source: variable.field.map_or_else(String::new, |field| format!("`{field}`")),
        text: variable.text.clone(),
        required: variable.required,
    }
}
