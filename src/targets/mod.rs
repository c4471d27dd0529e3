//! Target languages: each turns a project model into planned files.

mod documents;
pub mod go;
mod identifiers;
pub mod runtime;
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

/// The environment file (`.env`) with every variable of the agent; `None`: its language has no templates yet.
pub fn environment_file(project: &Project) -> Option<PlannedFile> {
    match &project.language {
        Language::Go { .. } | Language::TypeScript { .. } => Some(documents::environment(project, ".env")),
        Language::Rust => None,
    }
}

/// Plans `project` in its language; `None`: that language has no templates yet.
pub fn plan(project: &Project) -> Option<Plan> {
    match &project.language {
        Language::Go { module, version } => Some(go::plan(project, module, *version)),
        Language::TypeScript { package, node } => Some(typescript::plan(project, package, node)),
        Language::Rust => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::TargetLanguage;

    #[test]
    fn a_language_has_templates_where_the_table_of_support_says_so() {
        for (language, block) in [
            (TargetLanguage::Go, r#"{"go": {"module": "example.com/x", "version": "1.25"}}"#),
            (TargetLanguage::TypeScript, r#"{"typescript": {"packageName": "x", "nodeVersion": "22"}}"#),
            (TargetLanguage::Rust, r#"{"rust": {"packageName": "x", "version": "1.90", "edition": "2024"}}"#),
        ] {
            let manifest = format!(
                r#"{{"metadata": {{"name": "x", "description": "x", "version": "1.0.0"}}, "spec": {{
                    "capabilities": {{"streaming": true, "pushNotifications": false, "stateTransitionHistory": false}},
                    "server": {{"port": 8080}}, "language": {block}}}}}"#
            );
            let project = Project::resolve(&serde_json::from_str(&manifest).unwrap());
            assert_eq!(plan(&project).is_some(), language.is_generated(), "{language:?}");
        }
    }
}
