//! What came of a generation, ready to be told in any form.

use std::collections::BTreeSet;

use super::super::{Printer, Status, failure};
use super::arguments::{Request, View};
use super::findings;
use crate::diagnostics::{Code, Diagnostic, Sources};
use crate::ops::{GenerateError, Generated, State, generate};

/// How a manifest is named; printed where there is none.
pub(super) const NAME_THE_MANIFEST: &str =
    "name the manifest: `adl generate --file FILE`; without it, it is `agent.yaml` in the current directory";

/// The whole outcome.
#[derive(Debug)]
pub(super) struct Report {
    /// The texts that the findings about the manifest point into.
    pub(super) sources: Sources,
    /// Findings about the manifest.
    pub(super) about_manifest: Vec<Diagnostic>,
    /// Codes of errors that `--allow` names in vain.
    pub(super) not_allowed: BTreeSet<Code>,
    /// All other findings.
    pub(super) findings: Vec<Diagnostic>,
    /// The project; `None` when there is none.
    pub(super) generated: Option<Generated>,
    /// How the run ends.
    pub(super) status: Status,
}

impl Report {
    /// Generates, and gathers what there is to say.
    pub(super) fn of(request: &Request, printer: &mut Printer) -> Self {
        let mut report = Self {
            sources: Sources::new(),
            about_manifest: Vec::new(),
            not_allowed: BTreeSet::new(),
            findings: Vec::new(),
            generated: None,
            status: Status::Failed,
        };
        match generate(&request.options, &mut |event| printer.event(event)) {
            Err(error) => report.findings.push(failure::unreadable(&error, NAME_THE_MANIFEST)),
            Ok(outcome) => {
                report.sources = outcome.sources;
                report.about_manifest = outcome.diagnostics;
                report.not_allowed = outcome.not_allowed;
                match outcome.result {
                    Ok(generated) => report.add(generated, request),
                    Err(error) => report.refuse(&error, request),
                }
            }
        }
        report
    }

    fn add(&mut self, generated: Generated, request: &Request) {
        let output = &request.options.output;
        self.findings = findings::of(&generated, output);
        let is_out_of_date = request.view == View::Check && !generated.is_current();
        self.status = match generated.state {
            State::Blocked => Status::Refused,
            _ if is_out_of_date || generated.marked().next().is_some() => Status::Refused,
            State::Written | State::Planned => Status::Done,
        };
        // Where something must be decided first, its finding says what to do.
        if is_out_of_date && generated.state != State::Blocked {
            self.findings.push(findings::out_of_date(&generated, output));
        }
        self.generated = Some(generated);
    }

    fn refuse(&mut self, error: &GenerateError, request: &Request) {
        let (finding, status) = failure::generation_failed(error, &request.options.output);
        self.findings.extend(finding);
        self.status = status;
    }
}
