//! The findings of a command, per file: the input of the machine renderers.

use super::{Diagnostic, Severity, Sources};

/// A file with its findings.
#[derive(Debug)]
pub struct FileReport {
    /// The path, or `<stdin>`.
    pub name: String,
    /// The source text; none if the file could not be read.
    pub sources: Sources,
    /// All findings, sorted by location.
    pub diagnostics: Vec<Diagnostic>,
    /// The verdict.
    pub verdict: Verdict,
}

/// The verdict about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// There are no errors.
    Valid,
    /// There is at least one error.
    Invalid,
    /// The file could not be read; the only finding says why.
    Unreadable,
}

impl FileReport {
    /// The report about a readable file.
    pub fn read(name: String, sources: Sources, diagnostics: Vec<Diagnostic>) -> Self {
        let valid = !diagnostics.iter().any(Diagnostic::is_error);
        let verdict = if valid { Verdict::Valid } else { Verdict::Invalid };
        Self { name, sources, diagnostics, verdict }
    }

    /// The report about an unreadable file.
    pub fn unreadable(name: String, reason: Diagnostic) -> Self {
        Self { name, sources: Sources::new(), diagnostics: vec![reason], verdict: Verdict::Unreadable }
    }

    pub(super) fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }
}

/// Counts of files and findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Tally {
    /// All files.
    pub files: usize,
    /// Files without errors.
    pub valid: usize,
    /// Files with errors.
    pub invalid: usize,
    /// Unreadable files.
    pub unreadable: usize,
    /// Errors.
    pub errors: usize,
    /// Warnings.
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
    /// Headline, notes and help, one per line, without locations.
    pub(super) fn message(&self) -> String {
        let notes = self.notes.iter().map(|note| format!("\nnote: {note}"));
        let help = self.help.iter().map(|help| format!("\nhelp: {help}"));
        std::iter::once(self.headline.clone()).chain(notes).chain(help).collect()
    }
}
