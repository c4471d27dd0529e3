//! Target languages: each turns a project model into planned files.

mod card;
mod documents;
pub mod go;
mod identifiers;
pub mod runtime;
pub mod rust;
mod schema;
pub mod typescript;

use crate::files::Boundaries;
use crate::project::{Language, Project};
use crate::render::PlannedFile;

/// What separates a project from others, whichever language they are in.
pub const BOUNDARIES: Boundaries =
    Boundaries { roots: &["go.mod", "package.json", "Cargo.toml"], skipped: &["node_modules", "vendor", "target"] };

/// What a project becomes in its language.
#[derive(Debug)]
pub struct Plan {
    /// Every file, in no particular order.
    pub files: Vec<PlannedFile>,
    /// The command that tests the project, in its folder.
    pub test: &'static str,
    /// The command that starts the agent, in the project's folder.
    pub start: &'static str,
}

/// The environment file (`.env`) with every variable of the agent.
pub fn environment_file(project: &Project) -> PlannedFile {
    documents::environment(project, ".env")
}

/// Plans `project` in its language.
pub fn plan(project: &Project) -> Plan {
    match &project.language {
        Language::Go { module, version } => go::plan(project, module, *version),
        Language::TypeScript { package, node } => typescript::plan(project, package, node),
        Language::Rust { package, version } => rust::plan(project, package, version),
    }
}
