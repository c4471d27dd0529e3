//! Go: module files, sources, container files and documentation of a generated agent.

mod arguments;
mod identifiers;
