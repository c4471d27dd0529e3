//! Target languages: each turns a project model into planned files.

pub mod go;
