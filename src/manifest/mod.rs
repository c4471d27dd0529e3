//! The manifest: its schema and its types.

pub mod duration;
mod model;

pub use model::*;
