//! Reads YAML and JSON into a value whose every part knows its place.
//!
//! Owns the path from bytes to a [`Document`]: decoding, YAML 1.2 core scalars, the merge key `<<`, aliases, and every
//! finding of the range 00. Refuses what has no plain JSON meaning: several documents, keys that are no strings, foreign
//! tags, aliases that multiply without bound. It knows nothing of manifests.
//!
//! The text goes through three steps: `decode` (bytes to text), `compose` (events to the tree as it is written) and `expand`
//! (the tree as it is meant: aliases and merges resolved). [`View`] is how the rest of the program looks at the result;
//! [`edit`] changes the text and keeps what it does not mean.

mod compose;
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

/// The deepest nesting of mappings and sequences, aliases expanded, that is read.
pub const NESTING_LIMIT: usize = 128;

/// How many nodes aliases and merge keys may add to a document.
pub const EXPANSION_BUDGET: usize = 100_000;

/// What reading a text gave: the document when it is usable, and every finding, sorted by place.
///
/// A document may come together with errors (a key written twice, say), so that later checks can report theirs at once.
#[derive(Debug)]
pub struct Parsed {
    /// The document; `None` when the text has no single, complete tree.
    pub document: Option<Document>,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
}

/// One document: its value as JSON, and the places of all its parts.
#[derive(Debug)]
pub struct Document {
    file: FileId,
    text: Arc<str>,
    value: Value,
    nodes: Vec<Node>,
    layout: edit::LazyLayout,
}

/// A place in the tree. Parallel to the JSON value: children stand in the same order.
#[derive(Debug)]
struct Node {
    /// The enclosing collection; the root is its own parent.
    parent: NodeId,
    /// Index among the parent's children.
    slot: u32,
    /// The key that leads here, in a mapping; empty when it was left out.
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
    /// The keys in their order, for mappings in which looking through all of them takes long.
    index: Option<IndexSet<Box<str>>>,
}

impl Entries {
    /// Mappings with more keys get an index.
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

/// Reads `text` as one YAML (or JSON) document.
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

    /// The file that it was read from.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// What stands at a JSON pointer (RFC 6901), if anything. The empty pointer is the root.
    pub fn at(&self, pointer: &str) -> Option<View<'_>> {
        self.root().at(pointer)
    }

    #[expect(clippy::indexing_slicing, reason = "ids are made only together with their nodes")]
    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }
}
