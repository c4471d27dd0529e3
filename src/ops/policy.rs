//! Which warnings are ignored and which count as errors.

use std::collections::BTreeSet;

use crate::diagnostics::{Code, Diagnostic, Severity};

/// Which warnings are ignored and which count as errors. `--allow` takes precedence over denying all warnings.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Codes whose warnings are ignored. Errors cannot be ignored.
    pub allowed: BTreeSet<Code>,
    /// Codes whose warnings count as errors.
    pub denied: BTreeSet<Code>,
    /// How all other warnings count.
    pub warnings: Warnings,
}

/// How warnings count whose code is not named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Warnings {
    /// As warnings.
    #[default]
    Reported,
    /// As errors.
    Denied,
}

impl Policy {
    /// Applies the policy; returns the codes of errors that it tries to allow.
    pub(super) fn apply(&self, diagnostics: &mut Vec<Diagnostic>) -> BTreeSet<Code> {
        let in_vain = diagnostics.iter().filter(|finding| finding.is_error() && self.allowed.contains(&finding.code));
        let in_vain = in_vain.map(|finding| finding.code).collect();
        diagnostics.retain(|finding| finding.is_error() || !self.allowed.contains(&finding.code));
        for finding in diagnostics.iter_mut().filter(|finding| !finding.is_error()) {
            if self.warnings == Warnings::Denied || self.denied.contains(&finding.code) {
                finding.severity = Severity::Error;
                finding.notes.push("this warning is denied by `--deny`".to_owned());
            }
        }
        in_vain
    }
}
