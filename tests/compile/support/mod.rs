//! What the tests are told with: projects made by the real `adl`, running agents, scripted servers, and clients.

mod a2a;
mod agent;
mod everything;
mod language;
mod local;
pub(crate) mod manifests;
mod mcp;
mod model;
mod official;
mod project;
mod toolchain;
pub(crate) mod typescript;
mod wait;

pub(crate) use a2a::{Answer, Client, Protocol, RawClient, text_of};
pub(crate) use agent::{Agent, Launch, Signal};
pub(crate) use everything::{EverythingCommand, EverythingServer};
pub(crate) use language::{Language, each_language};
pub(crate) use local::{LocalServer, lock};
pub(crate) use mcp::{Answers, Get, Listing, Loss, McpServer, McpTool};
pub(crate) use model::{ModelServer, Reply};
pub(crate) use official::OfficialClient;
pub(crate) use project::{Project, STATICCHECK, adl, build, go, repository, workshop};
pub(crate) use toolchain::{Tool, needs, present};
pub(crate) use wait::{about, eventually, gaps, within};
