//! The slow tests: generated agents are built and run with scripted model and MCP servers, the real `server-everything`
//! and the official A2A clients, all on 127.0.0.1. Each file tests one aspect of the running agent.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests may access the system, and fail by panicking"
)]

mod card;
mod content;
mod conversations;
mod environment;
mod generated;
mod headers;
mod in_place;
mod intervals;
mod limits;
mod merged;
mod model_faults;
mod modules;
mod names;
mod odd_servers;
mod protocol;
mod push;
mod reconnect;
mod runtime;
mod rust;
mod signals;
mod support;
mod transports;
mod typescript;
mod variables;
