//! The manifest: its schema and its types.

mod model;

pub use model::*;
