//! Go types for the arguments of a tool, from its JSON Schema.
//!
//! A property becomes a field: required ones by value, optional scalars and objects as pointers, so that "absent" and "zero" stay
//! apart.

use serde::Serialize;
use serde_json::Value;

use super::identifiers::exported;
use crate::names::Casing;
use crate::render::literals::shows;
use crate::targets::identifiers::Identifiers;
use crate::targets::schema::{self, Object, Shape, Type};

/// One type declaration.
#[derive(Debug, Serialize)]
pub(super) struct Declaration {
    /// Name of the type.
    pub(super) name: String,
    /// What it holds, for the comment above it.
    pub(super) comment: String,
    /// The fields of a struct; `None`: the type is a map from names to any value.
    pub(super) fields: Option<Vec<Field>>,
}

/// One field of a struct, padded as gofmt pads it.
#[derive(Debug, Serialize)]
pub(super) struct Field {
    /// Description of the property; empty: none.
    pub(super) comment: String,
    /// Name and the spaces after it.
    pub(super) name: String,
    /// Type and the spaces after it.
    pub(super) r#type: String,
    /// The text of the tag, without the back-quotes.
    pub(super) tag: String,
}

/// Declares the type `name` and the types it needs for an object schema.
pub(super) fn declare(
    name: &str,
    comment: String,
    schema: &Value,
    casing: &Casing,
    identifiers: &mut Identifiers,
) -> Vec<Declaration> {
    let mut declarer = Declarer { casing, identifiers, declarations: Vec::new() };
    declarer.object(name, comment, &schema::object(schema));
    declarer.declarations
}

struct Declarer<'a> {
    casing: &'a Casing,
    identifiers: &'a mut Identifiers,
    declarations: Vec<Declaration>,
}

impl Declarer<'_> {
    fn object(&mut self, name: &str, comment: String, object: &Object<'_>) {
        let index = self.declarations.len();
        self.declarations.push(Declaration { name: name.to_owned(), comment, fields: None });
        let properties = &object.properties;
        if !properties.iter().all(|property| is_tag_name(property.name)) || (properties.is_empty() && object.is_open) {
            return;
        }
        let mut names = Identifiers::default();
        let mut fields = Vec::new();
        for property in properties {
            let field = exported(&mut names, &self.casing.pascal(property.name), "Field");
            let base = self.go_type(&format!("{name}{field}"), &property.r#type);
            fields.push(Field {
                comment: if shows(property.description) { property.description.to_owned() } else { String::new() },
                r#type: if !property.is_required && is_scalar_or_struct(&base) { format!("*{base}") } else { base },
                tag: tag(property.name, !property.is_required),
                name: field,
            });
        }
        pad(&mut fields);
        if let Some(declaration) = self.declarations.get_mut(index) {
            declaration.fields = Some(fields);
        }
    }

    fn go_type(&mut self, name: &str, r#type: &Type<'_>) -> String {
        let base = match &r#type.shape {
            Shape::Any => return "any".to_owned(),
            Shape::List(item) => return format!("[]{}", self.go_type(&format!("{name}Item"), item)),
            Shape::Map(value) => return format!("map[string]{}", self.go_type(&format!("{name}Value"), value)),
            Shape::Text => "string".to_owned(),
            Shape::Integer => "int64".to_owned(),
            Shape::Number => "float64".to_owned(),
            Shape::Boolean => "bool".to_owned(),
            Shape::Object(object) => {
                let name = exported(self.identifiers, name, "Object");
                let comment = format!("{name} is a part of the arguments.");
                self.object(&name, comment, object);
                name
            }
        };
        if r#type.is_nullable { format!("*{base}") } else { base }
    }
}

fn is_scalar_or_struct(go_type: &str) -> bool {
    !(go_type == "any" || go_type.starts_with(['*', '[']) || go_type.starts_with("map["))
}

/// Whether `encoding/json` can match a property of this name through a struct tag.
fn is_tag_name(property: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "!#$%&()*+-./:;<=>?@[]^_{|}~ ".contains(c) || is_letter(c);
    !property.is_empty() && property.chars().all(allowed)
}

