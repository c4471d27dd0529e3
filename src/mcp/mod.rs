//! MCP servers as data: definitions, `${VAR}` references and addresses.
//!
//! Owns what a server definition means before anything connects to it, wherever it is written. Everything here is a pure
//! function; rules report with it and the project model resolves with it, so that what a warning says and what is generated
//! cannot differ.

mod endpoint;
mod image;
mod reference;
mod server;
mod url;
mod wiring;

pub use endpoint::{EndpointFault, join_endpoint, normalise_endpoint};
pub use image::Image;
pub use reference::{Reference, malformed_references, references, without_references};
pub use server::{ServerDefinition, Text, Transport, VariableUse, all_texts, texts, variables};
pub use url::{UrlFault, check_url, with_scheme};
pub use wiring::{defaults, has_address, is_wired};
