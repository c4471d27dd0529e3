//! The agent's own tools as Go has them: a handler that the user fills in, and types for its arguments.

use serde::Serialize;
use serde_json::Value;

use super::arguments::{self, Declaration};
use super::identifiers::{exported, tool_files};
use crate::{names::Casing, project, targets::identifiers::Identifiers};

/// One tool.
#[derive(Debug, Serialize)]
pub(super) struct Tool<'a> {
    /// The name that the model sees.
    pub(super) name: &'a str,
    /// What it does.
    pub(super) description: &'a str,
    /// Free words.
    pub(super) tags: &'a [String],
    /// JSON Schema of its arguments.
    pub(super) schema: &'a Value,
    /// What the user's method is for, for the comment above it.
    pub(super) comment: String,
    /// The user's file, from the project's folder.
    pub(super) file: String,
    /// The file of the test beside it.
    pub(super) test_file: String,
    /// The user's method.
    pub(super) handler: String,
    /// Type of the method's arguments.
    pub(super) arguments: String,
    /// That type and the types it needs.
    pub(super) declarations: Vec<Declaration>,
}

/// Identifiers of `tools.go` and `catalog.go` that no tool may take.
const TAKEN: [&str; 4] = ["Catalog", "Logger", "New", "Tools"];

pub(super) fn resolve<'a>(tools: &'a [project::Tool], casing: &Casing) -> Vec<Tool<'a>> {
    let mut identifiers = Identifiers::with_taken(TAKEN);
    let mut files = tool_files();
    // Handlers first: a function's name then never depends on the arguments of another tool.
    let handlers: Vec<_> =
        tools.iter().map(|tool| exported(&mut identifiers, &casing.pascal(&tool.id), "Tool")).collect();
    tools
        .iter()
        .zip(handlers)
        .map(|(tool, handler)| {
            let arguments = exported(&mut identifiers, &format!("{handler}Arguments"), "Tool");
            let comment = format!("{arguments} are the arguments of {handler}.");
            let stem = files.stem(&tool.id);
            Tool {
                comment: handler_comment(&handler, tool),
                name: &tool.name,
                description: &tool.description,
                tags: &tool.tags,
                schema: &tool.schema,
                file: format!("tools/{stem}.go"),
                test_file: format!("tools/{stem}_test.go"),
                declarations: arguments::declare(&arguments, comment, &tool.schema, casing, &mut identifiers),
                handler,
                arguments,
            }
        })
        .collect()
}

fn handler_comment(handler: &str, tool: &project::Tool) -> String {
    let project::Tool { name, description, .. } = tool;
    format!(
        "{handler} answers the model's calls of the tool {name}. The text goes back to the model; so does the text of an \
         error, for the model to try again.\n\nThe model knows the tool by these words:\n\n{description}"
    )
}
