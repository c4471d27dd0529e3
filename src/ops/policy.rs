//! What a user thinks of warnings: some do not matter, some count as errors.

use std::collections::BTreeSet;

use crate::diagnostics::{Code, Diagnostic, Severity};

/// Which warnings are dropped and which count as errors. A code that is allowed is dropped even when all warnings are denied.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Codes whose warnings are dropped. Errors stay: a generation refuses the manifest because of them.
    pub allowed: BTreeSet<Code>,
    /// Codes whose warnings count as errors.
    pub denied: BTreeSet<Code>,
    /// Whether all warnings do.
    pub warnings: Warnings,
}

/// How warnings count that no code is named for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Warnings {
    /// As warnings.
    #[default]
    Reported,
    /// As errors.
    Denied,
}

impl Policy {
    /// Applies it; returns the codes of errors that it allows in vain.
    pub(super) fn apply(&self, diagnostics: &mut Vec<Diagnostic>) -> BTreeSet<Code> {
        let in_vain = diagnostics.iter().filter(|finding| finding.is_error() && self.allowed.contains(&finding.code));
        let in_vain = in_vain.map(|finding| finding.code).collect();
        diagnostics.retain(|finding| finding.is_error() || !self.allowed.contains(&finding.code));
        for finding in diagnostics.iter_mut().filter(|finding| !finding.is_error()) {
            if self.warnings == Warnings::Denied || self.denied.contains(&finding.code) {
                finding.severity = Severity::Error;
                finding.notes.push("a warning by itself, which this run denies".to_owned());
            }
        }
        in_vain
    }
}
