//! `adl` turns an agent manifest (ADL, YAML) into an A2A agent whose MCP tools work.
//!
//! A command goes through the layers from the top down: `main` calls [`cli::run`]; `cli/<command>.rs` turns flags into options;
//! the operation in [`ops`] reads, checks, plans and writes; its outcome comes back to `cli`, which alone prints. A module uses
//! lower layers only; `tests/it/layers.rs` holds that still.
//!
//! | layer | module | owns |
//! | --- | --- | --- |
//! | 7 | [`cli`] | flags, output, exit status |
//! | 6 | [`ops`] | one function for each command |
//! | 5 | [`targets`] | what a project in each language consists of |
//! | 4 | [`rules`] | checks that a schema cannot say, one file each |
//! | 4 | [`project`] | the manifest resolved: defaults, durations, names, variables |
//! | 3 | [`render`] | templates and literal filters |
//! | 3 | [`manifest`] | the schema, its check, the typed manifest |
//! | 3 | [`secrets`] | what a credential is, and texts without them |
//! | 2 | [`mcp`] | server definitions, urls, references |
//! | 2 | [`files`] | file trees and the only writer |
//! | 1 | [`document`] | YAML and JSON in which every value knows its place |
//! | 1 | [`host`] | reading files, the terminal, the machine |
//! | 1 | [`merge`] | bringing a text up to date that its user edits too |
//! | 0 | [`diagnostics`] | findings, their codes and renderers |
//! | 0 | [`dotenv`] | env files, every byte in its place |
//! | 0 | [`names`] | words and cases |

pub mod cli;
pub mod diagnostics;
pub mod document;
pub mod dotenv;
pub mod files;
pub mod host;
pub mod manifest;
pub mod mcp;
pub mod merge;
pub mod names;
pub mod ops;
pub mod project;
pub mod render;
pub mod rules;
pub mod secrets;
pub mod targets;
