//! A borrowed view of a part of a document.

use std::borrow::Cow;

use serde_json::Value;

use super::edit::Editor;
use super::extent::Extent;
use super::{Children, Document, NodeId, pointer};
use crate::diagnostics::Span;

/// A value of a document with its location. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    document: &'a Document,
    id: NodeId,
    value: &'a Value,
}

impl<'a> View<'a> {
    pub(super) fn new(document: &'a Document, id: NodeId, value: &'a Value) -> Self {
        Self { document, id, value }
    }

    /// The value of `key`; `None` if it is missing or this is not a mapping.
    pub fn get(self, key: &str) -> Option<Self> {
        let Children::Entries(entries) = &self.document.node(self.id).children else { return None };
        let values = self.value.as_object()?;
        if entries.index.is_some() {
            let id = *entries.ids.get(entries.slot(key)?)?;
            return Some(Self::new(self.document, id, values.get(key)?));
        }
        self.entries().find(|(name, _)| *name == key).map(|(_, view)| view)
    }

    /// The value at a JSON pointer below this value; the empty pointer is the value itself.
    pub fn at(self, pointer: &str) -> Option<Self> {
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return None;
        }
        pointer::tokens(pointer).try_fold(self, |view, token| {
            if view.is_sequence() {
                let index = token.parse().ok().filter(|_| token == "0" || !token.starts_with(['0', '+']))?;
                view.item(index)
            } else {
                view.get(&token)
            }
        })
    }

    /// The item at `index`, from 0; `None` if it is missing or this is not a sequence.
    pub fn item(self, index: usize) -> Option<Self> {
        let Children::Items(items) = &self.document.node(self.id).children else { return None };
        let id = *items.get(index)?;
        Some(Self::new(self.document, id, self.value.get(index)?))
    }

    /// The items of a sequence; empty for any other value.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let values = self.value.as_array().map(Vec::as_slice).unwrap_or_default();
        self.ids().iter().zip(values).map(move |(id, value)| Self::new(self.document, *id, value))
    }

    /// The entries of a mapping in source order, merged ones last; empty for any other value.
    pub fn entries(self) -> impl Iterator<Item = (&'a str, Self)> {
        let values = self.value.as_object().into_iter().flatten();
        self.ids().iter().zip(values).map(move |(id, (key, value))| (&**key, Self::new(self.document, *id, value)))
    }

    /// The children's ids, in the order of the value's children.
    fn ids(self) -> &'a [NodeId] {
        match &self.document.node(self.id).children {
            Children::Entries(entries) => &entries.ids,
            Children::Items(items) => items,
            Children::None => &[],
        }
    }

    /// The text of a string.
    pub fn as_str(self) -> Option<&'a str> {
        self.value.as_str()
    }

    /// A boolean.
    pub fn as_bool(self) -> Option<bool> {
        self.value.as_bool()
    }

    /// Any number.
    pub fn as_f64(self) -> Option<f64> {
        self.value.as_f64()
    }

    /// True for null, explicit or missing.
    pub fn is_null(self) -> bool {
        self.value.is_null()
    }

    /// True for mappings.
    pub fn is_mapping(self) -> bool {
        self.value.is_object()
    }

    /// True for sequences.
    pub fn is_sequence(self) -> bool {
        self.value.is_array()
    }

    /// The value as JSON.
    pub fn value(self) -> &'a Value {
        self.value
    }

    /// The source text of a scalar, including quotes, such as `1.10`. For a block scalar, the lines after its header.
    /// Empty for a collection and for a missing value.
    pub fn raw(self) -> &'a str {
        let node = self.document.node(self.id);
        match node.children {
            Children::None => node.extent.of(&self.document.text),
            Children::Items(_) | Children::Entries(_) => "",
        }
    }

    /// The location for findings: the text of a scalar; for a collection or a missing value, its key or, without a key,
    /// its first character. A value from an alias or merge key has the location of its anchor.
    pub fn span(self) -> Span {
        let node = self.document.node(self.id);
        let written = matches!(node.children, Children::None) && !node.extent.is_empty();
        let extent = if written { node.extent } else { node.key.unwrap_or(node.extent) };
        self.shown(extent)
    }

    /// The location of the key; `None` for items of a sequence and for the root.
    pub fn key_span(self) -> Option<Span> {
        self.document.node(self.id).key.map(|key| self.shown(key))
    }

    /// A span that is not empty even if the key is missing.
    fn shown(self, extent: Extent) -> Span {
        extent.or_first_character(&self.document.text).span(self.document.file)
    }

    /// An editor for the whole document; `None` if its text cannot be edited safely.
    pub fn editor(self) -> Option<Editor<'a>> {
        self.document.editor()
    }

    /// The JSON pointer (RFC 6901) of the value; empty for the root.
    pub fn pointer(self) -> String {
        self.plain_pointer().unwrap_or_else(|| self.counted_pointer())
    }

    /// The pointer from the source; `None` if a key in the path is not written literally.
    fn plain_pointer(self) -> Option<String> {
        let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let mut tokens = Vec::new();
        let mut id = self.id;
        while id != NodeId::ROOT {
            let node = self.document.node(id);
            tokens.push(match node.key {
                Some(key) => Cow::from(key.of(&self.document.text)),
                None => Cow::from(node.slot.to_string()),
            });
            id = node.parent;
        }
        let all_plain = tokens.iter().all(|token| !token.is_empty() && token.chars().all(is_plain));
        all_plain.then(|| tokens.iter().rev().flat_map(|token| ["/", token]).collect())
    }

    /// The pointer by counting the entries up to each key, which is slow in large mappings.
    fn counted_pointer(self) -> String {
        let mut slots = Vec::new();
        let mut id = self.id;
        while id != NodeId::ROOT {
            let node = self.document.node(id);
            slots.push(node.slot as usize);
            id = node.parent;
        }
        let mut pointer = String::new();
        let mut view = self.document.root();
        for slot in slots.into_iter().rev() {
            pointer.push('/');
            let (token, child) = match view.entries().nth(slot) {
                Some((key, child)) => (pointer::token(key), Some(child)),
                None => (slot.to_string(), view.item(slot)),
            };
            pointer.push_str(&token);
            view = child.unwrap_or(view);
        }
        pointer
    }
}
