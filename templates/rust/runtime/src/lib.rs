//! The code that generated agents share. A project gets the files and regions that its features need.

pub mod agent {
    pub mod conversation;
    pub mod executor;
    pub mod tool_loop;
}
pub mod config;
pub mod environment;
pub mod llm;
pub mod log;
pub mod mcp {
    pub mod client;
    pub mod config;
    pub mod content;
    pub mod sdk;
    pub mod server;
    pub mod session;
    pub mod sse;
    pub mod stdio;
}
pub mod server {
    pub mod http;
    pub mod push;
    pub mod rpc;
    pub mod tasks;
    pub mod v03;
}
pub mod tool;
