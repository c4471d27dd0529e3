//! Reads environment files.

use std::path::Path;

use super::EnvError;
use crate::diagnostics::{Code, Diagnostic, FileId, Sources, Span};
use crate::document::{self, Undecodable};
use crate::dotenv::{Document, Fault, ItemKind, Malformed, Value};
use crate::host;
use crate::ops::validate::Findings;
use crate::secrets::Secrets;

/// An environment file.
#[derive(Debug)]
pub(super) struct EnvFile {
    /// The contents.
    pub(super) text: String,
    /// The contents, for findings, with secrets masked.
    pub(super) sources: Sources,
}

impl EnvFile {
    /// Reads a file. Invalid encoding is reported as a finding.
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

    /// Returns the file if Docker Compose accepts every line, and the findings otherwise.
    pub(super) fn without_fault(self) -> Result<Self, EnvError> {
        let diagnostics = malformed(&Document::parse(&self.text));
        if diagnostics.is_empty() {
            Ok(self)
        } else {
            Err(EnvError::FileAtFault(Findings { sources: self.sources, diagnostics }))
        }
    }
}

/// The lines that make Docker Compose reject the whole file. Lines after an unclosed quote are not checked, because
/// their meaning is unclear.
pub(super) fn malformed(document: &Document<'_>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for item in document.items() {
        let (place, headline, help) = match &item.kind {
            ItemKind::Malformed(Malformed { fault, place }) => {
                let (headline, help) = message(*fault);
                (place.clone(), headline, help)
            }
            ItemKind::Variable(variable) => {
                let (Some(Value::Invalid(place)), Some(value)) = (document.value(variable), &variable.value) else {
                    continue;
                };
                (
                    value.start + place.start..value.start + place.end,
                    "`${` is not followed by a valid substitution",
                    "write `${NAME}` or `${NAME:-default}`, or put a literal `$` as `$$` or in single quotes",
                )
            }
            ItemKind::Blank | ItemKind::Comment => continue,
        };
        findings.push(
            Diagnostic::new(Code::InvalidEnvLine, Span::new(FileId::default(), place), headline)
                .note("Docker Compose rejects the whole file, or reads a value other than the one that is meant")
                .help(help),
        );
        if matches!(&item.kind, ItemKind::Malformed(Malformed { fault: Fault::UnclosedQuote, .. })) {
            break;
        }
    }
    findings
}

/// The headline and the help text for a fault.
fn message(fault: Fault) -> (&'static str, &'static str) {
    match fault {
        Fault::NoName => ("a value has no name", "write `NAME=value`, or make the line a comment with `#`"),
        Fault::CharacterInName => (
            "invalid line: the name of the variable contains an invalid character",
            "write `NAME=value` with letters, digits and `_` in the name, or make the line a comment with `#`",
        ),
        Fault::UnclosedQuote => ("a quote is never closed", "close it, or put the value into the other kind of quotes"),
        Fault::TextAfterQuote => {
            ("unexpected text after a quoted value", "put the whole value into the quotes, or a `#` before a comment")
        }
    }
}
