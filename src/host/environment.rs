//! The environment of the process: variables, folders and programs.

use std::env;
use std::path::PathBuf;

/// An environment variable that contains a path; `None` if it is not set or empty.
#[expect(clippy::disallowed_methods, reason = "`host` asks the machine")]
pub fn path_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The home folder of the user.
pub fn home_folder() -> Option<PathBuf> {
    path_variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" }).filter(|home| home.is_absolute())
}

/// Whether a program is in a folder of `PATH`.
pub fn is_installed(program: &str) -> bool {
    let names = if cfg!(windows) { &[".exe", ".cmd"][..] } else { &[""] };
    let path = path_variable("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| names.iter().any(|suffix| folder.join(format!("{program}{suffix}")).is_file()))
}
