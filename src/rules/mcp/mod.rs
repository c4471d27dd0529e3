//! `spec.agent.mcp`. A block that is switched off is not looked at: only its shape counts then.

mod block;
mod duplicate_server_name;
mod hardcoded_credential;
mod intervals;
mod invalid_endpoint;
mod invalid_header;
mod invalid_variable_reference;
mod server_url;
mod stdio_server;
mod unused_transport_field;

use super::Rule;

pub(super) use block::{Block, Server};

pub(super) const RULES: &[Rule] = &[
    duplicate_server_name::check,
    server_url::check,
    stdio_server::check,
    unused_transport_field::check,
    invalid_endpoint::check,
    intervals::check,
    invalid_header::check,
    invalid_variable_reference::check,
    hardcoded_credential::check,
];
