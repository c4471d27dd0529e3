//! Compares the checks of tool schemas with the JSON Schema meta-schema, keyword by keyword.

use adl::diagnostics::{Code, Diagnostic, FileId};
use adl::document::parse;
use adl::rules;
use serde_json::{Value, json};

/// The keywords of draft 2020-12, except those that are only used in meta-schemas.
const KEYWORDS: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];

/// Intended differences: draft 4 allows booleans as bounds and draft 7 lists of items, which providers accept; the
/// meta-schema allows an empty `enum`, which no argument satisfies.
const DIFFERENT: &[(&str, &str)] =
    &[("exclusiveMaximum", "true"), ("exclusiveMinimum", "true"), ("items", "[]"), ("items", "[{}]"), ("enum", "[]")];

fn values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1),
        json!(1.5),
        json!("text"),
        json!("object"),
        json!("("),
        json!([]),
        json!(["a"]),
        json!(["a", "a"]),
        json!(["object", "object"]),
        json!([{}]),
        json!([1]),
        json!({}),
        json!({"a": {}}),
        json!({"a": 1}),
        json!({"a": ["b"]}),
        json!({"a": ["b", "b"]}),
        json!({"(": {}}),
    ]
}

/// The findings about a tool with this schema.
fn findings(schema: &Value) -> Vec<Diagnostic> {
    let manifest = json!({"spec": {"tools": [{"id": "a", "name": "a", "description": "a", "schema": schema}]}});
    let parsed = parse(FileId::default(), manifest.to_string());
    let findings = rules::check(&parsed.document.unwrap());
    findings.into_iter().filter(|finding| finding.code == Code::InvalidToolSchema).collect()
}

#[test]
fn tool_schemas_are_checked_like_the_meta_schema() {
    // The dialect alone does not check patterns.
    let dialect = json!({"$ref": "https://json-schema.org/draft/2020-12/schema"});
    let meta_schema = jsonschema::options().should_validate_formats(true).build(&dialect).unwrap();
    let mut differences = Vec::new();
    for keyword in KEYWORDS {
        for value in values() {
            let nested = json!({"type": "object", "properties": {"p": {*keyword: value}}});
            let valid = meta_schema.is_valid(&nested);
            let different = DIFFERENT.contains(&(*keyword, value.to_string().as_str()));
            // The meta-schema accepts references that do not resolve.
            let is_unresolved = *keyword == "$ref" && value.is_string();
            if valid != findings(&nested).is_empty() && !different && !is_unresolved {
                differences.push(format!("{keyword}: {value} is {valid} to the meta-schema"));
            }
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn references_must_resolve() {
    let schema = |reference: &str| {
        json!({
            "type": "object",
            "properties": {"p": {"$ref": reference}},
            "$defs": {"a/b c": {"type": "string"}, "named": {"$anchor": "here"}},
        })
    };
    for reference in ["#", "#/$defs/named", "#/$defs/a~1b%20c", "#here", "https://example.com/schema", "other.json#/x"]
    {
        assert_eq!(findings(&schema(reference)), [], "{reference}");
    }
    for reference in ["#/$defs/none", "#/components/schemas/Named", "#there", "#/$defs/%zz"] {
        let found = findings(&schema(reference));
        assert_eq!(found.len(), 1, "{reference}");
        assert!(found[0].headline.ends_with("`$ref` refers to a part that does not exist"), "{found:?}");
    }
}
