//! The documents of a project, in whichever language: README, `CONFIGURATIONS.md`, compose file and environment file.

use serde::Serialize;

use crate::{
    merge::Strategy,
    names,
    project::{Connection, McpClient, Project, Protocol, Variable},
    render::{PlannedFile, source},
};

/// What documents say about a project's language.
#[derive(Debug, Serialize)]
pub(super) struct LanguageFacts {
    /// The language's name.
    pub(super) language: &'static str,
    /// The command that starts the agent.
    pub(super) start: &'static str,
    /// The commands that check the project.
    pub(super) checks: &'static [&'static str],
    /// The user's file of each of the agent's tools, in the order of the project.
    pub(super) tool_files: Vec<String>,
    /// The user's file that answers where there is no model.
    pub(super) handler: &'static str,
}

/// The documents of a project.
pub(super) fn plan(project: &Project, facts: &LanguageFacts) -> Vec<PlannedFile> {
    let readme = Readme::new(project, facts);
    let configuration = Configuration { title: names::title(&project.name), groups: groups(project.variables.iter()) };
    let mut files = vec![
        PlannedFile::shared("README.md", Strategy::Sections, source!("shared/README.md.j2").fill(readme)),
        PlannedFile::generated("CONFIGURATIONS.md", source!("shared/CONFIGURATIONS.md.j2").fill(configuration)),
    ];
    if project.docker_compose {
        let compose = Compose { service: &project.name, port: project.server.port };
        let compose = source!("shared/docker-compose.yaml.j2").fill(compose);
        files.push(PlannedFile::generated("docker-compose.yaml", compose));
        files.push(environment(project, ".env.example"));
    }
    files
}

/// An environment file: `.env.example`, which sets what the manifest states and shows the rest, or one that an agent is set up with,
/// which sets everything.
pub(super) fn environment(project: &Project, path: &str) -> PlannedFile {
    let is_example = path == ".env.example";
    let (first, rest): (Vec<_>, Vec<_>) = settable(project).partition(|variable| is_example && variable.is_to_be_set());
    let mut groups = groups(rest);
    if !first.is_empty() {
        groups.insert(0, VariableGroup { title: "Set these first", variables: first.into_iter().map(row).collect() });
    }
    for variable in groups.iter_mut().flat_map(|group| &mut group.variables) {
        variable.is_set |= !is_example;
    }
    let context = Environment { is_example, groups };
    PlannedFile::shared(path, Strategy::Variables, source!("shared/.env.example.j2").fill(context))
}

/// The variables that a file may set.
fn settable(project: &Project) -> impl Iterator<Item = &Variable> {
    project.variables.iter().filter(|variable| !variable.is_of_process())
}

#[derive(Debug, Serialize)]
struct Readme<'a> {
    title: String,
    description: &'a str,
    #[serde(flatten)]
    facts: &'a LanguageFacts,
    has_model: bool,
    /// The shell lines that set what the agent cannot start without.
    exports: Vec<String>,
    port: u16,
    protocols: &'static str,
    tools: Vec<ToolRow<'a>>,
    mcp_servers: Option<Vec<ServerRow<'a>>>,
    has_compose: bool,
    /// The security schemes that the card announces, in a list.
    schemes: String,
    image: &'a str,
}

/// One of the agent's own tools.
#[derive(Debug, Serialize)]
struct ToolRow<'a> {
    name: &'a str,
    description: &'a str,
    tags: String,
    file: &'a str,
}

/// An MCP server.
#[derive(Debug, Serialize)]
struct ServerRow<'a> {
    name: &'a str,
    address: &'a str,
}

impl<'a> Readme<'a> {
    fn new(project: &'a Project, facts: &'a LanguageFacts) -> Self {
        let tools: Vec<_> = project
            .tools
            .iter()
            .zip(&facts.tool_files)
            .map(|(tool, file)| ToolRow {
                name: &tool.name,
                description: &tool.description,
                tags: tool.tags.join(", "),
                file,
            })
            .collect();
        Self {
            title: names::title(&project.name),
            description: &project.description,
            facts,
            has_model: project.model.is_some(),
            exports: exports(project),
            port: project.server.port,
            protocols: match project.card.protocol {
                Protocol::Both => "versions 0.3 and 1.0",
                Protocol::One => "version 1.0",
            },
            tools,
            mcp_servers: project.mcp.as_ref().map(mcp_servers),
            has_compose: project.docker_compose,
            schemes: project
                .card
                .security_schemes
                .iter()
                .map(|scheme| scheme.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
            image: &project.name,
        }
    }
}

/// The shell lines that set what the agent cannot start without, and the key that it most likely needs.
fn exports(project: &Project) -> Vec<String> {
    let wanted = project.variables.iter().filter(|variable| variable.is_to_be_set());
    wanted.map(|variable| format!("export {}=...", variable.name)).collect()
}

fn mcp_servers(mcp: &McpClient) -> Vec<ServerRow<'_>> {
    mcp.servers.iter().map(|server| ServerRow { name: &server.name, address: address(&server.connection) }).collect()
}

fn address(connection: &Connection) -> &str {
    match connection {
        Connection::Http(remote) | Connection::Sse(remote) => &remote.url,
        Connection::Stdio { command, .. } => command,
    }
}

#[derive(Debug, Serialize)]
struct Configuration<'a> {
    title: String,
    groups: Vec<VariableGroup<'a>>,
}

#[derive(Debug, Serialize)]
struct Environment<'a> {
    is_example: bool,
    groups: Vec<VariableGroup<'a>>,
}

#[derive(Debug, Serialize)]
struct Compose<'a> {
    service: &'a str,
    port: u16,
}

/// A heading and its variables.
#[derive(Debug, Serialize)]
struct VariableGroup<'a> {
    title: &'static str,
    variables: Vec<Row<'a>>,
}

/// A variable as tables and environment files show it.
#[derive(Debug, Serialize)]
struct Row<'a> {
    name: &'a str,
    kind: &'static str,
    default: &'a str,
    /// The default in Markdown.
    shown: String,
    /// The manifest field in Markdown.
    source: String,
    text: &'a str,
    required: bool,
    /// Whether an environment file sets it.
    is_set: bool,
}

/// Longest default that a table shows; longer ones are named by their field.
const SHOWN_DEFAULT: usize = 60;

fn groups<'a>(variables: impl IntoIterator<Item = &'a Variable>) -> Vec<VariableGroup<'a>> {
    let mut groups: Vec<VariableGroup<'_>> = Vec::new();
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

fn row(variable: &Variable) -> Row<'_> {
    let default = &variable.default;
    let shown = if default.is_empty() {
        "empty".to_owned()
    } else if default.len() > SHOWN_DEFAULT || default.contains(['\n', '\r', '`', '|']) {
        "the manifest's".to_owned()
    } else {
        format!("`{default}`")
    };
    Row {
        name: &variable.name,
        kind: variable.kind.title(),
        default,
        shown,
        source: variable.field.map_or_else(String::new, |field| format!("`{field}`")),
        text: &variable.text,
        required: variable.required,
        is_set: variable.is_stated || variable.is_to_be_set(),
    }
}
