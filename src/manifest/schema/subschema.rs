//! The schema in memory. Its structure is parsed; other keywords are kept as text until they are needed.
//!
//! Every run traverses the structure, but only findings and `adl explain` use the other keywords. Parsing all of them
//! would take longer than the rest of the work on a small manifest.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// A subschema with its nested subschemas.
#[derive(Debug, Default)]
pub(super) struct Subschema<'a> {
    /// `properties`, in the schema's order.
    pub(super) properties: Vec<(&'a str, Self)>,
    /// `items`.
    pub(super) items: Option<Box<Self>>,
    /// `additionalProperties`.
    pub(super) entries: Entries<'a>,
    /// `$defs`.
    definitions: Vec<(&'a str, Self)>,
    /// `$ref`.
    reference: Option<&'a str>,
    /// All other keywords.
    keywords: Vec<(&'a str, &'a RawValue)>,
}

/// The value of `additionalProperties`.
#[derive(Debug, Default)]
pub(super) enum Entries<'a> {
    /// Absent, or `true`.
    #[default]
    Unsaid,
    /// `false`.
    Refused,
    /// A subschema.
    Like(Box<Subschema<'a>>),
}

impl<'a> Subschema<'a> {
    /// The name of the definition that `$ref` refers to.
    pub(super) fn reference(&self) -> Option<&'a str> {
        self.reference?.strip_prefix("#/$defs/")
    }

    /// A definition.
    pub(super) fn definition(&self, name: &str) -> Option<&Self> {
        self.definitions.iter().find(|(known, _)| *known == name).map(|(_, definition)| definition)
    }

    /// Whether a keyword without subschemas is present.
    pub(super) fn has(&self, keyword: &str) -> bool {
        self.keywords.iter().any(|(known, _)| *known == keyword)
    }

    /// The value of such a keyword.
    pub(super) fn keyword(&self, keyword: &str) -> Option<Value> {
        let (_, text) = self.keywords.iter().find(|(known, _)| *known == keyword)?;
        serde_json::from_str(text.get()).ok()
    }
}

impl<'de> Deserialize<'de> for Subschema<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Keywords)
    }
}

struct Keywords;

impl<'de> Visitor<'de> for Keywords {
    type Value = Subschema<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a subschema")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut subschema = Subschema::default();
        while let Some(keyword) = map.next_key::<&str>()? {
            match keyword {
                "properties" => subschema.properties = map.next_value::<Named<'de>>()?.0,
                "$defs" => subschema.definitions = map.next_value::<Named<'de>>()?.0,
                "items" => subschema.items = Some(map.next_value()?),
                "additionalProperties" => subschema.entries = map.next_value()?,
                "$ref" => subschema.reference = Some(map.next_value()?),
                _ => subschema.keywords.push((keyword, map.next_value()?)),
            }
        }
        Ok(subschema)
    }
}

/// Subschemas by name, in order.
struct Named<'a>(Vec<(&'a str, Subschema<'a>)>);

impl<'de> Deserialize<'de> for Named<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Names)
    }
}

struct Names;

impl<'de> Visitor<'de> for Names {
    type Value = Named<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("subschemas by name")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut named = Vec::new();
        while let Some(entry) = map.next_entry()? {
            named.push(entry);
        }
        Ok(Named(named))
    }
}

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a subschema or a boolean")
    }

    fn visit_bool<E>(self, allowed: bool) -> Result<Self::Value, E> {
        Ok(if allowed { Entries::Unsaid } else { Entries::Refused })
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        Keywords.visit_map(map).map(|subschema| Entries::Like(Box::new(subschema)))
    }
}
