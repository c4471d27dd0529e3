//! Findings: what is wrong, where, why, and what to do next.
//!
//! Owns the code table ([`Code`]), the finding ([`Diagnostic`]) and the renderers, one per file: text for people, the
//! rest for machines. It does not know YAML or manifests: a location is a file ID and a byte range.

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

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Generation is refused, because the project could not compile or start or would be ambiguous.
    Error,
    /// Generation is possible.
    Warning,
}

/// The index of a file among those that the command has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A byte range of a source file. Both ends are on character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: usize,
    /// The byte after the range; equal to `start` for an empty range.
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

/// A location with a short text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The location.
    pub span: Span,
    /// The text; may be empty for the primary location.
    pub text: String,
}

/// How safely a suggestion can be applied without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applicability {
    /// Can be applied automatically.
    Safe,
    /// Needs a review.
    Review,
}

/// One replacement in a source text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The replaced bytes.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

/// Edits that together fix a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What the edits do, in the imperative: "quote the value".
    pub text: String,
    /// The edits, which do not overlap.
    pub edits: Vec<Edit>,
    /// Whether they may be applied automatically.
    pub applicability: Applicability,
}

impl Suggestion {
    /// A suggestion that may be applied automatically.
    pub fn safe(text: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self { text: text.into(), edits, applicability: Applicability::Safe }
    }
}

/// A finding about the user's input.
///
/// The headline is lower case, has no full stop, puts names in backticks and is understandable on its own. No text
/// contains secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The code.
    pub code: Code,
    /// The severity; that of the code unless a rule overrides it.
    pub severity: Severity,
    /// What is wrong.
    pub headline: String,
    /// The location; `None` for a finding about a whole file.
    pub primary: Option<Label>,
    /// Related locations.
    pub related: Vec<Label>,
    /// Explanations, one sentence each.
    pub notes: Vec<String>,
    /// What to do next.
    pub help: Option<String>,
    /// Possible fixes.
    pub suggestions: Vec<Suggestion>,
}

impl Diagnostic {
    /// A finding at `span` with the severity of `code`.
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

    /// Sets the text of the primary location.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(primary) = &mut self.primary {
            primary.text = text.into();
        }
        self
    }

    /// Adds a related location.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// Adds an explanation.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Sets what to do next.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds a possible fix.
    #[must_use]
    pub fn suggest(mut self, suggestion: Suggestion) -> Self {
        self.suggestions.push(suggestion);
        self
    }

    /// Replaces `secret` with `mask` in all strings of the finding.
    pub fn conceal(&mut self, secret: &str, mask: &str) {
        let labels = self.primary.iter_mut().chain(&mut self.related).map(|label| &mut label.text);
        let suggestions = self.suggestions.iter_mut().map(|suggestion| &mut suggestion.text);
        let texts = [&mut self.headline].into_iter().chain(labels).chain(&mut self.notes).chain(&mut self.help);
        for text in texts.chain(suggestions).filter(|text| text.contains(secret)) {
            *text = text.replace(secret, mask);
        }
    }

    /// True for errors.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Sorts findings by location and code, and removes duplicates.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|diagnostic| {
        let place = diagnostic.primary.as_ref().map(|label| label.span);
        (place, diagnostic.code)
    });
    diagnostics.dedup();
}
