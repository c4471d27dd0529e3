//! Checks of `spec.agent.mcp`. Only the schema applies to a disabled block.

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
