//! Coding agents (Claude Code, Codex and others) and how each stores its MCP servers.
//!
//! Owns the facts about each agent (`agents`), the paths of its files (`location`) and reading a native entry as a
//! [`crate::mcp::PortableServer`] (`native`). It reads no files and writes none. These agents are programs that people
//! use; they have nothing to do with the agents that `adl generate` creates.

mod agents;
mod environment_reference;
mod facts;
mod location;
mod native;
mod safety;

pub use agents::AGENTS;
pub use environment_reference::{Notation, Reference, references};
pub use facts::{CodingAgent, Command, Fields, Off, Parents, ProjectFile, UserFile};
pub use location::{Scope, native_entries, user_files};
pub use native::{Native, Problem, read_native};
pub use safety::{credentials, fingerprint, masked_command, masked_url};
