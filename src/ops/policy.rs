//! Which warnings are ignored and which are errors.

use std::collections::BTreeSet;

use crate::diagnostics::{Code, Diagnostic, Severity};

/// Which warnings are ignored and which are errors. `allowed` takes precedence.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Codes whose warnings are ignored. Errors cannot be ignored.
    pub allowed: BTreeSet<Code>,
    /// Codes whose warnings become errors.
    pub denied: BTreeSet<Code>,
    /// What happens to all other warnings.
    pub warnings: Warnings,
}

/// What happens to warnings whose code is not named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Warnings {
    /// They stay warnings.
    #[default]
    Reported,
    /// They become errors.
    Denied,
}

impl Policy {
    /// Applies the policy. Returns the codes of errors that it tries to allow.
    pub(super) fn apply(&self, diagnostics: &mut Vec<Diagnostic>) -> BTreeSet<Code> {
        let not_allowed =
            diagnostics.iter().filter(|finding| finding.is_error() && self.allowed.contains(&finding.code));
        let not_allowed = not_allowed.map(|finding| finding.code).collect();
        diagnostics.retain(|finding| finding.is_error() || !self.allowed.contains(&finding.code));
        for finding in diagnostics.iter_mut().filter(|finding| !finding.is_error()) {
            if self.warnings == Warnings::Denied || self.denied.contains(&finding.code) {
                finding.severity = Severity::Error;
                finding.notes.push("this warning is denied by `--deny`".to_owned());
            }
        }
        not_allowed
    }
}
