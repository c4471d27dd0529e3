//! What a command found in the files that it was given: the input of the renderers for machines.

use super::{Diagnostic, Severity, Sources};

/// One file and everything that was found about it.
#[derive(Debug)]
pub struct FileReport {
    /// The file as findings name it: its path, or `<stdin>`.
    pub name: String,
    /// The text that the findings point into; none when the file could not be read.
    pub sources: Sources,
    /// All findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// What that comes to.
    pub verdict: Verdict,
}

/// What the findings about a file come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No finding is an error.
    Valid,
    /// At least one is.
    Invalid,
    /// There was nothing to judge; the only finding says why.
    Unreadable,
}

impl FileReport {
    /// The report about a file that was read.
    pub fn read(name: String, sources: Sources, diagnostics: Vec<Diagnostic>) -> Self {
        let valid = !diagnostics.iter().any(Diagnostic::is_error);
        let verdict = if valid { Verdict::Valid } else { Verdict::Invalid };
        Self { name, sources, diagnostics, verdict }
    }

    /// The report about one that could not be.
    pub fn unreadable(name: String, reason: Diagnostic) -> Self {
        Self { name, sources: Sources::new(), diagnostics: vec![reason], verdict: Verdict::Unreadable }
    }

    pub(super) fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }
}

/// Reports in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Tally {
    /// All files.
    pub files: usize,
    /// Those without an error.
    pub valid: usize,
    /// Those with one.
    pub invalid: usize,
    /// Those that could not be read.
    pub unreadable: usize,
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
}

impl Tally {
    /// Counts.
    pub fn of(reports: &[FileReport]) -> Self {
        let mut tally = Self { files: reports.len(), ..Self::default() };
        for report in reports {
            match report.verdict {
                Verdict::Valid => tally.valid += 1,
                Verdict::Invalid => tally.invalid += 1,
                Verdict::Unreadable => tally.unreadable += 1,
            }
            tally.errors += report.count(Severity::Error);
            tally.warnings += report.count(Severity::Warning);
        }
        tally
    }
}

impl Diagnostic {
    /// Headline, notes and help, a line each: what is left of a finding without its places.
    pub(super) fn message(&self) -> String {
        let notes = self.notes.iter().map(|note| format!("\nnote: {note}"));
        let help = self.help.iter().map(|help| format!("\nhelp: {help}"));
        std::iter::once(self.headline.clone()).chain(notes).chain(help).collect()
    }
}
