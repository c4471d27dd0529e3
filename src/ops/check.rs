//! Reads a manifest and finds what is wrong with it: the part that every command on a manifest shares.

use std::path::Path;

use crate::diagnostics::{self, Diagnostic, FileId, Sources};
use crate::document::{self, Document, Parsed, Undecodable};
use crate::host::{self, ReadError};
use crate::manifest;
use crate::rules;

/// A manifest that was read, and every finding about it.
#[derive(Debug)]
pub struct Checked {
    /// The manifest's text, for rendering.
    pub sources: Sources,
    /// The manifest; `None` when its bytes hold no document. It is fit for use only when no finding is an error.
    pub document: Option<Document>,
    /// All findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the manifest at `path` and checks it. Faults of its bytes are findings; an error means it could not be read.
pub fn check(path: &Path) -> Result<Checked, ReadError> {
    let bytes = host::read(path)?;
    let name = path.display().to_string();
    let mut sources = Sources::new();
    let text = match document::decode_utf8(FileId::default(), bytes) {
        Ok(text) => text,
        Err(Undecodable { text, diagnostic }) => {
            sources.add(name, text);
            return Ok(Checked { sources, document: None, diagnostics: vec![*diagnostic] });
        }
    };
    let file = sources.add(name, text.as_str());
    let Parsed { document, mut diagnostics } = document::parse(file, text);
    if let Some(document) = &document {
        diagnostics.extend(manifest::check_schema(document));
        diagnostics.extend(rules::check(document));
        for span in rules::credentials(document) {
            sources.conceal(span);
        }
    }
    diagnostics::sort(&mut diagnostics);
    Ok(Checked { sources, document, diagnostics })
}
