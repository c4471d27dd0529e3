//! Coding agents (Claude Code, Codex and others) and how each stores its MCP servers.
//!
//! Owns the facts about each agent (`agents`), the paths of its files (`location`), and the translation of a
//! [`crate::mcp::PortableServer`] from (`native`) and to (`write_native`) its entries. It reads no files and writes none.
//! These agents are programs that people use; they have nothing to do with the agents that `adl generate` creates.

mod agents;
mod environment_reference;
mod facts;
mod location;
mod native;
mod safety;
mod write_native;

pub use agents::AGENTS;
pub use environment_reference::{Notation, Reference, references};
pub use facts::{CodingAgent, Command, Fields, Gate, GateRecord, Off, Parents, ProjectFile, ProjectOff, UserFile};
pub use location::{Scope, native_entries, user_files};
pub use native::{Native, Problem, read_native};
pub use safety::{credentials, fingerprint, masked_command, masked_url};
pub use write_native::write_native;
