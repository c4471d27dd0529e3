//! Commands for the generated project: the hooks of the manifest (`spec.hooks.post`), which run on request, and the
//! next commands for the user.

use std::fmt;
use std::io;
use std::path::Path;

use thiserror::Error;

use crate::host::{self, Ending};
use crate::project::Project;
use crate::render::literals::{is_hidden, shell_word};
use crate::secrets::Secrets;
use crate::targets::Plan;

/// A program and its arguments, split into words like in a POSIX shell but not run by one. `Display` quotes it for a
/// POSIX shell, replaces control characters with U+FFFD and masks secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    program: String,
    arguments: Vec<String>,
    /// Program and arguments for display.
    shown: Vec<String>,
}

impl Hook {
    /// Parses a command. Returns `None` if it is empty or has an unclosed quote, which a finding reports.
    pub(super) fn parse(command: &str, secrets: &Secrets) -> Option<Self> {
        let words = shlex::split(command)?;
        let shown = secrets.masked_words(&words);
        let mut words = words.into_iter();
        Some(Self { program: words.next()?, arguments: words.collect(), shown })
    }

    fn shown_program(&self) -> String {
        self.shown.first().cloned().unwrap_or_default()
    }
}

impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.shown.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ");
        let is_control = |character| is_hidden(character) && character != '\n';
        f.write_str(&line.replace(is_control, "\u{fffd}"))
    }
}

/// A hook failed. Later hooks are not run.
#[derive(Debug, Error)]
#[error("hook `{hook}` failed")]
pub struct HookError {
    /// The hook.
    pub hook: Hook,
    /// The reason.
    #[source]
    pub problem: HookProblem,
    /// The number of hooks that were not run.
    pub left: usize,
}

/// Why a hook failed.
#[derive(Debug, Error)]
pub enum HookProblem {
    /// The program was not found.
    #[error("program `{program}` not found")]
    NoProgram {
        /// The name or path of the program, for display.
        program: String,
    },
    /// The program could not be started.
    #[error("cannot be started")]
    NotStarted(#[source] io::Error),
    /// The program exited with a status other than 0.
    #[error("exited with status {0}")]
    Status(i32),
    /// The program was terminated by a signal.
    #[error("terminated by signal {0}")]
    Signal(i32),
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
}

/// Runs hooks in `folder`, one after the other. `starting` is called before each.
///
/// # Errors
/// Returns an error for the first hook that fails; later hooks are not run.
pub fn run_hooks(hooks: &[Hook], folder: &Path, starting: &mut dyn FnMut(&Hook)) -> Result<(), HookError> {
    for (index, hook) in hooks.iter().enumerate() {
        starting(hook);
        let failed = |problem| HookError { hook: hook.clone(), problem, left: hooks.len() - index - 1 };
        let problem = match host::run_program(&hook.program, &hook.arguments, folder) {
            Ok(Ending::Done) => continue,
            Ok(Ending::Status(status)) => HookProblem::Status(status),
            Ok(Ending::Signal(signal)) => HookProblem::Signal(signal),
            Ok(Ending::Interrupted) => HookProblem::Interrupted,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                HookProblem::NoProgram { program: hook.shown_program() }
            }
            Err(error) => HookProblem::NotStarted(error),
        };
        return Err(failed(problem));
    }
    Ok(())
}

/// The commands to run next, one per line, for a POSIX shell: change to the folder, test, set required variables,
/// start.
pub(super) fn next_commands(project: &Project, plan: &Plan, output: &Path) -> Vec<String> {
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

/// The command that generates the project of `file` in `output`. Default values are omitted.
pub(super) fn command_again(file: &Path, output: &Path) -> String {
    let flags = [("--file", file, "agent.yaml"), ("--output", output, ".")];
    let flags = flags.into_iter().filter(|(_, path, default)| *path != Path::new(default));
    flags.fold("adl generate".to_owned(), |command, (flag, path, _)| format!("{command} {flag} {}", word(path)))
}

/// A path quoted for a shell, with `./` before a leading `-`.
fn word(path: &Path) -> String {
    let path = path.display().to_string();
    shell_word(&if path.starts_with('-') { format!("./{path}") } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(command: &str) -> Option<Hook> {
        Hook::parse(command, &Secrets::default())
    }

    #[test]
    fn masks_secrets_only_in_output() {
        for (command, shown) in [
            ("curl -H 'Authorization: Bearer opensesame' x.com", "curl -H 'Authorization: Bearer <hidden>' x.com"),
            ("sh -c 'TOKEN=opensesame run'", "sh -c 'TOKEN=<hidden> run'"),
            ("TOKEN=opensesame", "'TOKEN=<hidden>'"),
            ("x --token opensesame", "x --token '<hidden>'"),
        ] {
            let hook = parse(command).unwrap();
            assert_eq!(hook.to_string(), shown);
            assert!(hook.arguments.iter().chain([&hook.program]).any(|word| word.contains("opensesame")), "{hook:?}");
        }
    }

    #[test]
    fn splits_and_prints_hooks_like_a_shell() {
        for (command, shown) in [
            ("go mod  tidy", "go mod tidy"),
            (r#"sh -c "go vet ./... && echo 'done'""#, r"sh -c 'go vet ./... && echo '\''done'\'''"),
            (r"touch a\ b 'c d' e\'f", r"touch 'a b' 'c d' 'e'\''f'"),
            ("echo $HOME | cat", "echo '$HOME' '|' cat"),
            ("echo ''", "echo ''"),
        ] {
            let hook = parse(command).unwrap();
            assert_eq!(hook.to_string(), shown, "{command}");
            assert_eq!(parse(shown), Some(hook), "{command}");
        }
        assert_eq!(parse("echo \x1b[2J").unwrap().to_string(), "echo '\u{fffd}[2J'");
        for command in ["", "  ", "echo 'a", "echo \"a", "# a comment"] {
            assert_eq!(parse(command), None, "{command}");
        }
    }
}
