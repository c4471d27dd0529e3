//! Registries: the MCP servers that `adl` manages for coding agents, of the user and of a project.
//!
//! Owns the format (`schema/mcp-registry.schema.json`), its checks, and which definition is effective. A project's entry
//! replaces the user's as a whole.

mod effective;
mod read;

pub use effective::{EffectiveServer, Orphan, effective};
pub use read::{Entry, Fault, Registry, read_registry};

/// The JSON Schema of registries.
pub const REGISTRY_SCHEMA: &str = include_str!("../../schema/mcp-registry.schema.json");
