//! Findings: what is wrong, where, why, and what to do next.
//!
//! Owns the code table ([`Code`]), the finding itself ([`Diagnostic`]) and the renderers, one a file: text for people, the rest
//! for machines. It knows nothing of YAML or of
//! manifests: a place is a file id and a byte range, nothing more.

mod codes;
mod fingerprint;
mod github;
mod gitlab;
mod json;
mod junit;
mod pages;
mod report;
mod sarif;
mod sources;
mod text;

use std::ops::Range;

pub use codes::Code;
pub use github::render_github;
pub use gitlab::render_gitlab;
pub use json::{FINDINGS_SCHEMA, findings_as_json, render_json};
pub use junit::render_junit;
pub use pages::page_names;
pub use report::{FileReport, Tally, Verdict};
pub use sarif::render_sarif;
pub use sources::{Columns, Position, Sources};
pub use text::{Style, render_text};

/// How much a finding weighs. Errors refuse the manifest; warnings do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Generation is refused, or its result could not compile, could not start or would mean two things.
    Error,
    /// Worth knowing, refused by nobody.
    Warning,
}

/// Which source a span lies in: the index of the file among those that the command has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A byte range of one source file. Both ends lie on character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: usize,
    /// First byte behind the range; equal to `start` for a place between two characters.
    pub end: usize,
}

impl Span {
    /// A span over `range` of `file`.
    pub fn new(file: FileId, range: Range<usize>) -> Self {
        Self { file, start: range.start, end: range.end }
    }

    /// The byte range without the file.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A place with a short text on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there; may be empty for the primary place.
    pub text: String,
}

/// How safely a suggestion can be applied without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applicability {
    /// Follows from the file itself.
    Safe,
    /// A person should look at it first.
    Review,
}

/// One replacement in a source text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go.
    pub span: Span,
    /// The text that comes in their place.
    pub replacement: String,
}

/// Edits that together mend a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What the edits do, as a request: "quote the value".
    pub text: String,
    /// The edits, none overlapping another.
    pub edits: Vec<Edit>,
    /// Whether they may be applied unasked.
    pub applicability: Applicability,
}

impl Suggestion {
    /// One that follows from the file itself and may be applied unasked.
    pub fn safe(text: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self { text: text.into(), edits, applicability: Applicability::Safe }
    }
}

/// One finding about the user's input.
///
/// The headline is lower case, has no full stop, puts names in backticks and stands alone. Secrets are never part of any text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The row of the code table.
    pub code: Code,
    /// Weight; the code's own unless a rule says otherwise.
    pub severity: Severity,
    /// What is wrong.
    pub headline: String,
    /// Where; `None` only for a finding about a file that could not be read as text at all.
    pub primary: Option<Label>,
    /// Other places that belong to it.
    pub related: Vec<Label>,
    /// Why it matters, one sentence each.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// Ways to mend it.
    pub suggestions: Vec<Suggestion>,
}

impl Diagnostic {
    /// A finding of `code` at `span`, with the code's own severity.
    pub fn new(code: Code, span: Span, headline: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            headline: headline.into(),
            primary: Some(Label { span, text: String::new() }),
            related: Vec::new(),
            notes: Vec::new(),
            help: None,
            suggestions: Vec::new(),
        }
    }

    /// A finding about a whole file.
    pub fn without_place(code: Code, headline: impl Into<String>) -> Self {
        Self { primary: None, ..Self::new(code, Span::new(FileId::default(), 0..0), headline) }
    }

    /// Puts a short text on the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(primary) = &mut self.primary {
            primary.text = text.into();
        }
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// Adds a sentence that says why.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds a way to mend it.
    #[must_use]
    pub fn suggest(mut self, suggestion: Suggestion) -> Self {
        self.suggestions.push(suggestion);
        self
    }

    /// True for errors.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Sorts findings by file, place and code, and drops those that are equal to their neighbour.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|diagnostic| {
        let place = diagnostic.primary.as_ref().map(|label| label.span);
        (place, diagnostic.code)
    });
    diagnostics.dedup();
}
