//! The files of a Rust project that depend on its manifest.

use serde_json::{Map, Value, json};

use super::{RustProject, packages, tools};
use crate::{
    merge::Strategy,
    project::{Connection, Entry, Feature, McpClient, McpServer, Project, Protocol, providers::PROVIDERS},
    render::{PlannedFile, source},
    targets::card,
};

pub(super) fn plan(rust: &RustProject<'_>) -> Vec<PlannedFile> {
    let project = rust.project;
    let (manifest, lock) = packages::files(project, rust.package, &rust.version);
    let features = features(project);
    let mut files = vec![
        PlannedFile::shared("Cargo.toml", Strategy::Text, source!("rust/Cargo.toml.j2").fill(manifest)),
        PlannedFile::shared("Cargo.lock", Strategy::Text, source!("rust/Cargo.lock.j2").fill(lock)),
        PlannedFile::generated(
            "src/agent.json",
            source!("rust/src/agent.json.j2").fill(json!({"manifest": agent(rust)})),
        ),
        PlannedFile::generated("src/lib.rs", source!("rust/src/lib.rs.j2").fill(&features)),
        PlannedFile::generated("src/main.rs", source!("rust/src/main.rs.j2").fill(&features)),
        PlannedFile::generated("tests/agent.rs", source!("rust/tests/agent.rs.j2").fill(&features)),
    ];
    if project.has(Feature::Handler) {
        files.push(PlannedFile::seeded("src/handler.rs", source!("rust/src/handler.rs.j2").fill(())));
    }
    if rust.tools.is_empty() {
        return files;
    }
    let toolbox = source!("rust/src/tools/toolbox.rs.j2");
    let catalogue = source!("rust/src/tools/mod.rs.j2").fill(tools::Catalogue::new(&rust.tools));
    files.push(PlannedFile::generated("src/tools/mod.rs", catalogue));
    files.push(PlannedFile::seeded("src/tools/toolbox.rs", toolbox.fill(())));
    for tool in &rust.tools {
        let file = format!("src/tools/{}.rs", tool.module);
        files.push(PlannedFile::seeded(&file, source!("rust/src/tools/tool.rs.j2").fill(json!({"tool": tool}))));
    }
    files
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

/// What the manifest says, as the program reads it.
fn agent(rust: &RustProject<'_>) -> Value {
    let project = rust.project;
    let is_both = project.card.protocol == Protocol::Both;
    let mut card = card::fixed(project);
    if is_both {
        set(&mut card, "protocolVersion", json!(project.card.protocol_version));
    }
    let settings = project.variables.iter().filter(|variable| variable.is_setting());
    let defaults: Map<_, _> =
        settings.map(|variable| (String::from(&*variable.name), json!(variable.default))).collect();
    let mut agent = json!({
        "name": project.name,
        "version": project.version,
        "card": card,
        "protocols": if is_both { vec!["1.0", "0.3"] } else { vec!["1.0"] },
        "scheme": project.server.scheme,
        "defaults": defaults,
    });
    if project.has(Feature::Model) {
        let provider = |provider: &crate::project::providers::Provider| {
            (provider.name.to_owned(), json!({"baseUrl": provider.address, "keyVariable": provider.key}))
        };
        set(&mut agent, "providers", Value::Object(PROVIDERS.iter().map(provider).collect()));
    }
    if let Some(mcp) = &project.mcp {
        let client = json!({
            "servers": mcp.servers.iter().map(declared).collect::<Vec<_>>(),
            "transports": mcp.transports,
            "setsRetryMaxInterval": mcp.retry_max_interval_written,
        });
        set(&mut agent, "mcp", client);
    }
    if !rust.tools.is_empty() {
        let tool =
            |tool: &tools::Tool<'_>| json!({"name": tool.name, "description": tool.description, "schema": tool.schema});
        set(&mut agent, "tools", rust.tools.iter().map(tool).collect());
    }
    agent
}

/// Adds a key to an object.
fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}

/// A server as the run-time code reads it.
fn declared(server: &McpServer) -> Value {
    let entries = |entries: &[Entry]| -> Value {
        Value::Object(entries.iter().map(|entry| (entry.name.clone(), json!(entry.value))).collect())
    };
    match &server.connection {
        Connection::Http(remote) | Connection::Sse(remote) => {
            let transport = if matches!(server.connection, Connection::Sse(_)) { "sse" } else { "http" };
            json!({"name": server.name, "transport": transport, "url": remote.url, "headers": entries(&remote.headers)})
        }
        Connection::Stdio { command, args, env } => json!({
            "name": server.name, "transport": "stdio", "command": command, "args": args, "env": entries(env),
        }),
    }
}
