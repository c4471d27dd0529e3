//! Where an agent keeps its servers: paths of files, and tables in them.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::facts::CodingAgent;
use crate::document::config::Config;

/// For whom a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The user, in all projects.
    User,
    /// Everybody who works on a project.
    Project,
    /// The user, in one project.
    Local,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        })
    }
}

/// The paths of an agent's files for the user. `variable` returns an environment variable.
pub fn user_files(agent: &CodingAgent, home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let files = agent.user.iter().map(|file| {
        let moved = file.variables.iter().find_map(|(name, below)| {
            let folder = variable(name).filter(|folder| folder.is_absolute())?;
            Some(if below.is_empty() { folder } else { folder.join(below) })
        });
        moved.unwrap_or_else(|| home.join(file.path))
    });
    files.collect()
}

/// The tables of servers in a file, with their scope. `is_project` tells whether a path names the project.
pub fn native_entries(
    agent: &CodingAgent,
    config: &Config,
    scope: Scope,
    is_project: &dyn Fn(&Path) -> bool,
) -> Vec<(Scope, Vec<String>)> {
    let owned = |path: &[&str]| path.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
    let mut tables = vec![(scope, owned(agent.servers))];
    if scope == Scope::User && agent.has_local_scope {
        let projects = config.get(&["projects"]).and_then(|projects| projects.as_object());
        for project in projects.into_iter().flatten().map(|(path, _)| path).filter(|path| is_project(Path::new(path))) {
            tables.push((Scope::Local, owned(&[&["projects", project.as_str()], agent.servers].concat())));
        }
    }
    tables
}
