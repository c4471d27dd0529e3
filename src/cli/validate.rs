//! `adl validate`

use std::path::PathBuf;

use super::{Printer, Status, failure};
use crate::diagnostics::{Diagnostic, Sources};
use crate::ops::{ValidateOptions, validate};

/// Check a manifest and list everything that is wrong with it
///
/// Reads YAML or JSON, checks it against the schema of manifests, then checks
/// what a schema cannot say. All findings are listed at once, in the order of
/// the file, each with its place, the reason and what to do. Warnings do not
/// make a manifest invalid.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  adl validate\n  adl validate agents/weather.yaml\n")]
pub(super) struct Arguments {
    /// The manifest
    #[arg(value_name = "FILE", default_value = "agent.yaml")]
    file: PathBuf,
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    let name = arguments.file.display().to_string();
    match validate(&ValidateOptions { file: arguments.file }) {
        Ok(outcome) => {
            printer.report(&name, &outcome.diagnostics, &outcome.sources);
            if outcome.diagnostics.iter().any(Diagnostic::is_error) {
                return Status::Refused;
            }
            printer.data(&format!("{name} is valid"));
            Status::Done
        }
        Err(error) => {
            let hint =
                "name the manifest: `adl validate FILE`; without FILE it is `agent.yaml` in the current directory";
            printer.finding(&failure::unreadable(&error, hint), &Sources::new());
            Status::Failed
        }
    }
}
