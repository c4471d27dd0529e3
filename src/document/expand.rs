//! From the tree as it is written to the tree as it is meant: scalars resolved, aliases copied, merge keys merged.
//!
//! Recursion is safe here: nothing is followed deeper than [`NESTING_LIMIT`], and what aliases add is paid from
//! [`EXPANSION_BUDGET`].

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::Tag;
use indexmap::IndexMap;
use indexmap::map::Entry as Slot;
use serde_json::{Map, Value};

use super::compose::{Content, SourceId, Tree};
use super::scalar::{self, NoJsonForm};
use super::{Children, EXPANSION_BUDGET, NESTING_LIMIT, Node, NodeId};
use crate::diagnostics::{Code, Diagnostic, FileId, Span};

/// A text of this many bytes costs as much of the budget as a node.
const BYTES_PER_NODE: usize = 128;

/// Ends the expansion: the document is not usable.
type Fatal = Box<Diagnostic>;

/// Resolves a tree. Findings that leave the document usable are pushed.
pub(super) fn expand(
    file: FileId,
    text: &str,
    tree: &Tree<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(Value, Vec<Node>), Fatal> {
    let mut expander =
        Expander { file, text, tree, diagnostics, nodes: Vec::new(), budget: EXPANSION_BUDGET, alias: None };
    let place = Place { parent: NodeId::ROOT, slot: 0, key: None, depth: 0 };
    let (_, value) = expander.node(tree.root(), place)?;
    Ok((value, expander.nodes))
}

struct Expander<'t, 'd> {
    file: FileId,
    text: &'t str,
    tree: &'t Tree<'t>,
    diagnostics: &'d mut Vec<Diagnostic>,
    nodes: Vec<Node>,
    /// Nodes that aliases may still add.
    budget: usize,
    /// The outermost alias that is being followed.
    alias: Option<Range<usize>>,
}

/// Where a node goes.
struct Place {
    parent: NodeId,
    slot: usize,
    key: Option<Range<usize>>,
    depth: usize,
}

/// An entry of a mapping after merging.
struct Entry {
    key: Range<usize>,
    value: SourceId,
    /// The alias that a merged entry came through.
    alias: Option<Range<usize>>,
}

type Entries<'t> = IndexMap<Cow<'t, str>, Entry>;

impl<'t> Expander<'t, '_> {
    fn node(&mut self, id: SourceId, place: Place) -> Result<(NodeId, Value), Fatal> {
        let tree = self.tree;
        let source = tree.node(id);
        if let Content::Alias(target) = &source.content {
            return self.through(Some(source.range.clone()), |expander| expander.node(*target, place));
        }
        self.pay(&source.range)?;
        let depth = place.depth;
        let collection = matches!(source.content, Content::Sequence(_) | Content::Mapping(_));
        if collection && depth >= NESTING_LIMIT {
            return Err(self.nested_too_deep(&source.range));
        }
        let new = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let range = if collection { self.first_character(source.range.start) } else { source.range.clone() };
        let Place { parent, slot, key, .. } = place;
        self.nodes.push(Node { parent, slot, key, range, children: Children::None });
        let tag = source.tag.as_deref();
        let (value, children) = match &source.content {
            Content::Scalar { text, plain } => (self.scalar(text, *plain, tag, &source.range), Children::None),
            Content::Broken | Content::Alias(_) => (Value::Null, Children::None),
            Content::Sequence(items) => {
                self.check_collection_tag(tag, "seq");
                self.sequence(items, new, depth)?
            }
            Content::Mapping(_) => {
                self.check_collection_tag(tag, "map");
                self.mapping(id, new, depth)?
            }
        };
        if let Some(node) = self.nodes.get_mut(new.0 as usize) {
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
        Ok((Value::Array(values), Children::Items(ids)))
    }

    fn mapping(&mut self, mapping: SourceId, parent: NodeId, depth: usize) -> Result<(Value, Children), Fatal> {
        let entries = self.entries(mapping, depth)?;
        let mut ids = IndexMap::with_capacity(entries.len());
        let mut values = Map::with_capacity(entries.len());
        for (slot, (name, entry)) in entries.into_iter().enumerate() {
            let place = Place { parent, slot, key: Some(entry.key), depth: depth + 1 };
            let (id, value) = self.through(entry.alias, |expander| expander.node(entry.value, place))?;
            ids.insert(Box::from(&*name), id);
            values.insert(name.into_owned(), value);
        }
        Ok((Value::Object(values), Children::Entries(ids)))
    }

    /// The entries of a mapping: its own in their order, then what its merge keys add. Its own win; earlier merges win over
    /// later ones.
    fn entries(&mut self, mapping: SourceId, depth: usize) -> Result<Entries<'t>, Fatal> {
        let tree = self.tree;
        let mut entries = Entries::new();
        let mut merge: Option<(Range<usize>, SourceId)> = None;
        let Content::Mapping(pairs) = &tree.node(mapping).content else { return Ok(entries) };
        for (key, value) in pairs {
            let range = tree.node(*key).range.clone();
            if self.is_merge_key(*key) {
                match &merge {
                    Some((first, _)) => self.report_duplicate("<<", first.clone(), range),
                    None => merge = Some((range, *value)),
                }
                continue;
            }
            let Some(name) = self.key(*key)? else { continue };
            match entries.entry(name) {
                Slot::Vacant(slot) => {
                    let range = if range.is_empty() { self.first_character(range.start) } else { range };
                    slot.insert(Entry { key: range, value: *value, alias: self.alias.clone() });
                }
                Slot::Occupied(slot) => {
                    let (name, first) = (slot.key().clone(), slot.get().key.clone());
                    self.report_duplicate(&name, first, range);
                }
            }
        }
        if let Some((_, value)) = merge {
            self.merge(value, &mut entries, depth)?;
        }
        Ok(entries)
    }

    /// Adds what stands behind a merge key: a mapping, an alias of one, or a list of those.
    fn merge(&mut self, value: SourceId, into: &mut Entries<'t>, depth: usize) -> Result<(), Fatal> {
        let (alias, target) = self.follow(value);
        let tree = self.tree;
        match &tree.node(target).content {
            Content::Mapping(_) => self.merge_mapping(alias, target, into, depth)?,
            Content::Sequence(items) => {
                for item in items {
                    let (inner, target) = self.follow(*item);
                    match &tree.node(target).content {
                        Content::Mapping(_) => self.merge_mapping(alias.clone().or(inner), target, into, depth)?,
                        Content::Broken => {}
                        Content::Scalar { .. } | Content::Sequence(_) | Content::Alias(_) if alias.is_some() => {
                            self.report_merge(value);
                            break;
                        }
                        Content::Scalar { .. } | Content::Sequence(_) | Content::Alias(_) => self.report_merge(*item),
                    }
                }
            }
            Content::Broken => {}
            Content::Scalar { .. } | Content::Alias(_) => self.report_merge(value),
        }
        Ok(())
    }

    fn merge_mapping(
        &mut self,
        alias: Option<Range<usize>>,
        mapping: SourceId,
        into: &mut Entries<'t>,
        depth: usize,
    ) -> Result<(), Fatal> {
        let range = self.tree.node(mapping).range.clone();
        if depth >= NESTING_LIMIT {
            return Err(self.nested_too_deep(&range));
        }
        self.through(alias, |expander| {
            expander.pay(&range)?;
            for (name, entry) in expander.entries(mapping, depth + 1)? {
                expander.pay(&entry.key)?;
                into.entry(name).or_insert(entry);
            }
            Ok(())
        })
    }

    /// Resolves an alias; also says where it stands. The target of an alias is never an alias itself.
    fn follow(&self, id: SourceId) -> (Option<Range<usize>>, SourceId) {
        let node = self.tree.node(id);
        match &node.content {
            Content::Alias(target) => (Some(node.range.clone()), *target),
            Content::Scalar { .. } | Content::Sequence(_) | Content::Mapping(_) | Content::Broken => (None, id),
        }
    }

    /// Runs `then` as part of following `alias`.
    fn through<T>(&mut self, alias: Option<Range<usize>>, then: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.alias.clone();
        self.alias = outer.clone().or(alias);
        let result = then(self);
        self.alias = outer;
        result
    }

    /// Counts a node with the source text `range` against the budget while an alias is followed. Long texts count more.
    fn pay(&mut self, range: &Range<usize>) -> Result<(), Fatal> {
        if self.alias.is_none() {
            return Ok(());
        }
        if let Some(rest) = self.budget.checked_sub(1 + range.len() / BYTES_PER_NODE) {
            self.budget = rest;
            return Ok(());
        }
        let place = self.alias.clone().unwrap_or_else(|| range.clone());
        let finding =
            Diagnostic::new(Code::TooManyAliasedNodes, self.span(place), "the aliases expand to too large a document")
                .label(format!("more than {EXPANSION_BUDGET} values added by aliases up to here"))
                .note("aliases of aliases multiply: a few lines can stand for billions of values")
                .help("write the repeated parts out, or use fewer levels of aliases");
        Err(Box::new(finding))
    }

    fn nested_too_deep(&self, range: &Range<usize>) -> Fatal {
        let place = self.alias.clone().unwrap_or_else(|| self.first_character(range.start));
        Box::new(nested_too_deep(self.span(place)))
    }

    fn is_merge_key(&self, key: SourceId) -> bool {
        let node = self.tree.node(key);
        let merge_tag = node.tag.as_deref().is_none_or(|(_, tag)| is_tag(tag, "merge"));
        matches!(&node.content, Content::Scalar { text, plain: true } if text == "<<") && merge_tag
    }

    /// The text of a key. One that is no string is reported and read as it is written; a collection gives `None`.
    fn key(&mut self, key: SourceId) -> Result<Option<Cow<'t, str>>, Fatal> {
        let tree = self.tree;
        let written = tree.node(key).range.clone();
        let (alias, target) = self.follow(key);
        let node = tree.node(target);
        self.through(alias, |expander| expander.pay(&node.range))?;
        let Content::Scalar { text, plain } = &node.content else {
            if !matches!(node.content, Content::Broken) {
                let finding = Diagnostic::new(
                    Code::KeyIsNotAString,
                    self.span(self.first_character(written.start)),
                    "a mapping or a list cannot be a key",
                )
                .help("use a string as the key");
                self.report(finding);
            }
            return Ok(None);
        };
        let kind = match node.tag.as_deref() {
            Some((_, tag)) => ["int", "float", "bool", "null"].into_iter().find(|name| is_tag(tag, name)),
            None if *plain => match scalar::resolve_plain(text) {
                Ok(Value::Null) => Some("null"),
                Ok(Value::Bool(_)) => Some("bool"),
                Ok(Value::Number(_)) | Err(_) => Some("number"),
                Ok(Value::String(_) | Value::Array(_) | Value::Object(_)) => None,
            },
            None => None,
        };
        if let Some(kind) = kind {
            self.report_key(text, kind, written);
        }
        Ok(Some(text.clone()))
    }

    fn report_key(&mut self, text: &str, kind: &str, range: Range<usize>) {
        let range = if range.is_empty() { self.first_character(range.start) } else { range };
        let what = match kind {
            "null" if text.is_empty() => "a key is missing before this `:`".to_owned(),
            "null" => format!("the key `{text}` is null, not a string"),
            "bool" => format!("the key `{text}` is a boolean, not a string"),
            _ => format!("the key `{text}` is a number, not a string"),
        };
        let help = if text.is_empty() { "write the key".to_owned() } else { format!("quote it: `\"{text}\"`") };
        let finding = Diagnostic::new(Code::KeyIsNotAString, self.span(range), what).help(help);
        self.report(finding);
    }

    fn scalar(&mut self, text: &str, plain: bool, tag: Option<&(Range<usize>, Tag)>, range: &Range<usize>) -> Value {
        let resolved = match tag {
            None if plain => scalar::resolve_plain(text),
            None => Ok(Value::String(text.to_owned())),
            Some((place, tag)) => tagged(text, tag).unwrap_or_else(|| {
                self.report_tag(place.clone(), tag, "this value");
                Ok(Value::String(text.to_owned()))
            }),
        };
        resolved.unwrap_or_else(|reason| {
            self.report_number(text, reason, range.clone());
            Value::String(text.to_owned())
        })
    }

    fn check_collection_tag(&mut self, tag: Option<&(Range<usize>, Tag)>, fitting: &str) {
        if let Some((place, tag)) = tag
            && !is_tag(tag, fitting)
            && !is_non_specific(tag)
        {
            self.report_tag(place.clone(), tag, if fitting == "map" { "a mapping" } else { "a list" });
        }
    }

    fn report_tag(&mut self, place: Range<usize>, tag: &Tag, what: &str) {
        let name = self.text.get(place.clone()).unwrap_or_default();
        let headline = if tag.is_yaml_core_schema() {
            format!("the tag `{name}` does not fit {what}")
        } else {
            format!("the tag `{name}` is not known")
        };
        let finding = Diagnostic::new(Code::UnknownTag, self.span(place), headline)
            .note("known are `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!map` and `!!seq`")
            .help("remove the tag");
        self.report(finding);
    }

    fn report_number(&mut self, text: &str, reason: NoJsonForm, range: Range<usize>) {
        let (headline, note) = match reason {
            NoJsonForm::NotFinite => {
                (format!("`{text}` has no JSON form"), "infinities and not-a-number cannot be passed on")
            }
            NoJsonForm::TooLarge => (
                format!("the number `{text}` is too large to be kept exactly"),
                "whole numbers have 64 bits, others are doubles",
            ),
        };
        let finding = Diagnostic::new(Code::NumberWithoutJsonForm, self.span(range), headline)
            .note(note)
            .help("write a smaller number, or quote it if a text is meant");
        self.report(finding);
    }

    fn report_duplicate(&mut self, name: &str, first: Range<usize>, second: Range<usize>) {
        let finding =
            Diagnostic::new(Code::DuplicateKey, self.span(second), format!("the key `{name}` is written twice"))
                .label("written again here")
                .related(self.span(first), "first written here")
                .note("one of the two values would be lost")
                .help(if name == "<<" {
                    "merge several mappings with one key: `<<: [*first, *second]`"
                } else {
                    "remove or rename one of them"
                });
        self.report(finding);
    }

    fn report_merge(&mut self, value: SourceId) {
        let range = self.tree.node(value).range.clone();
        let range = if range.is_empty() { self.first_character(range.start) } else { range };
        let finding =
            Diagnostic::new(Code::MergeIsNotAMapping, self.span(range), "only mappings can be merged with `<<`")
                .label("not a mapping")
                .help("merge an alias of a mapping (`<<: *name`) or a list of those; quote `\"<<\"` if a key is meant");
        self.report(finding);
    }

    /// Reports what is found where it is written, not again for each alias that leads there.
    fn report(&mut self, finding: Diagnostic) {
        if self.alias.is_none() {
            self.diagnostics.push(finding);
        }
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range)
    }

    /// The range of the character that begins at `start`; empty at the end of the text.
    fn first_character(&self, start: usize) -> Range<usize> {
        let character = self.text.get(start..).and_then(|text| text.chars().next());
        start..start + character.map_or(0, char::len_utf8)
    }
}

/// The finding for both sources of depth: the text itself and aliases.
pub(super) fn nested_too_deep(span: Span) -> Diagnostic {
    let headline = format!("mappings and lists are nested deeper than {NESTING_LIMIT} levels");
    Diagnostic::new(Code::NestedTooDeep, span, headline).label("one level too many").help("flatten this part")
}

/// The value of a scalar with a tag; `None` when the tag is unknown or the text does not fit it.
fn tagged(text: &str, tag: &Tag) -> Option<Result<Value, NoJsonForm>> {
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

fn is_tag(tag: &Tag, name: &str) -> bool {
    tag.suffix_in_namespace("tag:yaml.org,2002:").is_some_and(|suffix| suffix == name)
}

/// The tag `!`, which asks for a string, mapping or list, whatever the text looks like.
fn is_non_specific(tag: &Tag) -> bool {
    tag.parts() == ("", "!")
}
