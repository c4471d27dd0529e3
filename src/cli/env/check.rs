//! `adl env check`

use std::collections::BTreeSet;

use super::super::format::FormatArguments;
use super::super::policy::{PolicyArguments, print_not_allowed};
use super::super::{Printer, Status};
use super::{FileArguments, refusal, refuse};
use crate::diagnostics::{FileReport, Verdict};
use crate::ops::{CheckedEnv, check_env};

/// Check an environment file
///
/// Reports unknown and missing variables and invalid values with their
/// location. An agent does not start with an environment that has errors.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl env check\n  adl env check --deny warnings --format sarif -f agents/weather.yaml deploy/weather.env\n"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    files: FileArguments,
    #[command(flatten)]
    format: FormatArguments,
    #[command(flatten)]
    policy: PolicyArguments,
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    let renderer = arguments.format.renderer();
    let (options, name) = arguments.files.options();
    let mut not_allowed = BTreeSet::new();
    let (report, status) = match check_env(&options, &arguments.policy.policy()) {
        Ok(CheckedEnv { findings, not_allowed: codes }) => {
            not_allowed = codes;
            let report = FileReport::read(name, findings.sources, findings.diagnostics);
            let status = if report.verdict == Verdict::Valid { Status::Done } else { Status::Refused };
            (report, status)
        }
        Err(error) if renderer.is_some() => refusal(&name, error),
        Err(error) => return refuse(&name, error, printer),
    };
    if let Some(render) = renderer {
        printer.text(&render(&[report]));
        return status;
    }
    printer.report(&report.name, &report.diagnostics, &report.sources);
    if status == Status::Done {
        printer.data(&format!("{} is valid", report.name));
    }
    print_not_allowed(&not_allowed, printer);
    status
}
