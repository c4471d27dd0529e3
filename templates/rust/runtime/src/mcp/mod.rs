//! Connects the agent to MCP servers.

pub mod address;
pub mod client;
pub mod config;
pub mod content;
mod sdk;
pub mod server;
mod session;

//adl:if sse
mod sse;
//adl:end

//adl:if stdio
mod stdio;
//adl:end
