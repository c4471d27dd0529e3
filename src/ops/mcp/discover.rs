//! `adl mcp discover`: the servers in the files of coding agents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::McpError;
use crate::coding_agents::{
    AGENTS, CodingAgent, Native, Parents, Scope, fingerprint, native_entries, read_native, user_files,
};
use crate::document::config::{Config, SyntaxError};
use crate::host::{self, ReadProblem};
use crate::names::closest;

/// Where to look.
#[derive(Debug, Clone, Default)]
pub struct DiscoverOptions {
    /// Names of coding agents; empty for all.
    pub agents: Vec<String>,
    /// One scope; `None` for all.
    pub scope: Option<Scope>,
    /// The folder of the project; `None` for the current folder.
    pub project: Option<PathBuf>,
}

/// What was found.
#[derive(Debug)]
pub struct Discovered {
    /// The servers, by name.
    pub servers: Vec<FoundServer>,
    /// Names that stand for different definitions.
    pub conflicts: Vec<Conflict>,
    /// Files that the agent, or this program, cannot read.
    pub problems: Vec<FileProblem>,
}

/// A server in a file.
#[derive(Debug)]
pub struct FoundServer {
    /// Its name.
    pub name: String,
    /// Whose file it is.
    pub agent: &'static CodingAgent,
    /// For whom it is.
    pub scope: Scope,
    /// The file.
    pub file: PathBuf,
    /// Line and column of its name.
    pub place: Option<(usize, usize)>,
    /// What the entry means.
    pub native: Native,
    /// Tells definitions apart; `None` if there is none.
    pub fingerprint: Option<String>,
}

/// Different definitions with one name.
#[derive(Debug)]
pub struct Conflict {
    /// The name.
    pub name: String,
    /// The fingerprints.
    pub fingerprints: Vec<String>,
}

/// A file that cannot be read.
#[derive(Debug)]
pub struct FileProblem {
    /// Whose file it is.
    pub agent: &'static CodingAgent,
    /// The file.
    pub file: PathBuf,
    /// Line and column, for syntax errors.
    pub place: Option<(usize, usize)>,
    /// What is wrong.
    pub problem: String,
}

/// Lists the servers in the files of coding agents. Reads files only.
pub fn discover(options: &DiscoverOptions) -> Result<Discovered, McpError> {
    let agents = selected(&options.agents)?;
    let home = host::home_folder().ok_or(McpError::NoHome)?;
    let folder = options.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let project = host::real_path(&folder).map_err(|source| McpError::Project { folder, source })?;
    let mut found = Discovered { servers: Vec::new(), conflicts: Vec::new(), problems: Vec::new() };
    for agent in agents {
        let user = user_files(agent, &home, &host::path_variable);
        let user = user.into_iter().map(|file| (Scope::User, file)).filter(|_| options.scope != Some(Scope::Project));
        let of_project = project_files(agent, &project, &home).into_iter().map(|file| (Scope::Project, file));
        let of_project = of_project.filter(|_| options.scope.is_none_or(|scope| scope == Scope::Project));
        for (scope, file) in user.chain(of_project) {
            found.read(agent, scope, &file, &project);
        }
    }
    found.servers.retain(|server| options.scope.is_none_or(|scope| scope == server.scope));
    found.servers.sort_by(|one, other| one.name.cmp(&other.name));
    found.conflicts = conflicts(&found.servers);
    Ok(found)
}

fn selected(ids: &[String]) -> Result<Vec<&'static CodingAgent>, McpError> {
    if ids.is_empty() {
        return Ok(AGENTS.iter().collect());
    }
    ids.iter().map(|id| coding_agent(id)).collect()
}

/// The coding agent with this name.
///
/// # Errors
/// If there is none.
pub fn coding_agent(id: &str) -> Result<&'static CodingAgent, McpError> {
    AGENTS.iter().find(|agent| agent.id == id).ok_or_else(|| McpError::UnknownAgent {
        id: id.to_owned(),
        closest: closest(id, AGENTS.iter().map(|agent| agent.id))
            .and_then(|id| AGENTS.iter().find(|agent| agent.id == id))
            .map(|agent| agent.id),
    })
}

