//! Expands the source tree: resolves scalars, copies aliases, merges merge keys.
//!
//! Recursion is safe: the depth is limited to [`NESTING_LIMIT`], and aliases are limited by [`EXPANSION_BUDGET`].

use granit_parser::Tag;
use serde_json::{Map, Value};

use super::compose::{Content, SourceId, Tree};
use super::extent::Extent;
use super::scalar::{self, Unrepresentable};
use super::{Children, EXPANSION_BUDGET, Entries, NESTING_LIMIT, Node, NodeId, finding};
use crate::diagnostics::{Diagnostic, FileId};

/// The number of bytes that costs as much of the budget as a node.
const BYTES_PER_NODE: usize = 128;

/// An error that makes the document unusable.
pub(super) type Fatal = Box<Diagnostic>;

/// Expands a tree. Findings that leave the document usable are added to the list.
pub(super) fn expand(
    file: FileId,
    text: &str,
    tree: &Tree<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(Value, Vec<Node>), Fatal> {
    let nodes = Vec::with_capacity(tree.len());
    let mut expander = Expander { file, text, tree, diagnostics, nodes, budget: EXPANSION_BUDGET, alias: None };
    let place = Place { parent: NodeId::ROOT, slot: 0, key: None, depth: 0 };
    let (_, value) = expander.node(tree.root(), place)?;
    Ok((value, expander.nodes))
}

pub(super) struct Expander<'t, 'd> {
    pub(super) file: FileId,
    pub(super) text: &'t str,
    pub(super) tree: &'t Tree<'t>,
    diagnostics: &'d mut Vec<Diagnostic>,
    nodes: Vec<Node>,
    /// The number of nodes that aliases may still add.
    budget: usize,
    /// The outermost alias that is being followed.
    pub(super) alias: Option<Extent>,
}

/// The position of a node.
struct Place {
    parent: NodeId,
    slot: usize,
    key: Option<Extent>,
    depth: usize,
}

impl Expander<'_, '_> {
    fn node(&mut self, id: SourceId, place: Place) -> Result<(NodeId, Value), Fatal> {
        let source = self.tree.node(id);
        if let Content::Alias(target) = source.content {
            return self.through(Some(source.extent), |expander| expander.node(target, place));
        }
        self.charge(source.extent)?;
        let depth = place.depth;
        let collection = matches!(source.content, Content::Sequence(_) | Content::Mapping(_));
        if collection {
            self.check_depth(depth, source.extent)?;
        }
        let new = NodeId::at(self.nodes.len());
        self.nodes.push(Node {
            parent: place.parent,
            slot: u32::try_from(place.slot).unwrap_or(u32::MAX),
            key: place.key,
            extent: if collection { source.extent.first_character(self.text) } else { source.extent },
            children: Children::None,
        });
        let tag = source.tag.as_deref();
        let (value, children) = match &source.content {
            Content::Scalar { text, plain } => return Ok((new, self.scalar(text, *plain, tag, source.extent))),
            Content::Broken | Content::Alias(_) => return Ok((new, Value::Null)),
            Content::Sequence(items) => {
                self.check_tag(tag, "seq", "a list");
                self.sequence(items, new, depth)?
            }
            Content::Mapping(_) => {
                self.check_tag(tag, "map", "a mapping");
                self.mapping(id, new, depth)?
            }
        };
        if let Some(node) = self.nodes.get_mut(new.index()) {
            node.children = children;
        }
        Ok((new, value))
    }

    fn sequence(&mut self, items: &[SourceId], parent: NodeId, depth: usize) -> Result<(Value, Children), Fatal> {
        let mut ids = Vec::with_capacity(items.len());
        let mut values = Vec::with_capacity(items.len());
        for (slot, item) in items.iter().enumerate() {
            let (id, value) = self.node(*item, Place { parent, slot, key: None, depth: depth + 1 })?;
            ids.push(id);
            values.push(value);
        }
        Ok((Value::Array(values), Children::Items(ids.into())))
    }

    fn mapping(&mut self, mapping: SourceId, parent: NodeId, depth: usize) -> Result<(Value, Children), Fatal> {
        let entries = self.entries(mapping, depth)?;
        let mut ids = Vec::with_capacity(entries.len());
        let mut values = Map::with_capacity(entries.len());
        for (slot, (name, entry)) in entries.into_iter().enumerate() {
            let place = Place { parent, slot, key: Some(entry.key), depth: depth + 1 };
            let (id, value) = self.through(entry.alias, |expander| expander.node(entry.value, place))?;
            ids.push(id);
            values.insert(name.into_owned(), value);
        }
        let entries = Entries::new(ids, values.keys());
        Ok((Value::Object(values), Children::Entries(Box::new(entries))))
    }

    fn scalar(&mut self, text: &str, plain: bool, tag: Option<&(Extent, Tag)>, extent: Extent) -> Value {
        let resolved = match tag {
            None if plain => scalar::resolve_plain(text),
            None => Ok(Value::String(text.to_owned())),
            Some((place, tag)) => tagged(text, tag).unwrap_or_else(|| {
                self.report_tag(*place, tag, "this value");
                Ok(Value::String(text.to_owned()))
            }),
        };
        resolved.unwrap_or_else(|reason| {
            self.report(finding::unrepresentable_number(extent.span(self.file), text, reason));
            Value::String(text.to_owned())
        })
    }

    fn check_tag(&mut self, tag: Option<&(Extent, Tag)>, fitting: &str, what: &str) {
        if let Some((place, tag)) = tag
            && !is_tag(tag, fitting)
            && !is_non_specific(tag)
        {
            self.report_tag(*place, tag, what);
        }
    }

    fn report_tag(&mut self, place: Extent, tag: &Tag, what: &str) {
        self.report(finding::unknown_tag(place.span(self.file), place.of(self.text), tag, what));
    }

    /// Reports a finding at its source, not again for each alias.
    pub(super) fn report(&mut self, finding: Diagnostic) {
        if self.alias.is_none() {
            self.diagnostics.push(finding);
        }
    }

    /// Resolves an alias and returns its location. The target of an alias is never an alias itself.
    pub(super) fn follow(&self, id: SourceId) -> (Option<Extent>, SourceId) {
        let node = self.tree.node(id);
        match node.content {
            Content::Alias(target) => (Some(node.extent), target),
            Content::Scalar { .. } | Content::Sequence(_) | Content::Mapping(_) | Content::Broken => (None, id),
        }
    }

    /// Runs `then` while following `alias`.
    pub(super) fn through<T>(&mut self, alias: Option<Extent>, then: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.alias;
        self.alias = outer.or(alias);
        let result = then(self);
        self.alias = outer;
        result
    }

    /// Charges a node at `extent` to the budget while an alias is followed. Long texts cost more.
    pub(super) fn charge(&mut self, extent: Extent) -> Result<(), Fatal> {
        let Some(alias) = self.alias else { return Ok(()) };
        let Some(rest) = self.budget.checked_sub(1 + extent.len() / BYTES_PER_NODE) else {
            return Err(Box::new(finding::too_many_aliased_nodes(alias.span(self.file))));
        };
        self.budget = rest;
        Ok(())
    }

    /// Rejects a collection at `extent` that exceeds the nesting limit.
    pub(super) fn check_depth(&self, depth: usize, extent: Extent) -> Result<(), Fatal> {
        if depth < NESTING_LIMIT {
            return Ok(());
        }
        let place = self.alias.unwrap_or_else(|| extent.first_character(self.text));
        Err(Box::new(finding::nesting_too_deep(place.span(self.file))))
    }
}

/// The value of a tagged scalar; `None` if the tag is unknown or does not match the text.
fn tagged(text: &str, tag: &Tag) -> Option<Result<Value, Unrepresentable>> {
    if is_non_specific(tag) {
        return Some(Ok(Value::String(text.to_owned())));
    }
    match tag.core_suffix()? {
        "str" => Some(Ok(Value::String(text.to_owned()))),
        "float" => scalar::resolve_float(text),
        "int" => match scalar::resolve_plain(text) {
            Ok(value) => (value.is_u64() || value.is_i64()).then_some(Ok(value)),
            Err(reason) => Some(Err(reason)),
        },
        "bool" => scalar::resolve_plain(text).ok().filter(Value::is_boolean).map(Ok),
        "null" => scalar::resolve_plain(text).ok().filter(Value::is_null).map(Ok),
        _ => None,
    }
}

pub(super) fn is_tag(tag: &Tag, name: &str) -> bool {
    tag.suffix_in_namespace("tag:yaml.org,2002:").is_some_and(|suffix| suffix == name)
}

/// The tag `!`, which makes any scalar a string.
fn is_non_specific(tag: &Tag) -> bool {
    tag.parts() == ("", "!")
}
