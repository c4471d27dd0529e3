//! `spec.agent.mcp`. A block that is switched off is not looked at: only its shape counts then.

mod block;
mod duplicate_server_name;
mod field_of_other_transport;
mod intervals;
mod invalid_endpoint;
mod literal_credential;
mod malformed_reference;
mod server_url;
mod stdio_server;
mod unusable_header;

use super::Rule;

pub(super) use block::{Block, Server};
pub(super) use literal_credential::credential_spans;

pub(super) const RULES: &[Rule] = &[
    duplicate_server_name::check,
    server_url::check,
    stdio_server::check,
    field_of_other_transport::check,
    invalid_endpoint::check,
    intervals::check,
    unusable_header::check,
    malformed_reference::check,
    literal_credential::check,
];
