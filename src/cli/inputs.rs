//! The manifests that a command reads.

use std::path::PathBuf;

use crate::ops::Input;

/// The manifest that is read by default.
const DEFAULT: &str = "agent.yaml";

/// The paths on the command line.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct InputArguments {
    /// Manifests, folders with manifests, or `-` for standard input
    #[arg(value_name = "PATH", default_value = DEFAULT)]
    paths: Vec<PathBuf>,
}

impl InputArguments {
    /// The inputs of an operation.
    pub(super) fn inputs(&self) -> Vec<Input> {
        let input =
            |path: &PathBuf| if path.as_os_str() == "-" { Input::StandardInput } else { Input::Path(path.clone()) };
        self.paths.iter().map(input).collect()
    }

    /// `adl COMMAND` with the same arguments, for a POSIX shell.
    pub(super) fn command(&self, command: &str) -> String {
        let is_default = matches!(self.paths.as_slice(), [path] if path.as_os_str() == DEFAULT);
        let inputs = if is_default { Vec::new() } else { self.inputs() };
        let mut words = vec![format!("adl {command}")];
        words.extend(inputs.iter().map(Input::shell_word));
        words.join(" ")
    }
}
