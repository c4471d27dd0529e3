//! One place of the schema, with its `$ref` followed.

use std::sync::LazyLock;

use serde_json::Value;

use super::SCHEMA;
use crate::document::pointer::tokens;

static ROOT: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA).unwrap_or_default());

/// A subschema. Annotations stand at the place itself, constraints maybe in the definition that it refers to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    place: &'static Value,
    target: &'static Value,
}

/// What the schema says about a key of an object.
#[derive(Debug, Clone, Copy)]
pub(super) enum Known {
    /// A property, or an entry of a map.
    Child(Node),
    /// Any value may stand there.
    Free,
    /// No such key, and the object is closed.
    Refused,
    /// No such key, and the object is open: it has no effect.
    Ignored,
}

impl Node {
    /// The schema itself.
    pub(super) fn root() -> Self {
        Self::new(&ROOT)
    }

    fn new(place: &'static Value) -> Self {
        let target =
            place.get("$ref").and_then(Value::as_str).and_then(|reference| ROOT.pointer(reference.strip_prefix('#')?));
        Self { place, target: target.unwrap_or(place) }
    }

    /// A keyword's value.
    pub(super) fn keyword(self, keyword: &str) -> Option<&'static Value> {
        self.place.get(keyword).or_else(|| self.target.get(keyword))
    }

    /// An annotation's text; empty when there is none.
    pub(super) fn text(self, keyword: &str) -> &'static str {
        self.keyword(keyword).and_then(Value::as_str).unwrap_or_default()
    }

    /// The first example, when it is a scalar.
    pub(super) fn scalar_example(self) -> Option<&'static Value> {
        self.keyword("examples")?.get(0).filter(|example| !example.is_object() && !example.is_array())
    }

    /// The properties of an object, in the schema's order.
    pub(super) fn properties(self) -> impl Iterator<Item = (&'static str, Self)> {
        let properties = self.keyword("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, child)| (name.as_str(), Self::new(child)))
    }

    /// One property.
    pub(super) fn property(self, name: &str) -> Option<Self> {
        Some(Self::new(self.keyword("properties")?.get(name)?))
    }

    /// Whether an object of this kind must have `name`.
    pub(super) fn requires(self, name: &str) -> bool {
        let required = self.keyword("required").and_then(Value::as_array);
        required.into_iter().flatten().any(|required| required == name)
    }

    /// The schema of a list's items.
    pub(super) fn items(self) -> Option<Self> {
        self.keyword("items").map(Self::new)
    }

    /// The schema of a map's entries.
    pub(super) fn entries(self) -> Option<Self> {
        self.keyword("additionalProperties").filter(|entries| entries.is_object()).map(Self::new)
    }

    /// What stands under `key` in an object of this kind.
    pub(super) fn known(self, key: &str) -> Known {
        if let Some(child) = self.property(key) {
            return Known::Child(child);
        }
        if self.keyword("patternProperties").is_some() && key.starts_with("x-") {
            return Known::Free;
        }
        match self.keyword("additionalProperties") {
            Some(Value::Bool(false)) => Known::Refused,
            Some(Value::Object(_)) => self.entries().map_or(Known::Free, Known::Child),
            _ if self.keyword("properties").is_some() => Known::Ignored,
            _ => Known::Free,
        }
    }

    /// The node of a manifest's part, by JSON pointer; `None` below free parts.
    pub(super) fn at(pointer: &str) -> Option<Self> {
        tokens(pointer).try_fold(Self::root(), |node, token| {
            if let Some(items) = node.items() {
                return Some(items);
            }
            match node.known(&token) {
                Known::Child(child) => Some(child),
                Known::Free | Known::Refused | Known::Ignored => None,
            }
        })
    }
}
