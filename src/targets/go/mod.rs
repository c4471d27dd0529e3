//! Go: module files, sources, container files and documentation of a generated agent.
//!
//! The output stands on the official SDKs of A2A, MCP and OpenAI; most of it is the same for every manifest. What differs
//! enters through the configuration's defaults, the agent card, the tools and `main.go`.

mod arguments;
mod config;
mod documents;
mod identifiers;
mod modules;
pub mod runtime;
mod sources;
mod tools;

use crate::{
    names::Casing,
    project::{GoVersion, Project},
    render::PlannedFile,
};
use tools::Tool;

/// The command that tests a project, in its folder.
pub const TEST: &str = "go test ./...";

/// The command that starts an agent, in its project's folder.
pub const START: &str = "go run .";

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

/// The env file that an agent is set up with, `.env`.
pub fn env_file(project: &Project) -> PlannedFile {
    documents::environment(project, ".env")
}

/// Every file of the project, in no particular order. A version that the packages do not compile with is raised.
pub fn plan(project: &Project, module: &str, version: GoVersion) -> Vec<PlannedFile> {
    let go = GoProject::new(project, module, version);
    let mut files = documents::plan(&go);
    files.extend(sources::plan(&go));
    files
}
