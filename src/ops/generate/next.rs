//! What to run after a generation.

use std::path::Path;

use crate::project::{Group, Project};
use crate::render::literals::shell_word;
use crate::targets::Plan;

/// The commands, a line each, ready for a POSIX shell: into the folder, test, set what must be set, start.
pub(super) fn commands(project: &Project, plan: &Plan, output: &Path) -> Vec<String> {
    let mut commands = Vec::new();
    if output != Path::new(".") {
        let folder = output.display().to_string();
        let folder = if folder.starts_with('-') { format!("./{folder}") } else { folder };
        commands.push(format!("cd {}", shell_word(&folder)));
    }
    commands.push(plan.test.to_owned());
    let to_set = project.variables.iter().filter(|variable| variable.required || variable.group == Group::Reference);
    commands.extend(to_set.map(|variable| format!("export {}=...", variable.name)));
    commands.push(plan.start.to_owned());
    commands
}
