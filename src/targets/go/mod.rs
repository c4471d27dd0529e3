//! Go: module files, sources, container files and documentation of a generated agent.
//!
//! The output stands on the official SDKs of A2A, MCP and OpenAI; most of it is the same for every manifest. What differs
//! enters through the configuration's defaults, the agent card, the tools and `main.go`.

mod arguments;
mod config;
mod identifiers;
mod modules;
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
    names::Casing,
    project::{GoVersion, McpClient, Project},
    render::{PlannedFile, source},
};
use tools::Tool;

/// The command that tests a project, in its folder.
const TEST: &str = "go test ./...";

/// The command that starts an agent, in its project's folder.
const START: &str = "go run .";

/// A project as the Go templates need it.
struct GoProject<'a> {
    project: &'a Project,
    /// Module path.
    module: &'a str,
    /// Language version, at least the oldest that the packages compile with.
    version: GoVersion,
    /// The agent's own tools; without a model that could call them there are none.
    tools: Vec<Tool<'a>>,
}

impl<'a> GoProject<'a> {
    fn new(project: &'a Project, module: &'a str, version: GoVersion) -> Self {
        let casing = Casing::new(project.acronyms.iter().map(String::as_str));
        let callable = if project.model.is_some() { project.tools.as_slice() } else { &[] };
        Self { project, module, version: version.max(GoVersion::OLDEST), tools: tools::resolve(callable, &casing) }
    }

    /// The name of the binary that `go build` makes: the last element of the module path that is not a major version.
    fn binary(&self) -> &'a str {
        let is_major = |element: &&str| {
            element
                .strip_prefix('v')
                .is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
        };
        self.module.rsplit('/').find(|element| !is_major(element)).unwrap_or(self.module)
    }
}

/// What the project consists of. A version that the packages do not compile with is raised.
pub(super) fn plan(project: &Project, module: &str, version: GoVersion) -> Plan {
    let go = GoProject::new(project, module, version);
    let facts = LanguageFacts {
        language: "Go",
        start: START,
        checks: &[TEST, "go vet ./..."],
        tool_files: go.tools.iter().map(|tool| tool.file.clone()).collect(),
        handler: "handler/handler.go",
    };
    let image = Image::for_commands(project.mcp.iter().flat_map(McpClient::commands));
    let image = context! {
        go_version => go.version.to_string(),
        base => image.base,
        uv => image.uv,
        port => project.server.port,
    };
    let ignored = context! { binary => go.binary() };
    let mut files = vec![
        PlannedFile::generated("Dockerfile", source!("go/Dockerfile.j2").fill(image)),
        PlannedFile::generated(".dockerignore", source!("go/.dockerignore.j2").fill(())),
        PlannedFile::shared(".gitignore", Strategy::Lines, source!("go/.gitignore.j2").fill(ignored)),
    ];
    files.extend(documents::plan(project, &facts));
    files.extend(sources::plan(&go));
    Plan { files, test: TEST, start: START }
}
