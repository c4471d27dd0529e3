//! Reads a manifest and finds what is wrong with it: the part that every command on a manifest shares.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::allow;
use crate::diagnostics::{self, Diagnostic, FileId, Sources, Span};
use crate::document::{self, Document, Parsed, Undecodable};
use crate::host::{self, ReadError};
use crate::manifest;
use crate::mcp::{self, Credential};
use crate::rules;

/// A manifest that was read, and every finding about it.
#[derive(Debug)]
pub struct Checked {
    /// The manifest's text, for rendering.
    pub sources: Sources,
    /// The manifest; `None` when its bytes hold no document. It is fit for use only when no finding is an error.
    pub document: Option<Document>,
    /// All findings, sorted by place, without those that the manifest itself allows.
    pub diagnostics: Vec<Diagnostic>,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// What is wrong with the manifest.
    Manifest,
    /// That, and the fields that only this tool knows.
    Portable,
    /// What is wrong with the manifest and, when nothing is, what a generated project leaves out.
    Generation,
}

/// Reads the manifest at `path` and checks it. Faults of its bytes are findings; an error means it could not be read.
pub fn check(path: &Path, scope: Scope) -> Result<Checked, ReadError> {
    Ok(examine(path.display().to_string(), host::read(path)?, scope))
}

/// Checks the manifest that `bytes` hold, under the name that findings print.
pub(super) fn examine(name: String, bytes: Vec<u8>, scope: Scope) -> Checked {
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
    let secrets = match &document {
        Some(document) => {
            add_findings(document, scope, &mut diagnostics);
            allow::apply(document, &sources, &mut diagnostics);
            rules::credentials(document)
        }
        None => credentials_near(&text, &diagnostics),
    };
    for span in secrets {
        sources.conceal(span);
    }
    diagnostics::sort(&mut diagnostics);
    Checked { sources, document, diagnostics }
}

/// Adds what schema and rules find. Where the reader has found a fault, its stand-in for the value is no second one.
fn add_findings(document: &Document, scope: Scope, diagnostics: &mut Vec<Diagnostic>) {
    let faulty: BTreeSet<_> = diagnostics.iter().filter_map(|finding| Some(finding.primary.as_ref()?.span)).collect();
    let mut found = manifest::check_schema(document);
    found.extend(rules::check(document));
    found.retain(|finding| finding.primary.as_ref().is_none_or(|label| !faulty.contains(&label.span)));
    diagnostics.append(&mut found);
    match scope {
        Scope::Manifest => {}
        Scope::Portable => diagnostics.extend(manifest::check_extensions(document)),
        Scope::Generation if diagnostics.iter().any(Diagnostic::is_error) => {}
        Scope::Generation => diagnostics.extend(rules::check_generation(document)),
    }
}

/// The credentials on the lines that findings about a text without a document show, as far as `name: value` gives them away.
fn credentials_near(text: &str, diagnostics: &[Diagnostic]) -> Vec<Span> {
    let mut spans = Vec::new();
    for finding in diagnostics {
        let labels = || finding.primary.iter().chain(&finding.related).map(|label| label.span);
        let (Some(start), Some(end)) = (labels().map(|span| span.start).min(), labels().map(|span| span.end).max())
        else {
            continue;
        };
        let start = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |place| place + 1);
        let end = text.get(end..).and_then(|behind| behind.find('\n')).map_or(text.len(), |place| end + place);
        let mut offset = start;
        for line in text.get(start..end).unwrap_or_default().split_inclusive('\n') {
            for (colon, _) in line.match_indices(':') {
                let (before, behind) = line.split_at(colon + 1);
                let name = before.rsplit(|character: char| !is_part_of_name(character)).find(|word| !word.is_empty());
                let value = behind.trim_start_matches([' ', '\t', '"', '\'']);
                let start = offset + line.len() - value.len();
                let credentials = mcp::in_header(name.unwrap_or_default(), value).into_iter();
                spans.extend(credentials.map(|Credential { range, .. }| {
                    Span::new(FileId::default(), start + range.start..start + range.end)
                }));
            }
            offset += line.len();
        }
    }
    spans
}

fn is_part_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}
