//! The types that a JSON Schema describes, as any language can declare them.
//!
//! What no type can say (several types, references, conditions) becomes [`Shape::Any`]; the schema that the model sees is never
//! narrowed by what a type can hold.

use serde_json::{Map, Value};

/// The type of a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Type<'a> {
    pub(super) shape: Shape<'a>,
    /// Whether null is allowed too.
    pub(super) is_nullable: bool,
}

/// What a value is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shape<'a> {
    Any,
    Text,
    Integer,
    Number,
    Boolean,
    List(Box<Type<'a>>),
    /// Any names, values of one type.
    Map(Box<Type<'a>>),
    /// At least one property.
    Object(Object<'a>),
}

/// An object with its properties, in the schema's order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Object<'a> {
    pub(super) properties: Vec<Property<'a>>,
    /// Whether the schema says something about other properties than these, and does not rule them out.
    pub(super) is_open: bool,
}

/// A property of an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Property<'a> {
    pub(super) name: &'a str,
    /// Empty: none.
    pub(super) description: &'a str,
    pub(super) is_required: bool,
    pub(super) r#type: Type<'a>,
}

/// The object that an object schema describes.
pub(super) fn object(schema: &Value) -> Object<'_> {
    let required: Vec<_> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    Object {
        properties: properties(schema)
            .into_iter()
            .flatten()
            .map(|(name, schema)| Property {
                name,
                description: schema.get("description").and_then(Value::as_str).unwrap_or_default(),
                is_required: required.contains(&name.as_str()),
                r#type: r#type(schema),
            })
            .collect(),
        is_open: schema.get("additionalProperties") != Some(&Value::Bool(false))
            && ["additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref"]
                .iter()
                .any(|key| schema.get(key).is_some()),
    }
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

fn r#type(schema: &Value) -> Type<'_> {
    let (kind, is_nullable) = kind(schema);
    let shape = match kind {
        Some("string") => Shape::Text,
        Some("integer") => Shape::Integer,
        Some("number") => Shape::Number,
        Some("boolean") => Shape::Boolean,
        Some("array") => Shape::List(Box::new(below(schema.get("items")))),
        Some("object") if properties(schema).is_some_and(|all| !all.is_empty()) => Shape::Object(object(schema)),
        Some("object") => {
            Shape::Map(Box::new(below(schema.get("additionalProperties").filter(|values| values.is_object()))))
        }
        _ => Shape::Any,
    };
    Type { shape, is_nullable }
}

/// The type of what a schema holds; without a schema, any.
fn below(schema: Option<&Value>) -> Type<'_> {
    schema.map_or(Type { shape: Shape::Any, is_nullable: false }, r#type)
}

/// The one type that a schema names, and whether null is allowed beside it.
fn kind(schema: &Value) -> (Option<&str>, bool) {
    match schema.get("type") {
        Some(Value::String(kind)) => (Some(kind), false),
        Some(Value::Array(kinds)) => {
            let mut others = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            let first = others.next();
            (first.filter(|_| others.next().is_none()), true)
        }
        _ if schema.get("properties").is_some() => (Some("object"), false),
        _ => {
            let all_text =
                schema.get("enum").and_then(Value::as_array).is_some_and(|all| all.iter().all(Value::is_string));
            (all_text.then_some("string"), false)
        }
    }
}
