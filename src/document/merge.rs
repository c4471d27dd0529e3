//! The entries of a mapping: resolves keys, rejects duplicates, applies `<<`.

use std::borrow::Cow;

use indexmap::IndexMap;
use indexmap::map::Entry as Slot;
use serde_json::Value;

use super::compose::{Content, SourceId};
use super::expand::{Expander, Fatal, is_tag};
use super::extent::Extent;
use super::{finding, scalar};

/// An entry of a mapping after merging.
pub(super) struct Entry {
    pub(super) key: Extent,
    pub(super) value: SourceId,
    /// The alias of a merged entry.
    pub(super) alias: Option<Extent>,
}

pub(super) type MergedEntries<'t> = IndexMap<Cow<'t, str>, Entry>;

impl<'t> Expander<'t, '_> {
    /// The entries of a mapping: its own in order, then those of its merge key. Its own entries win, then earlier
    /// merges. The merge key itself is not an entry.
    pub(super) fn entries(&mut self, mapping: SourceId, depth: usize) -> Result<MergedEntries<'t>, Fatal> {
        let tree = self.tree;
        let Content::Mapping(pairs) = &tree.node(mapping).content else { return Ok(MergedEntries::new()) };
        let mut entries = MergedEntries::with_capacity(pairs.len());
        let mut merge: Option<(Extent, SourceId)> = None;
        for (key, value) in pairs {
            let extent = tree.node(*key).extent;
            if self.is_merge_key(*key) {
                match merge {
                    Some((first, _)) => self.report_duplicate("<<", first, extent),
                    None => merge = Some((extent, *value)),
                }
                continue;
            }
            let Some(name) = self.key(*key)? else { continue };
            match entries.entry(name) {
                Slot::Vacant(slot) => {
                    slot.insert(Entry { key: extent, value: *value, alias: self.alias });
                }
                Slot::Occupied(slot) => {
                    let (name, first) = (slot.key().clone(), slot.get().key);
                    self.report_duplicate(&name, first, extent);
                }
            }
        }
        if let Some((_, value)) = merge {
            self.merge(value, &mut entries, depth)?;
        }
        Ok(entries)
    }

    /// Adds the value of a merge key: a mapping, an alias of a mapping, or a list of these.
    fn merge(&mut self, value: SourceId, into: &mut MergedEntries<'t>, depth: usize) -> Result<(), Fatal> {
        let (alias, target) = self.follow(value);
        let tree = self.tree;
        match &tree.node(target).content {
            Content::Mapping(_) => self.merge_mapping(alias, target, into, depth)?,
            Content::Sequence(items) => {
                for item in items {
                    let (inner, target) = self.follow(*item);
                    match &tree.node(target).content {
                        Content::Mapping(_) => self.merge_mapping(alias.or(inner), target, into, depth)?,
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
        alias: Option<Extent>,
        mapping: SourceId,
        into: &mut MergedEntries<'t>,
        depth: usize,
    ) -> Result<(), Fatal> {
        let extent = self.tree.node(mapping).extent;
        self.check_depth(depth, extent)?;
        self.through(alias, |expander| {
            expander.charge(extent)?;
            for (name, entry) in expander.entries(mapping, depth + 1)? {
                expander.charge(entry.key)?;
                into.entry(name).or_insert(entry);
            }
            Ok(())
        })
    }

    fn is_merge_key(&self, key: SourceId) -> bool {
        let node = self.tree.node(key);
        let merge_tag = node.tag.as_deref().is_none_or(|(_, tag)| is_tag(tag, "merge"));
        matches!(&node.content, Content::Scalar { text, plain: true } if text == "<<") && merge_tag
    }

    /// The text of a key. A non-string scalar is reported and used as written; a collection returns `None`.
    fn key(&mut self, key: SourceId) -> Result<Option<Cow<'t, str>>, Fatal> {
        let tree = self.tree;
        let written = tree.node(key).extent;
        let (alias, target) = self.follow(key);
        let node = tree.node(target);
        self.through(alias, |expander| expander.charge(node.extent))?;
        let Content::Scalar { text, plain } = &node.content else {
            if !matches!(node.content, Content::Broken) {
                let place = written.first_character(self.text);
                self.report(finding::collection_as_key(place.span(self.file)));
            }
            return Ok(None);
        };
        let kind = match node.tag.as_deref() {
            Some((_, tag)) if is_tag(tag, "null") => Some("null"),
            Some((_, tag)) if is_tag(tag, "bool") => Some("a boolean"),
            Some((_, tag)) if is_tag(tag, "int") || is_tag(tag, "float") => Some("a number"),
            None if *plain => match scalar::resolve_plain(text) {
                Ok(Value::Null) => Some("null"),
                Ok(Value::Bool(_)) => Some("a boolean"),
                Ok(Value::Number(_)) | Err(_) => Some("a number"),
                Ok(Value::String(_) | Value::Array(_) | Value::Object(_)) => None,
            },
            Some(_) | None => None,
        };
        if let Some(kind) = kind {
            let place = written.or_first_character(self.text);
            self.report(finding::non_string_key(place.span(self.file), text, kind));
        }
        Ok(Some(text.clone()))
    }

    fn report_duplicate(&mut self, name: &str, first: Extent, second: Extent) {
        let [first, second] = [first, second].map(|key| key.or_first_character(self.text).span(self.file));
        self.report(finding::duplicate_key(name, first, second));
    }

    fn report_merge(&mut self, value: SourceId) {
        let place = self.tree.node(value).extent.or_first_character(self.text);
        self.report(finding::invalid_merge_value(place.span(self.file)));
    }
}
