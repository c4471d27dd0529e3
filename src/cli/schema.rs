//! `adl schema`

use super::generate::GENERATION_SCHEMA;
use super::{Printer, Status};
use crate::diagnostics::FINDINGS_SCHEMA;
use crate::ops::{LOCK_SCHEMA, MANIFEST_SCHEMA, REGISTRY_SCHEMA};

/// Print a JSON Schema
///
/// Editors use the manifest schema to validate and complete manifests.
/// `adl validate` also checks what a schema cannot express.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl schema > adl.schema.json\n  adl schema findings > findings.schema.json\n"
)]
pub(super) struct Arguments {
    /// The document that the schema describes
    #[arg(value_enum, value_name = "WHAT", default_value_t = What::Manifest)]
    what: What,
}

/// The document that a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Manifests
    Manifest,
    /// What `adl validate --format json` prints
    Findings,
    /// What `adl generate --format json` prints
    Generation,
    /// `.adl/lock.json` of a generated project
    Lock,
    /// Registries of MCP servers: `~/.adl/mcp/user.json`, `.adl/mcp.json` of a project
    McpRegistry,
}

pub(super) fn run(arguments: &Arguments, printer: &mut Printer) -> Status {
    printer.text(match arguments.what {
        What::Manifest => MANIFEST_SCHEMA,
        What::Findings => FINDINGS_SCHEMA,
        What::Generation => GENERATION_SCHEMA,
        What::Lock => LOCK_SCHEMA,
        What::McpRegistry => REGISTRY_SCHEMA,
    });
    Status::Done
}
