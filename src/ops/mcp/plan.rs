//! What a command that changes servers is, and what it would do.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::coding_agents::{CodingAgent, Scope};
use crate::files::FileEdit;

/// A command that changes servers.
#[derive(Debug, Clone)]
pub struct ChangeOptions {
    /// What changes in a registry.
    pub operation: Operation,
    /// The registry that changes, and whose servers the agents get; `None` for both, which only [`Operation::Sync`] can.
    pub scope: Option<Scope>,
    /// The folder of the project; `None` for the current folder.
    pub project: Option<PathBuf>,
    /// Whether entries that somebody else wrote or edited are replaced.
    pub overwrite: bool,
}

/// A change of a registry. The agents get the result of each.
#[derive(Debug, Clone)]
pub enum Operation {
    /// None.
    Sync,
    /// Adds a server.
    Add {
        /// Its name.
        name: String,
        /// Its entry in the registry.
        entry: Map<String, Value>,
    },
    /// Removes a server.
    Remove {
        /// Its name.
        name: String,
    },
    /// Moves a server, which must not exist there, to the registry of the scope; the agents get both scopes.
    Move {
        /// Its name.
        name: String,
    },
    /// Adds the server of an agent to a registry. The agents get nothing yet.
    Adopt {
        /// The coding agent.
        agent: &'static CodingAgent,
        /// Its name.
        name: String,
        /// For whom the agent has it.
        from: Scope,
    },
    /// Enables or disables a server.
    Switch {
        /// Its name.
        name: String,
        /// Whether it is enabled.
        enabled: bool,
    },
}

/// What a command would do.
#[derive(Debug)]
pub struct ChangePlan {
    /// Identifies the edits.
    pub token: String,
    /// The registries that change.
    pub registries: Vec<PathBuf>,
    /// The entries of agents, by server.
    pub steps: Vec<PlanStep>,
    /// What the user must do afterwards.
    pub attention: Vec<Attention>,
    /// All edits, in registries, files of agents and the state.
    pub(super) edits: Vec<FileEdit>,
}

/// One entry of an agent.
#[derive(Debug)]
pub struct PlanStep {
    /// The server.
    pub server: String,
    /// The agent.
    pub agent: &'static CodingAgent,
    /// For whom the entry is.
    pub scope: Scope,
    /// The file; `None` if the agent has none for the scope.
    pub file: Option<PathBuf>,
    /// Whether the server is enabled there.
    pub is_enabled: bool,
    /// What happens to it.
    pub action: StepAction,
}

/// What happens to an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepAction {
    /// It is added.
    Add,
    /// It is replaced.
    Update,
    /// It is removed.
    Remove,
    /// It is as it should be.
    Keep,
    /// The agent cannot have the server as it is defined, for these reasons. Nothing is written at all.
    Unsupported(Vec<String>),
    /// Somebody else wrote or edited the entry. Nothing is written at all.
    Drift(String),
}

impl StepAction {
    /// Why nothing is written; empty unless the step blocks the plan.
    pub fn reasons(&self) -> &[String] {
        match self {
            Self::Unsupported(reasons) => reasons,
            Self::Drift(reason) => std::slice::from_ref(reason),
            Self::Add | Self::Update | Self::Remove | Self::Keep => &[],
        }
    }
}

/// Something that only the user can do.
#[derive(Debug, Clone, Copy)]
pub struct Attention {
    /// The agent that waits for it.
    pub agent: &'static CodingAgent,
    /// What to do.
    pub action: &'static str,
}

impl ChangePlan {
    /// Whether a step is blocked, so that nothing can be written.
    pub fn is_blocked(&self) -> bool {
        self.steps.iter().any(|step| !step.action.reasons().is_empty())
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }
}
