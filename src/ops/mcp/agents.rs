//! `adl mcp agents`: the known coding agents.

use std::path::PathBuf;

use super::McpError;
use crate::coding_agents::{AGENTS, CodingAgent, user_files};
use crate::host;

/// A coding agent on this machine.
#[derive(Debug)]
pub struct FoundAgent {
    /// The facts.
    pub agent: &'static CodingAgent,
    /// Whether its program is in `PATH` or one of its files exists.
    pub is_installed: bool,
    /// Its files for the user, existing or not.
    pub user_files: Vec<PathBuf>,
}

/// All known coding agents.
pub fn agents() -> Result<Vec<FoundAgent>, McpError> {
    let home = host::home_folder().ok_or(McpError::NoHome)?;
    let found = AGENTS.iter().map(|agent| {
        let user_files = user_files(agent, &home, &host::path_variable);
        let is_installed =
            agent.program.is_some_and(host::is_installed) || user_files.iter().any(|file| host::is_file(file));
        FoundAgent { agent, is_installed, user_files }
    });
    Ok(found.collect())
}
