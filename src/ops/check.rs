//! Reads and checks a manifest: the common part of all commands that take one.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::allow;
use crate::diagnostics::{self, Code, Diagnostic, FileId, Sources, Span};
use crate::document::{self, Document, Parsed, Undecodable};
use crate::host::{self, ReadError};
use crate::manifest;
use crate::rules;
use crate::secrets;

/// A manifest and all findings about it.
#[derive(Debug)]
pub struct Checked {
    /// The manifest's text, for rendering.
    pub sources: Sources,
    /// The manifest; `None` if the file could not be parsed. Use it only if no finding is an error.
    pub document: Option<Document>,
    /// All findings, sorted by location, without those that the manifest allows.
    pub diagnostics: Vec<Diagnostic>,
    /// The locations of literal credentials in values and comments, which no output may show. Empty if there are no
    /// findings, unless the scope is [`Scope::Generation`].
    pub credentials: Vec<Span>,
}

/// What to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Faults of the manifest and, if there are no errors, what a generated project leaves out.
    Manifest,
    /// The same, and fields that only this tool supports.
    Portable,
    /// The findings of `Manifest`, and the locations of all credentials, because no generated file may contain them.
    Generation,
}

/// Reads and checks the manifest at `path`. Invalid contents are findings; an error means that the file cannot be read.
pub fn check(path: &Path, scope: Scope) -> Result<Checked, ReadError> {
    Ok(examine(path.display().to_string(), host::read(path)?, scope))
}

/// Checks the manifest in `bytes`. Findings show it as `name`.
pub fn examine(name: String, bytes: Vec<u8>, scope: Scope) -> Checked {
    let mut sources = Sources::new();
    let file = FileId::default();
    let (text, Parsed { document, mut diagnostics }) = match document::decode_utf8(file, bytes) {
        Ok(text) => {
            let text = Arc::from(text);
            (Arc::clone(&text), document::parse(file, text))
        }
        Err(Undecodable { text, diagnostic }) => {
            (Arc::from(text), Parsed { document: None, diagnostics: vec![*diagnostic] })
        }
    };
    sources.add(name, Arc::clone(&text));
    if let Some(document) = &document {
        add_findings(document, scope, &mut diagnostics);
        allow::apply(document, &sources, &mut diagnostics);
    }
    let credentials = match &document {
        // The text is neither shown nor used.
        _ if diagnostics.is_empty() && scope != Scope::Generation => Vec::new(),
        Some(document) => {
            let mut credentials = secrets::in_manifest(document, &text);
            // A value of a duplicate key is not part of the document.
            let repeated = diagnostics.iter().filter(|finding| finding.code == Code::DuplicateKey);
            credentials.extend(secrets::near(&text, locations(repeated.take(MAX_REPEATED))));
            credentials
        }
        None => secrets::near(&text, locations(diagnostics.iter())),
    };
    for span in &credentials {
        sources.conceal(*span);
    }
    if let Some(document) = document.as_ref().filter(|_| !diagnostics.is_empty()) {
        for (key, _) in secrets::in_keys(document.root()) {
            for finding in &mut diagnostics {
                finding.conceal(key, secrets::MASK);
            }
        }
    }
    diagnostics::sort(&mut diagnostics);
    Checked { sources, document, diagnostics, credentials }
}

/// How many duplicate keys are searched for credentials: as many as are shown with their source.
const MAX_REPEATED: usize = 100;

/// The offsets that findings point at.
fn locations<'d>(diagnostics: impl Iterator<Item = &'d Diagnostic>) -> impl Iterator<Item = usize> {
    diagnostics.flat_map(|finding| finding.primary.iter().chain(&finding.related)).map(|label| label.span.start)
}

/// Adds the findings of the schema and the rules. Values that already have a finding of the parser are skipped, because
/// the document contains a substitute for them.
fn add_findings(document: &Document, scope: Scope, diagnostics: &mut Vec<Diagnostic>) {
    let faulty: BTreeSet<_> = diagnostics.iter().filter_map(|finding| Some(finding.primary.as_ref()?.span)).collect();
    let mut found = manifest::check_schema(document);
    found.extend(rules::check(document));
    found.retain(|finding| finding.primary.as_ref().is_none_or(|label| !faulty.contains(&label.span)));
    diagnostics.append(&mut found);
    if !diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.extend(rules::check_generation(document));
    }
    if scope == Scope::Portable {
        diagnostics.extend(manifest::check_extensions(document));
    }
}
