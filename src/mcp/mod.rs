//! MCP servers as data: definitions, `${VAR}` references and URLs.
//!
//! Defines the meaning of a server definition, independent of where it is written and before anything connects to the
//! server. All functions are pure. Rules and the project model both use them, so that warnings match the generated
//! code.

mod endpoint;
mod image;
mod portable;
mod reference;
mod server;
mod url;
mod wiring;

pub use endpoint::{EndpointFault, join_endpoint, normalise_endpoint};
pub use image::Image;
pub use portable::{Connection, PortableServer, Setting, is_portable_name};
pub use reference::{Reference, malformed_references, references, without_references};
pub use server::{ServerDefinition, Text, Transport, VariableUse, all_texts, texts, variables};
pub use url::{UrlFault, check_url, with_scheme};
pub use wiring::{defaults, has_address, is_wired};
