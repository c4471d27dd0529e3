//! `adl mcp list`: the servers in the registries.

use std::path::{Path, PathBuf};

use super::McpError;
use crate::coding_agents::Scope;
use crate::host::{self, ReadProblem};
use crate::registry::{EffectiveServer, Fault, Registry, effective, read_registry};

/// Which servers.
#[derive(Debug, Clone)]
pub struct ListOptions {
    /// One registry; `None` for the servers that are effective in the project.
    pub scope: Option<Scope>,
    /// The folder of the project; `None` for the current folder.
    pub project: Option<PathBuf>,
}

/// The servers.
#[derive(Debug)]
pub struct Listed {
    /// The servers by name. Entries with faults are left out.
    pub servers: Vec<EffectiveServer>,
    /// What is wrong with the registries.
    pub faults: Vec<RegistryFault>,
}

/// What is wrong with a registry.
#[derive(Debug)]
pub struct RegistryFault {
    /// The registry.
    pub file: PathBuf,
    /// Line and column; `None` if the file cannot be read.
    pub place: Option<(usize, usize)>,
    /// The field; empty for the whole file.
    pub field: String,
    /// What is wrong.
    pub problem: String,
}

impl RegistryFault {
    pub(super) fn new(file: &Path, Fault { place, field, problem }: Fault) -> Self {
        Self { file: file.to_owned(), place: Some(place), field, problem }
    }

    /// An override without a server.
    pub(super) fn orphan(file: &Path, name: &str) -> Self {
        let problem = "inherits a server that the user does not have".to_owned();
        Self { file: file.to_owned(), place: None, field: format!("servers.{name}"), problem }
    }
}

/// Lists the servers of the registries. Reads files only.
pub fn list(options: &ListOptions) -> Result<Listed, McpError> {
    let folder = options.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let project = host::real_path(&folder).map_err(|source| McpError::Project { folder, source })?;
    let mut faults = Vec::new();
    let mut load = |scope, file: &Path| {
        let is_wanted = options.scope.is_none_or(|wanted| wanted == scope);
        if is_wanted { load_registry(scope, file, &mut faults) } else { Registry::default() }
    };
    let user = load(Scope::User, &user_folder()?.join("mcp/user.json"));
    let project_file = project.join(".adl/mcp.json");
    let project = load(Scope::Project, &project_file);
    let (servers, orphans) = effective(&user, &project);
    if options.scope.is_none() {
        faults.extend(orphans.iter().map(|orphan| RegistryFault::orphan(&project_file, &orphan.name)));
    }
    Ok(Listed { servers, faults })
}

/// The folder of everything that `adl` keeps for the user.
pub(super) fn user_folder() -> Result<PathBuf, McpError> {
    match host::path_variable("ADL_HOME") {
        Some(folder) => Ok(folder),
        None => Ok(host::home_folder().ok_or(McpError::NoHome)?.join(".adl")),
    }
}

fn load_registry(scope: Scope, file: &Path, faults: &mut Vec<RegistryFault>) -> Registry {
    let mut unreadable = |problem: String| {
        faults.push(RegistryFault { file: file.to_owned(), place: None, field: String::new(), problem });
        Registry::default()
    };
    let bytes = match host::read(file) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.problem, ReadProblem::Missing) => return Registry::default(),
        Err(error) => return unreadable(error.problem.to_string()),
    };
    let Ok(text) = String::from_utf8(bytes) else { return unreadable("it is not UTF-8 text".to_owned()) };
    let (registry, found) = read_registry(scope, &text);
    faults.extend(found.into_iter().map(|fault| RegistryFault::new(file, fault)));
    registry
}
