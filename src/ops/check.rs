//! Reads a manifest and finds what is wrong with it: the part that every command on a manifest shares.

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

/// A manifest that was read, and every finding about it.
#[derive(Debug)]
pub struct Checked {
    /// The manifest's text, for rendering.
    pub sources: Sources,
    /// The manifest; `None` when its bytes hold no document. It is fit for use only when no finding is an error.
    pub document: Option<Document>,
    /// All findings, sorted by place, without those that the manifest itself allows.
    pub diagnostics: Vec<Diagnostic>,
    /// The places of literal credentials, in values and comments, which no output may show; not looked for where there is
    /// nothing to show, unless the scope asks for them.
    pub credentials: Vec<Span>,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// What is wrong with the manifest and, when there is no error, what a generated project leaves out.
    Manifest,
    /// That, and the fields that only this tool knows.
    Portable,
    /// The same findings as for `Manifest`, and all places of credentials: of what is generated, none may have them.
    Generation,
}

/// Reads the manifest at `path` and checks it. Faults of its bytes are findings; an error means it could not be read.
pub fn check(path: &Path, scope: Scope) -> Result<Checked, ReadError> {
    Ok(examine(path.display().to_string(), host::read(path)?, scope))
}

/// Checks the manifest that `bytes` hold, under the name that findings print.
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
        // Nothing of the text will be shown, and nothing made of it.
        _ if diagnostics.is_empty() && scope != Scope::Generation => Vec::new(),
        Some(document) => {
            let mut credentials = secrets::in_manifest(document, &text);
            // What a repeated key hides is no part of the document.
            let twice = diagnostics.iter().filter(|finding| finding.code == Code::DuplicateKey);
            credentials.extend(secrets::near(&text, places(twice.take(REPEATED))));
            credentials
        }
        None => secrets::near(&text, places(diagnostics.iter())),
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

/// How many repeated keys are looked around: as many as are shown with their text.
const REPEATED: usize = 100;

/// Where findings point.
fn places<'d>(diagnostics: impl Iterator<Item = &'d Diagnostic>) -> impl Iterator<Item = usize> {
    diagnostics.flat_map(|finding| finding.primary.iter().chain(&finding.related)).map(|label| label.span.start)
}

/// Adds what schema and rules find. Where the reader has found a fault, its stand-in for the value is no second one.
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