/// The existing files of a project, and of the folders above it that the agent reads, too. The user's own files are none.
fn project_files(agent: &CodingAgent, project: &Path, home: &Path) -> Vec<PathBuf> {
    let folders: Vec<&Path> = match agent.parents {
        Parents::None => vec![project],
        Parents::All => project.ancestors().collect(),
        Parents::Repository => {
            let root = project.ancestors().position(|folder| host::exists(&folder.join(".git")));
            project.ancestors().take(root.map_or(1, |root| root + 1)).collect()
        }
    };
    let mut files = Vec::new();
    for folder in folders {
        let before = files.len();
        for file in agent.project {
            let path = folder.join(file.path);
            if host::exists(&path) && (!file.is_fallback || files.len() == before) {
                files.push(path);
            }
        }
    }
    let own = user_files(agent, home, &host::path_variable);
    files.retain(|file| !own.iter().any(|own| host::is_same_file(file, own)));
    files
}

impl Discovered {
    fn read(&mut self, agent: &'static CodingAgent, scope: Scope, file: &Path, project: &Path) {
        let mut problem = |place, problem: String| {
            self.problems.push(FileProblem { agent, file: file.to_owned(), place, problem });
        };
        let bytes = match host::read(file) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.problem, ReadProblem::Missing) => return,
            Err(error) => return problem(None, error.problem.to_string()),
        };
        let Ok(text) = String::from_utf8(bytes) else {
            return problem(None, "it is not UTF-8 text".to_owned());
        };
        if text.trim_start_matches('\u{feff}').trim().is_empty() {
            return;
        }
        let place = |error: &SyntaxError| Some((error.line, error.column));
        let config = match Config::parse(agent.dialect, text) {
            Ok(config) => config,
            Err(error) => return problem(place(&error), error.problem),
        };
        if let Err(error) = agent.dialect.check(config.text()) {
            problem(place(&error), format!("{} rejects the file: {}", agent.title, error.problem));
        }
        let is_project = |path: &Path| path == project || host::is_same_file(path, project);
        for (scope, table) in native_entries(agent, &config, scope, &is_project) {
            let path: Vec<_> = table.iter().map(String::as_str).collect();
            match config.get(&path) {
                None | Some(Value::Null) => {}
                Some(Value::Object(entries)) => {
                    for (name, entry) in entries {
                        let native = read_native(agent, name, entry);
                        self.servers.push(FoundServer {
                            name: name.clone(),
                            agent,
                            scope,
                            file: file.to_owned(),
                            place: config.place(&[path.as_slice(), &[name.as_str()]].concat()),
                            fingerprint: native.server.as_ref().map(fingerprint),
                            native,
                        });
                    }
                }
                Some(_) => self.problems.push(FileProblem {
                    agent,
                    file: file.to_owned(),
                    place: config.place(&path),
                    problem: format!("`{}` is not a table of servers", agent.servers.join(".")),
                }),
            }
        }
    }
}

/// Definitions in different files that differ. Agents that read one file may see different parts of it.
fn conflicts(servers: &[FoundServer]) -> Vec<Conflict> {
    let mut known: BTreeMap<&str, Vec<(&Path, &str)>> = BTreeMap::new();
    for server in servers {
        if let Some(fingerprint) = &server.fingerprint {
            known.entry(&server.name).or_default().push((&server.file, fingerprint));
        }
    }
    known.retain(|_, found| {
        found.iter().any(|(file, one)| found.iter().any(|(other_file, other)| file != other_file && one != other))
    });
    let conflict = |(name, found): (&str, Vec<(&Path, &str)>)| {
        let fingerprints: BTreeSet<_> = found.into_iter().map(|(_, fingerprint)| fingerprint.to_owned()).collect();
        Conflict { name: name.to_owned(), fingerprints: fingerprints.into_iter().collect() }
    };
    known.into_iter().map(conflict).collect()
}
