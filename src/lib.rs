//! `adl` generates A2A agents with MCP tools from agent manifests (ADL, YAML).
//!
//! Every command follows the same path: `main` calls [`cli::run`], `cli/<command>.rs` turns flags into options, an
//! operation in [`ops`] reads, checks, plans and writes, and `cli` prints its outcome. Modules use only lower layers,
//! which `tests/it/layers.rs` checks.
//!
//! | layer | module | owns |
//! | --- | --- | --- |
//! | 7 | [`cli`] | flags, output, exit status |
//! | 6 | [`ops`] | one function per command |
//! | 5 | [`targets`] | the files of a project in each language |
//! | 5 | [`registry`] | registries of MCP servers for coding agents |
//! | 4 | [`rules`] | checks that a schema cannot express, one file each |
//! | 4 | [`coding_agents`] | coding agents and the formats of their MCP servers |
//! | 4 | [`project`] | the resolved manifest: defaults, durations, names, variables |
//! | 3 | [`render`] | templates and literal filters |
//! | 3 | [`manifest`] | schema, validation, typed manifest |
//! | 3 | [`secrets`] | detection and masking of credentials |
//! | 2 | [`mcp`] | server definitions, URLs, references |
//! | 2 | [`files`] | file trees and all writes |
//! | 1 | [`document`] | YAML and JSON with source locations |
//! | 1 | [`host`] | reading files, terminal, processes, time |
//! | 1 | [`merge`] | merging generated text with user edits |
//! | 0 | [`diagnostics`] | findings, their codes and renderers |
//! | 0 | [`dotenv`] | lossless parsing of environment files |
//! | 0 | [`names`] | splitting and joining names |

pub mod cli;
pub mod coding_agents;
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
pub mod registry;
pub mod render;
pub mod rules;
pub mod secrets;
pub mod targets;