/// Whether a character is a letter to every version of Go: the everyday ranges of the commonest scripts that hold letters only.
/// Rust's `is_alphabetic` is wider than Go's `unicode.IsLetter`: it takes vowel signs and circled letters too.
fn is_letter(character: char) -> bool {
    matches!(
        character,
        'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ʯ' // Latin
        | 'Α'..='Ρ' | 'Σ'..='ώ' // Greek
        | 'Ѐ'..='ҁ' | 'Ҋ'..='ԯ' // Cyrillic
        | 'ぁ'..='ゖ' | 'ァ'..='ヺ' // Kana
        | '一'..='\u{9fa5}' // Han
        | '가'..='힣' // Hangul
    )
}

fn tag(property: &str, optional: bool) -> String {
    let option = if optional { ",omitempty" } else { "" };
    // `json:"-"` alone would leave the field out.
    let comma = if property == "-" && !optional { "," } else { "" };
    format!("json:\"{property}{comma}{option}\"")
}

/// Pads names and types of fields that follow each other without a comment between them, as gofmt does.
fn pad(fields: &mut [Field]) {
    for run in fields.chunk_by_mut(|_, next| next.comment.is_empty()) {
        let width = |text: &String| text.chars().count();
        let names = run.iter().map(|field| width(&field.name)).max().unwrap_or(0);
        let types = run.iter().map(|field| width(&field.r#type)).max().unwrap_or(0);
        for field in run {
            field.name = format!("{:names$}", field.name);
            field.r#type = format!("{:types$}", field.r#type);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(schema: &Value) -> Vec<String> {
        let casing = Casing::new([]);
        let declarations = declare("Arguments", String::new(), schema, &casing, &mut Identifiers::default());
        declarations
            .iter()
            .flat_map(|declaration| {
                let fields = declaration.fields.as_deref().unwrap_or_default();
                let fields = fields.iter().map(|field| format!("{} {} {}", field.name, field.r#type, field.tag));
                std::iter::once(format!("type {}", declaration.name)).chain(fields).collect::<Vec<_>>()
            })
            .collect()
    }

    #[test]
    fn types_follow_the_schema() {
        let schema = json!({
            "type": "object",
            "required": ["city", "tags", "where"],
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "where": {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]},
                "note": {"type": ["string", "null"]},
                "labels": {"type": "object", "additionalProperties": {"type": "boolean"}},
                "any": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            },
        });
        assert_eq!(
            lines(&schema),
            [
                "type Arguments",
                "City   string          json:\"city\"",
                "Days   *int64          json:\"days,omitempty\"",
                "Tags   []string        json:\"tags\"",
                "Where  ArgumentsWhere  json:\"where\"",
                "Note   *string         json:\"note,omitempty\"",
                "Labels map[string]bool json:\"labels,omitempty\"",
                "Any    any             json:\"any,omitempty\"",
                "type ArgumentsWhere",
                "Lat float64 json:\"lat\"",
            ]
        );
    }

    #[test]
    fn names_stay_as_they_are_on_the_wire() {
        let schema = json!({"properties": {"self": {"type": "string"}, "$ref": {"type": "string"}, "a-b": {}, "a_b": {}, "5g": {}, "-": {}, "名": {}}});
        assert_eq!(
            lines(&schema),
            [
                "type Arguments",
                "Self    *string json:\"self,omitempty\"",
                "Ref     *string json:\"$ref,omitempty\"",
                "AB      any     json:\"a-b,omitempty\"",
                "AB2     any     json:\"a_b,omitempty\"",
                "Field5g any     json:\"5g,omitempty\"",
                "Field   any     json:\"-,omitempty\"",
                "Field2  any     json:\"名,omitempty\"",
            ]
        );
    }

    #[test]
    fn a_name_that_no_tag_can_hold_makes_a_map() {
        for name in ["a\"b", "नाम", "a²", "½", "Ⓐ", "Ⅷ", "x₂", "①", ""] {
            let schema = json!({"properties": {name: {"type": "string"}}});
            let declarations = declare("A", String::new(), &schema, &Casing::new([]), &mut Identifiers::default());
            assert!(declarations[0].fields.is_none(), "{name}");
        }
    }
}
