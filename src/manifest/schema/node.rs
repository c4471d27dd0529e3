//! A node of the schema, with its `$ref` resolved.

use std::sync::LazyLock;

use serde_json::Value;

use super::SCHEMA;
use super::subschema::{Entries, Subschema};
use crate::document::pointer::tokens;

static ROOT: LazyLock<Subschema<'static>> = LazyLock::new(|| serde_json::from_str(SCHEMA).unwrap_or_default());

/// A subschema. Annotations are in the subschema itself, constraints may be in the definition that it refers to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    place: &'static Subschema<'static>,
    target: &'static Subschema<'static>,
}

/// What the schema says about a key of an object.
#[derive(Debug, Clone, Copy)]
pub(super) enum Known {
    /// A property, or an entry of a map.
    Child(Node),
    /// Any value is allowed.
    Free,
    /// Unknown key of a closed object.
    Refused,
    /// Unknown key of an open object, which has no effect.
    Ignored,
}

impl Node {
    /// The schema itself.
    pub(super) fn root() -> Self {
        Self::new(&ROOT)
    }

    fn new(place: &'static Subschema<'static>) -> Self {
        let target = place.reference().and_then(|name| ROOT.definition(name));
        Self { place, target: target.unwrap_or(place) }
    }

    /// The value of a keyword that contains no subschemas.
    pub(super) fn keyword(self, keyword: &str) -> Option<Value> {
        self.place.keyword(keyword).or_else(|| self.target.keyword(keyword))
    }

    /// The text of an annotation; empty if there is none.
    pub(super) fn text(self, keyword: &str) -> String {
        self.keyword(keyword).as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Whether the schema marks the field as an extension.
    pub(super) fn is_extension(self) -> bool {
        self.keyword("x-adl-extension").is_some_and(|marked| marked == true)
    }

    /// The first example, if it is a scalar.
    pub(super) fn scalar_example(self) -> Option<Value> {
        self.example().filter(|example| !example.is_object() && !example.is_array())
    }

    /// The first example.
    pub(super) fn example(self) -> Option<Value> {
        let Value::Array(examples) = self.keyword("examples")? else { return None };
        examples.into_iter().next()
    }

    /// The properties of an object, in the schema's order.
    pub(super) fn properties(self) -> impl Iterator<Item = (&'static str, Self)> {
        self.target.properties.iter().map(|(name, child)| (*name, Self::new(child)))
    }

    /// One property.
    pub(super) fn property(self, name: &str) -> Option<Self> {
        self.target.properties.iter().find(|(known, _)| *known == name).map(|(_, child)| Self::new(child))
    }

    /// Whether `name` is required.
    pub(super) fn requires(self, name: &str) -> bool {
        let required = self.keyword("required");
        required.as_ref().and_then(Value::as_array).into_iter().flatten().any(|required| required == name)
    }

    /// The schema of a list's items.
    pub(super) fn items(self) -> Option<Self> {
        self.target.items.as_deref().map(Self::new)
    }

    /// The schema of a map's entries.
    pub(super) fn entries(self) -> Option<Self> {
        match &self.target.entries {
            Entries::Like(entries) => Some(Self::new(entries)),
            Entries::Unsaid | Entries::Refused => None,
        }
    }

    /// What the schema says about `key`.
    pub(super) fn known(self, key: &str) -> Known {
        if let Some(child) = self.property(key) {
            return Known::Child(child);
        }
        if self.target.has("patternProperties") && key.starts_with("x-") {
            return Known::Free;
        }
        match &self.target.entries {
            Entries::Refused => Known::Refused,
            Entries::Like(entries) => Known::Child(Self::new(entries)),
            Entries::Unsaid if !self.target.properties.is_empty() => Known::Ignored,
            Entries::Unsaid => Known::Free,
        }
    }

    /// The node for a JSON pointer into a manifest; `None` inside free-form parts.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_schema_and_its_extension_markers() {
        let read: Subschema<'_> = serde_json::from_str(SCHEMA).unwrap();
        assert!(!read.properties.is_empty());
        let marked = |text: &'static str| {
            let place = Box::leak(Box::new(serde_json::from_str::<Subschema<'_>>(text).unwrap()));
            Node { place, target: place }.is_extension()
        };
        assert!(marked(r#"{"x-adl-extension": true}"#));
        assert!(!marked(r#"{"x-adl-extension": false}"#) && !marked("{}"));
    }
}
