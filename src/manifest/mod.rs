//! The manifest: schema and types.
//!
//! [`check_schema`] validates a document against the schema, [`decode`] turns a valid one into a [`Manifest`].
//! Cross-field checks are in `rules`; `project` fills in defaults.

mod built_in;
mod detect;
pub mod duration;
mod go_version;
mod integer;
mod model;
mod schema;
mod support;
mod target_language;

use serde::Deserialize;

use crate::document::Document;

pub use built_in::built_in_tool;
pub use detect::looks_like_manifest;
pub use go_version::{GoVersion, InvalidGoVersion};
pub use model::*;
pub use schema::{Field, SCHEMA, UnknownField, as_yaml, check_extensions, check_schema, field, field_paths, path};
pub use support::{OLDEST_NODE, OLDEST_RUST, Support, partial_fields};
pub use target_language::TargetLanguage;

/// Decodes a document that has passed [`check_schema`] without errors.
///
/// # Errors
/// If the schema accepts something that the types do not, which is a bug.
pub fn decode(document: &Document) -> Result<Manifest, serde_json::Error> {
    Manifest::deserialize(document.value())
}
