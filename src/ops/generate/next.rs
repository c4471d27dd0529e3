//! Commands for the user to run after a generation.

use std::path::Path;

use crate::project::Project;
use crate::render::literals::shell_word;
use crate::targets::Plan;

/// The commands, a line each, ready for a POSIX shell: into the folder, test, set what must be set, start.
pub(super) fn commands(project: &Project, plan: &Plan, output: &Path) -> Vec<String> {
    let mut commands = Vec::new();
    if output != Path::new(".") {
        commands.push(format!("cd {}", word(output)));
    }
    commands.push(plan.test.to_owned());
    let to_set = project.variables.iter().filter(|variable| variable.is_to_be_set());
    commands.extend(to_set.map(|variable| format!("export {}=...", variable.name)));
    commands.push(plan.start.to_owned());
    commands
}

/// The command that generates the project of `file` in `output`. What is the default is left out.
pub(super) fn again(file: &Path, output: &Path) -> String {
    let flags = [("--file", file, "agent.yaml"), ("--output", output, ".")];
    let flags = flags.into_iter().filter(|(_, path, default)| *path != Path::new(default));
    flags.fold("adl generate".to_owned(), |command, (flag, path, _)| format!("{command} {flag} {}", word(path)))
}

/// A path that no command takes for a flag.
fn word(path: &Path) -> String {
    let path = path.display().to_string();
    shell_word(&if path.starts_with('-') { format!("./{path}") } else { path })
}
