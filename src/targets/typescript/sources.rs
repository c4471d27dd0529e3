//! The files of a TypeScript project that depend on its manifest.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{TypeScriptProject, packages, tools::Tool};
use crate::{
    merge::Strategy,
    project::{Connection, Entry, Feature, McpClient, McpServer, Project, Protocol, Variable, providers::PROVIDERS},
    render::{PlannedFile, source},
    targets::card,
};

pub(super) fn plan(typescript: &TypeScriptProject<'_>) -> Vec<PlannedFile> {
    let project = typescript.project;
    let (manifest, lock) = packages::files(project, typescript.package);
    let mut files = vec![
        json_file("package.json", source!("typescript/package.json.j2").fill(json!({"manifest": manifest}))),
        json_file("package-lock.json", source!("typescript/package-lock.json.j2").fill(json!({"lock": lock}))),
        PlannedFile::generated("src/main.ts", source!("typescript/src/main.ts.j2").fill(features(project))),
        PlannedFile::generated("src/main.test.ts", source!("typescript/src/main.test.ts.j2").fill(features(project))),
        PlannedFile::generated(
            "src/config.ts",
            source!("typescript/src/config.ts.j2").fill(Configuration::new(project)),
        ),
        PlannedFile::generated("src/card.ts", source!("typescript/src/card.ts.j2").fill(CardFile::new(project))),
    ];
    if project.has(Feature::Handler) {
        files.push(PlannedFile::seeded("src/handler.ts", source!("typescript/src/handler.ts.j2").fill(())));
    }
    files.extend(tools(&typescript.tools));
    files
}

fn json_file(path: &str, content: crate::render::Content) -> PlannedFile {
    PlannedFile::shared(path, Strategy::Text, content)
}

/// What the entry point does or does not put together.
fn features(project: &Project) -> Map<String, Value> {
    let security = ("security", !project.card.security_schemes.is_empty());
    // The test of the agent has an HTTP server in place of those of the manifest. Nothing takes the place of commands, and a
    // test should not start them.
    let is_scripted =
        |mcp: &McpClient| mcp.transports.iter().any(|one| one == "http") && mcp.commands().next().is_none();
    let scripted = ("scripted", project.mcp.as_ref().is_some_and(is_scripted));
    project.features().into_iter().chain([security, scripted]).map(|(name, on)| (name.to_owned(), json!(on))).collect()
}

/// What `config.ts` prints.
#[derive(Debug, Serialize)]
struct Configuration<'a> {
    model: bool,
    mcp: bool,
    variables: Vec<&'a Variable>,
    scheme: &'a str,
    providers: &'static [crate::project::providers::Provider],
    mcp_servers: Value,
    mcp_transports: &'a [String],
    written: bool,
}

impl<'a> Configuration<'a> {
    fn new(project: &'a Project) -> Self {
        let mcp = project.mcp.as_ref();
        Self {
            model: project.has(Feature::Model),
            mcp: mcp.is_some(),
            variables: project.variables.iter().filter(|variable| variable.is_setting()).collect(),
            scheme: &project.server.scheme,
            providers: &PROVIDERS,
            mcp_servers: mcp.map(servers).unwrap_or_default(),
            mcp_transports: mcp.map(|mcp| mcp.transports.as_slice()).unwrap_or_default(),
            written: mcp.is_some_and(|mcp| mcp.retry_max_interval_written),
        }
    }
}

/// The servers as the run-time code declares them.
fn servers(mcp: &McpClient) -> Value {
    let entries = |entries: &[Entry]| -> Value {
        Value::Object(entries.iter().map(|entry| (entry.name.clone(), json!(entry.value))).collect())
    };
    let server = |server: &McpServer| {
        let members = match &server.connection {
            Connection::Http(remote) | Connection::Sse(remote) => {
                let transport = if matches!(server.connection, Connection::Sse(_)) { "sse" } else { "http" };
                let (name, url, headers) = (&server.name, &remote.url, entries(&remote.headers));
                json!({"name": name, "transport": transport, "url": url, "headers": headers})
            }
            Connection::Stdio { command, args, env } => {
                let env = entries(env);
                json!({"name": server.name, "transport": "stdio", "command": command, "args": args, "env": env})
            }
        };
        let is_empty = |value: &Value| match value {
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        };
        let members = members.as_object().into_iter().flatten().filter(|(_, value)| !is_empty(value));
        Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
    };
    mcp.servers.iter().map(server).collect()
}

/// What `card.ts` prints.
#[derive(Debug, Serialize)]
struct CardFile<'a> {
    name: &'a str,
    version: &'a str,
    fixed: Value,
    v03: bool,
    protocol_version: &'a str,
    /// The capabilities that the agent never has.
    absent: Vec<&'static str>,
}

impl<'a> CardFile<'a> {
    fn new(project: &'a Project) -> Self {
        let v03 = project.card.protocol == Protocol::Both;
        let mut absent = Vec::new();
        if !project.has(Feature::Push) {
            absent.push("pushNotifications");
        }
        // Protocol 1.0 has it no more.
        if v03 && !project.has(Feature::History) {
            absent.push("stateTransitionHistory");
        }
        Self {
            name: &project.name,
            version: &project.version,
            absent,
            fixed: card::fixed(project),
            v03,
            protocol_version: &project.card.protocol_version,
        }
    }
}

fn tools(tools: &[Tool<'_>]) -> Vec<PlannedFile> {
    if tools.is_empty() {
        return Vec::new();
    }
    let index = source!("typescript/src/tools/index.ts.j2");
    let test = source!("typescript/src/tools/index.test.ts.j2");
    let services = source!("typescript/src/tools/services.ts.j2");
    let mut files = vec![
        PlannedFile::generated("src/tools/index.ts", index.fill(json!({"tools": tools}))),
        PlannedFile::generated("src/tools/index.test.ts", test.fill(())),
        PlannedFile::seeded("src/tools/services.ts", services.fill(())),
    ];
    for tool in tools {
        let file = format!("src/tools/{}.ts", tool.stem);
        let test = format!("src/tools/{}.test.ts", tool.stem);
        files.push(PlannedFile::seeded(&file, source!("typescript/src/tools/tool.ts.j2").fill(json!({"tool": tool}))));
        files.push(PlannedFile::seeded(
            &test,
            source!("typescript/src/tools/tool.test.ts.j2").fill(json!({"tool": tool})),
        ));
    }
    files
}
