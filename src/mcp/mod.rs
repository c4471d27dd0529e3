//! MCP servers as data: definitions, `${VAR}` references, addresses and credentials.
//!
//! Owns what a server definition means before anything connects to it. Everything here is a pure function; rules report with
//! it and the project model resolves with it, so that what a warning says and what is generated cannot differ.

pub mod concealed;
mod credential;
mod endpoint;
mod reference;
mod server;
mod url;
mod wiring;

pub use credential::{
    Credential, has_literal, in_arguments, in_environment, in_header, in_text, in_url, is_secret_name, is_stand_in,
    private_keys,
};
pub use endpoint::{EndpointFault, join_endpoint, normalise_endpoint};
pub use reference::{Reference, malformed_references, references, without_references};
pub use server::{Protected, Secret, Text, Transport, VariableUse, all_texts, protect, texts, variables};
pub use url::{UrlFault, check_url, with_scheme};
pub use wiring::{defaults, has_address, is_wired, wired_transports};
