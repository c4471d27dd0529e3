//! `adl mcp`: the MCP servers of coding agents.

mod agents;
mod discover;
mod list;

use std::io;
use std::path::PathBuf;

use thiserror::Error;

pub use agents::{FoundAgent, agents};
pub use discover::{Conflict, DiscoverOptions, Discovered, FileProblem, FoundServer, discover};
pub use list::{ListOptions, Listed, RegistryFault, list};

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
}
