//! Rust: package files, sources, container files and documentation of a generated agent.
//!
//! The output stands on the official SDKs of A2A and MCP. Most of it is the run-time code; what the manifest says enters as a
//! file of JSON that is compiled in, so that no text of it has to become a literal.

mod packages;
pub mod runtime;
mod sources;
mod tools;

use minijinja::context;

use super::{
    Plan,
    documents::{self, LanguageFacts},
};
use crate::{
    mcp::Image,
    merge::Strategy,
    project::{McpClient, OLDEST_RUST, Project},
    render::{PlannedFile, source},
};
use tools::Tool;

/// The command that tests a project, in its folder.
const TEST: &str = "cargo test --locked";

/// The command that starts an agent, in its project's folder.
const START: &str = "cargo run --locked";

/// A project as the Rust templates need it.
struct RustProject<'a> {
    project: &'a Project,
    /// Name of the package.
    package: &'a str,
    /// Version of Rust, at least the oldest that builds the output.
    version: String,
    /// The agent's own tools; without a model that could call them there are none.
    tools: Vec<Tool<'a>>,
}

/// What the project consists of. A version of Rust that cannot build it is raised.
pub(super) fn plan(project: &Project, package: &str, version: &str) -> Plan {
    let callable = if project.model.is_some() { project.tools.as_slice() } else { &[] };
    let minor = version.strip_prefix("1.").and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    let version = match minor {
        Some(minor) if minor >= OLDEST_RUST => version.to_owned(),
        _ => format!("1.{OLDEST_RUST}"),
    };
    let rust = RustProject { project, package, version, tools: tools::resolve(callable) };
    let facts = LanguageFacts {
        language: "Rust",
        start: START,
        checks: &[TEST, "cargo clippy --locked --all-targets -- -D warnings", "cargo fmt --check"],
        tool_files: rust.tools.iter().map(|tool| format!("src/tools/{}.rs", tool.module)).collect(),
        handler: "src/handler.rs",
    };
    let image = Image::for_commands(project.mcp.iter().flat_map(McpClient::commands));
    let image = context! {
        rust_version => &rust.version,
        base => image.base,
        uv => image.uv,
        port => project.server.port,
    };
    let mut files = vec![
        PlannedFile::generated("Dockerfile", source!("rust/Dockerfile.j2").fill(image)),
        PlannedFile::generated(".dockerignore", source!("rust/.dockerignore.j2").fill(())),
        PlannedFile::shared(".gitignore", Strategy::Lines, source!("rust/.gitignore.j2").fill(())),
    ];
    files.extend(documents::plan(project, &facts));
    files.extend(runtime::plan(project));
    files.extend(sources::plan(&rust));
    Plan { files, test: TEST, start: START }
}
