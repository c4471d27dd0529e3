//! `adl` turns an agent manifest (ADL, YAML) into an A2A agent whose MCP tools work.

pub mod cli;
pub mod diagnostics;
pub mod document;
pub mod files;
pub mod host;
pub mod manifest;
pub mod mcp;
pub mod names;
pub mod ops;
pub mod project;
pub mod render;
pub mod rules;
pub mod targets;
