//! Reads a manifest and finds what is wrong with it: the part that every command on a manifest shares.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::{allow, comments};
use crate::diagnostics::{self, Code, Diagnostic, FileId, Sources, Span};
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
    /// The places of literal credentials, in values and comments, which no output may show; not looked for where there is
    /// nothing to show.
    pub credentials: Vec<Span>,
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
            let mut credentials = rules::credentials(document);
            credentials.extend(comments::credentials(document, &text));
            // What a repeated key hides is no part of the document.
            let twice = diagnostics.iter().filter(|finding| finding.code == Code::DuplicateKey);
            credentials.extend(credentials_near(&text, twice.take(REPEATED)));
            credentials
        }
        None => credentials_near(&text, diagnostics.iter()),
    };
    for span in &credentials {
        sources.conceal(*span);
    }
    diagnostics::sort(&mut diagnostics);
    Checked { sources, document, diagnostics, credentials }
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

/// How far from a place, in bytes, its snippet may show text.
const REACH: usize = 4096;

/// How many repeated keys are looked around: as many as are shown with their text.
const REPEATED: usize = 100;

/// The credentials around the places of findings about a text without a document, as far as `name: value` gives them away.
fn credentials_near<'d>(text: &str, diagnostics: impl Iterator<Item = &'d Diagnostic>) -> Vec<Span> {
    let labels = diagnostics.flat_map(|finding| finding.primary.iter().chain(&finding.related));
    let mut spans = Vec::new();
    for place in labels.map(|label| label.span.start) {
        let start = text.floor_char_boundary(place.saturating_sub(REACH));
        let end = text.ceil_char_boundary(place.saturating_add(REACH));
        let mut offset = start;
        let mut below = None;
        for line in text.get(start..end).unwrap_or_default().split_inclusive(['\n', '\r']) {
            for credential in credentials_in(line) {
                spans.push(Span::new(FileId::default(), offset + credential.start..offset + credential.end));
            }
            let indent = line.len() - line.trim_start().len();
            let key = line.trim().trim_start_matches("- ");
            let is_item = line.trim_start().starts_with('-');
            below = below.filter(|outer| indent > *outer || (indent == *outer && is_item) || line.trim().is_empty());
            if below.is_some() {
                spans.push(Span::new(FileId::default(), offset + indent..offset + line.trim_end().len().max(indent)));
            } else if let Some((name, rest)) = key.split_once(':') {
                let opens = matches!(rest.trim().chars().next(), None | Some('|' | '>' | '&'));
                below = (opens && mcp::is_secret_name(name.trim_matches(['"', '\'']))).then_some(indent);
            }
            offset += line.len();
        }
    }
    spans.sort_unstable();
    spans.dedup();
    spans
}

/// Most bytes behind a name in which a credential is looked for, as a line may have many colons. One that goes on there is
/// hidden up to the next blank or quote.
const LONGEST: usize = 512;

fn credentials_in(line: &str) -> impl Iterator<Item = Range<usize>> {
    let named = line.match_indices(':').flat_map(move |(colon, _)| {
        let (before, behind) = line.split_at(colon + 1);
        let name = before.rsplit(|character: char| !is_part_of_name(character)).find(|word| !word.is_empty());
        let behind = behind.trim_start_matches([' ', '\t', '"', '\'']);
        let start = line.len() - behind.len();
        let value = behind.get(..behind.floor_char_boundary(LONGEST)).unwrap_or_default();
        let rest = behind.get(value.len()..).unwrap_or_default();
        let goes_on =
            rest.find(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'')).unwrap_or(rest.len());
        let of_url = if name == Some("url") { mcp::in_url(value) } else { Vec::new() };
        let credentials = mcp::in_header(name.unwrap_or_default(), value).into_iter().chain(of_url);
        credentials.map(move |Credential { range, .. }| {
            let more = if range.end == value.len() { goes_on } else { 0 };
            start + range.start..start + range.end + more
        })
    });
    named.chain(mcp::in_text(line).into_iter().map(|credential| credential.range))
}

fn is_part_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}
