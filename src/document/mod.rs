//! Parses YAML and JSON into a value with source locations.
//!
//! Owns the steps from bytes to a [`Document`]: decoding, YAML 1.2 core scalars, the merge key `<<`, aliases, and all
//! findings of the range 00. Rejects what has no JSON representation: multiple documents, non-string keys, unknown
//! tags, unbounded alias expansion. It does not know manifests.
//!
//! There are three steps: `decode` (bytes to text), `compose` (events to a source tree) and `expand` (resolves aliases
//! and merges). The rest of the program reads the result through [`View`]; [`edit`] changes the text. [`config`] reads
//! and changes configuration files of other programs, in JSON, TOML or YAML.

mod compose;
pub mod config;
mod decode;
pub mod edit;
mod expand;
mod extent;
mod finding;
mod merge;
pub mod pointer;
mod scalar;
mod syntax;
mod view;

use std::sync::Arc;

use indexmap::IndexSet;
use serde_json::Value;

use crate::diagnostics::{self, Diagnostic, FileId};

use extent::Extent;

pub use decode::{Undecodable, decode_utf8};
pub use view::View;

/// The maximum nesting of mappings and sequences, after expanding aliases.
pub const NESTING_LIMIT: usize = 128;

/// The maximum number of nodes that aliases and merge keys may add.
pub const EXPANSION_BUDGET: usize = 100_000;

/// The result of parsing: the document, if it is usable, and all findings, sorted by location.
///
/// There may be a document and errors (such as a duplicate key), so that later checks can report more findings.
#[derive(Debug)]
pub struct Parsed {
    /// The document; `None` if the text is not a single, complete tree.
    pub document: Option<Document>,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
}

/// A document: its value as JSON, and the locations of all its parts.
#[derive(Debug)]
pub struct Document {
    file: FileId,
    text: Arc<str>,
    value: Value,
    nodes: Vec<Node>,
    layout: edit::LazyLayout,
}

/// A node of the tree. Parallel to the JSON value: children are in the same order.
#[derive(Debug)]
struct Node {
    /// The enclosing collection; the root is its own parent.
    parent: NodeId,
    /// Index among the parent's children.
    slot: u32,
    /// The key in a mapping; empty if it is missing.
    key: Option<Extent>,
    /// A scalar's source text; the first character of a collection.
    extent: Extent,
    children: Children,
}

#[derive(Debug)]
enum Children {
    None,
    Items(Box<[NodeId]>),
    Entries(Box<Entries>),
}

/// The children of a mapping.
#[derive(Debug)]
struct Entries {
    ids: Box<[NodeId]>,
    /// The keys in order, for large mappings.
    index: Option<IndexSet<Box<str>>>,
}

impl Entries {
    /// Larger mappings get an index.
    const SMALL: usize = 16;

    fn new<'k>(ids: Vec<NodeId>, keys: impl Iterator<Item = &'k String>) -> Self {
        let index = (ids.len() > Self::SMALL).then(|| keys.map(|key| Box::from(key.as_str())).collect());
        Self { ids: ids.into(), index }
    }

    fn slot(&self, key: &str) -> Option<usize> {
        self.index.as_ref()?.get_index_of(key)
    }
}

/// Index into [`Document::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NodeId(u32);

impl NodeId {
    const ROOT: Self = Self(0);

    fn at(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Parses `text` as a YAML or JSON document.
pub fn parse(file: FileId, text: impl Into<Arc<str>>) -> Parsed {
    let text = text.into();
    let mut diagnostics = Vec::new();
    let document = read(file, &text, &mut diagnostics);
    diagnostics::sort(&mut diagnostics);
    Parsed { document, diagnostics }
}

fn read(file: FileId, text: &Arc<str>, diagnostics: &mut Vec<Diagnostic>) -> Option<Document> {
    if let Some(finding) = decode::control_character(file, text) {
        diagnostics.push(finding);
        return None;
    }
    let tree = compose::compose(file, text, diagnostics)?;
    match expand::expand(file, text, &tree, diagnostics) {
        Ok((value, nodes)) => {
            Some(Document { file, text: Arc::clone(text), value, nodes, layout: edit::LazyLayout::default() })
        }
        Err(finding) => {
            diagnostics.push(*finding);
            None
        }
    }
}

impl Document {
    /// The whole document.
    pub fn root(&self) -> View<'_> {
        View::new(self, NodeId::ROOT, &self.value)
    }

    /// The whole document as JSON: aliases and merge keys expanded, keys in the order of the text.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Its source file.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// The value at a JSON pointer (RFC 6901). The empty pointer is the root.
    pub fn at(&self, pointer: &str) -> Option<View<'_>> {
        self.root().at(pointer)
    }

    #[expect(clippy::indexing_slicing, reason = "every ID has a node")]
    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }
}
