//! The manifest: its schema and its types.
//!
//! Owns the shape of a manifest: [`check_schema`] says whether a document has it, [`decode`] turns one that has into
//! [`Manifest`]. What fields mean together is the business of `rules`; defaults are filled in by `project`.

mod built_in;
pub mod duration;
mod go_version;
mod model;
mod recognise;
mod schema;
mod target_language;
mod whole_number;

use serde::Deserialize;

use crate::document::Document;

pub use built_in::built_in_tool;
pub use go_version::{GoVersion, NoGoVersion};
pub use model::*;
pub use recognise::looks_like_manifest;
pub use schema::{Field, SCHEMA, UnknownField, as_yaml, check_extensions, check_schema, field, field_paths, path};
pub use target_language::TargetLanguage;

/// Reads a document that has passed [`check_schema`] without errors.
///
/// # Errors
/// When the document has another shape, which then is a fault of this program: the schema admits more than the types do.
pub fn decode(document: &Document) -> Result<Manifest, serde_json::Error> {
    Manifest::deserialize(document.value())
}
