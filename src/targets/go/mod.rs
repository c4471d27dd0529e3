//! Go: module files, sources, container files and documentation of a generated agent.
//!
//! The output stands on the official SDKs of A2A, MCP and OpenAI; most of it is the same for every manifest. What differs
//! enters through the configuration's defaults, the agent card, the tools and `main.go`.

mod arguments;
mod config;
mod documents;
mod identifiers;
mod modules;
mod sources;
mod tools;

use crate::{names::Casing, project::Project, render::PlannedFile};
use tools::Tool;

/// The oldest Go that the SDKs compile with.
pub const OLDEST_VERSION: &str = "1.25";

/// A project as the Go templates need it.
struct GoProject<'a> {
    project: &'a Project,
    /// Module path.
    module: &'a str,
    /// Language version, at least [`OLDEST_VERSION`].
    version: String,
    /// The agent's own tools; without a model that could call them there are none.
    tools: Vec<Tool<'a>>,
}

impl<'a> GoProject<'a> {
    fn new(project: &'a Project, module: &'a str, version: &str) -> Self {
        let casing = Casing::new(project.acronyms.iter().map(String::as_str));
        let callable = if project.model.is_some() { project.tools.as_slice() } else { &[] };
        Self { project, module, version: at_least_oldest(version), tools: tools::resolve(callable, &casing) }
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

/// Every file of the project, in no particular order.
pub fn plan(project: &Project, module: &str, version: &str) -> Vec<PlannedFile> {
    let go = GoProject::new(project, module, version);
    let mut files = documents::plan(&go);
    files.extend(sources::plan(&go));
    files
}

/// `version`, raised to [`OLDEST_VERSION`] where it is older.
fn at_least_oldest(version: &str) -> String {
    if is_too_old(version) { OLDEST_VERSION.to_owned() } else { version.to_owned() }
}

/// Whether a Go version is older than the SDKs allow. A version that cannot be read is not judged here.
pub fn is_too_old(version: &str) -> bool {
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u32>().ok());
    let mut parts = version.split('.');
    let oldest = (Some(1), Some(25));
    let found = (number(parts.next()), number(parts.next()));
    found.0.is_some() && found.1.is_some() && found < oldest
}
