//! `adl mcp`: the MCP servers of coding agents.

mod agents;
mod change;
mod discover;
mod list;
mod plan;
mod planner;
mod recover;
mod state;
mod texts;

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::coding_agents::{CodingAgent, Scope};
use crate::files::{BatchError, FilesError};

pub use agents::{FoundAgent, agents};
pub use change::{confirm_change, plan_change};
pub use discover::{Conflict, DiscoverOptions, Discovered, FileProblem, FoundServer, coding_agent, discover};
pub use list::{ListOptions, Listed, RegistryFault, list};
pub use plan::{Attention, ChangeOptions, ChangePlan, Operation, PlanStep, StepAction};
pub use recover::{backups, recover};

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum McpError {
    /// There is no such coding agent.
    #[error("unknown coding agent `{id}`")]
    UnknownAgent {
        /// The name.
        id: String,
        /// A similar name.
        closest: Option<&'static str>,
    },
    /// No environment variable names the home folder.
    #[error("the home folder is unknown")]
    NoHome,
    /// The folder of the project does not exist, or cannot be read.
    #[error("cannot read the folder `{}`", folder.display())]
    Project {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A registry has faults, so nothing is planned.
    #[error("a registry of MCP servers is invalid")]
    InvalidRegistry {
        /// The faults.
        faults: Vec<RegistryFault>,
    },
    /// The registry has no such server.
    #[error("the registry of the {scope} has no server `{name}`")]
    UnknownServer {
        /// The name.
        name: String,
        /// The registry.
        scope: Scope,
    },
    /// The registry already has such a server.
    #[error("the registry of the {scope} already has a server `{name}`")]
    ServerExists {
        /// The name.
        name: String,
        /// The registry.
        scope: Scope,
    },
    /// An agent has no such server.
    #[error("{} has no server `{name}`", agent.title)]
    NotInAgent {
        /// The name.
        name: String,
        /// The agent.
        agent: &'static CodingAgent,
        /// For whom.
        scope: Scope,
    },
    /// A registry cannot contain the server of an agent.
    #[error("the server `{name}` of {} is not portable", agent.title)]
    NotPortable {
        /// The name.
        name: String,
        /// The agent.
        agent: &'static CodingAgent,
        /// The fields, and what is wrong with each.
        problems: Vec<String>,
    },
    /// A file cannot be read or edited.
    #[error("cannot use `{}`: {problem}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// The plan that was confirmed is not the current one.
    #[error("the plan has changed")]
    PlanChanged {
        /// The current plan.
        plan: Box<ChangePlan>,
    },
    /// Another run is changing servers.
    #[error(transparent)]
    Locked(Box<FilesError>),
    /// A file was not written; all changes were undone.
    #[error(transparent)]
    Write(#[from] BatchError),
}

impl McpError {
    fn unreadable(path: &Path, problem: &str) -> Self {
        Self::Unusable { path: path.to_owned(), problem: problem.to_owned() }
    }
}
