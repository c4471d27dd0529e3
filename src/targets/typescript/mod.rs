//! TypeScript: package files, sources, container files and documentation of a generated agent.
//!
//! The output stands on the official SDKs of A2A, MCP and OpenAI and runs on Node.js as it is, without a build. Most of it is the
//! run-time code; what differs enters through the configuration's defaults, the agent card and the tools.

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
    project::{McpClient, OLDEST_NODE, Project},
    render::{PlannedFile, source},
};
use tools::Tool;

/// The command that tests a project, in its folder.
const TEST: &str = "npm ci && npm test";

/// The command that starts an agent, in its project's folder.
const START: &str = "npm ci && npm start";

/// A project as the TypeScript templates need it.
struct TypeScriptProject<'a> {
    project: &'a Project,
    /// Name of the npm package.
    package: &'a str,
    /// The agent's own tools; without a model that could call them there are none.
    tools: Vec<Tool<'a>>,
}

/// What the project consists of. A version of Node.js that cannot run it is raised.
pub(super) fn plan(project: &Project, package: &str, node: &str) -> Plan {
    let callable = if project.model.is_some() { project.tools.as_slice() } else { &[] };
    let major = node.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(OLDEST_NODE + 2);
    let tools = tools::resolve(callable, project.acronyms.iter().map(String::as_str));
    let typescript = TypeScriptProject { project, package, tools };
    let facts = LanguageFacts {
        language: "TypeScript",
        start: START,
        checks: &["npm run check", "npm run lint", "npm test"],
        tool_files: typescript.tools.iter().map(|tool| format!("src/tools/{}.ts", tool.stem)).collect(),
        handler: "src/handler.ts",
    };
    let commands: Vec<_> = project.mcp.iter().flat_map(McpClient::commands).collect();
    let programs = Image::of_node(commands.iter().copied());
    let image = context! {
        node => major.max(OLDEST_NODE),
        starts_servers => !commands.is_empty(),
        python => programs.adds_python,
        uv => programs.uv,
        port => project.server.port,
    };
    let mut files = vec![
        PlannedFile::generated("Dockerfile", source!("typescript/Dockerfile.j2").fill(image)),
        PlannedFile::generated(".dockerignore", source!("typescript/.dockerignore.j2").fill(())),
        PlannedFile::shared(".gitignore", Strategy::Lines, source!("typescript/.gitignore.j2").fill(())),
    ];
    files.extend(documents::plan(project, &facts));
    files.extend(runtime::plan(project));
    files.extend(sources::plan(&typescript));
    Plan { files, test: TEST, start: START }
}
