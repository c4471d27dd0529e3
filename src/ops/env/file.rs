//! An env file as it was read.

use std::path::Path;

use super::EnvError;
use crate::diagnostics::{Code, Diagnostic, FileId, Sources, Span};
use crate::document::{self, Undecodable};
use crate::dotenv::{Document, Fault, ItemKind, Malformed};
use crate::host;
use crate::ops::validate::Findings;
use crate::secrets::Secrets;

/// An env file.
#[derive(Debug)]
pub(super) struct EnvFile {
    /// What it holds.
    pub(super) text: String,
    /// The same, for findings.
    pub(super) sources: Sources,
}

impl EnvFile {
    /// Reads a file; text in no known encoding is at fault.
    pub(super) fn load(path: &Path, secrets: &Secrets) -> Result<Self, EnvError> {
        let bytes = host::read(path).map_err(EnvError::File)?;
        let mut sources = Sources::new();
        match document::decode_utf8(FileId::default(), bytes) {
            Ok(text) => {
                let file = sources.add(path.display().to_string(), text.as_str());
                for place in secrets.in_env_file(&text) {
                    sources.conceal(Span::new(file, place));
                }
                Ok(Self { text, sources })
            }
            Err(Undecodable { text, diagnostic }) => {
                let file = sources.add(path.display().to_string(), text.as_str());
                sources.conceal(Span::new(file, 0..text.len()));
                Err(EnvError::FileAtFault(Findings { sources, diagnostics: vec![*diagnostic] }))
            }
        }
    }

    /// The file, if Docker Compose reads every line as it is meant.
    pub(super) fn without_fault(self) -> Result<Self, EnvError> {
        let diagnostics = malformed(&Document::parse(&self.text));
        if diagnostics.is_empty() {
            Ok(self)
        } else {
            Err(EnvError::FileAtFault(Findings { sources: self.sources, diagnostics }))
        }
    }
}

/// The lines that are no variables; none behind a quote that is never closed, where nobody knows what is meant.
pub(super) fn malformed(document: &Document<'_>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for item in document.items() {
        let ItemKind::Malformed(Malformed { fault, place }) = &item.kind else { continue };
        let (headline, help) = match fault {
            Fault::NoName => {
                ("a value stands without a name", "write `NAME=value`, or make the line a comment with `#`")
            }
            Fault::CharacterInName => (
                "the line is no variable: its name has a character that no name has",
                "write `NAME=value` with letters, digits and `_` in the name, or make the line a comment with `#`",
            ),
            Fault::UnclosedQuote => {
                ("a quote is opened and never closed", "close it, or put the value into the other kind of quotes")
            }
            Fault::TextBehindQuote => (
                "something stands behind a quoted value",
                "put the whole value into the quotes, or a `#` before a comment",
            ),
        };
        findings.push(
            Diagnostic::new(Code::InvalidEnvLine, Span::new(FileId::default(), place.clone()), headline)
                .note("Docker Compose refuses the whole file, or reads something else than what is meant")
                .help(help),
        );
        if *fault == Fault::UnclosedQuote {
            break;
        }
    }
    findings
}
