//! The fast tests, which do not need the toolchain of a target language.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::string_slice,
    clippy::format_collect,
    reason = "tests fail by panicking, and their strings are known"
)]

mod all_or_nothing;
mod budgets;
mod coding_agents;
mod command;
mod contracts;
mod corpus;
mod document;
mod documentation;
mod drift;
mod env;
mod explain;
mod findings;
mod fix;
mod fix_command;
mod fix_property;
mod formats;
mod generate;
mod generation_format;
mod golden;
mod hooks;
mod house;
mod invariants;
mod layers;
mod manifest_copy;
mod mcp_change;
mod mcp_registry;
mod one_file;
mod pages;
mod project_documents;
mod reading;
mod regenerate;
mod robustness;
mod rule_paths;
mod schema;
mod support;
mod templates;
mod tool_schemas;
mod validate;
mod watch;
