//! Checks that the schema of a tool is a valid JSON Schema and describes an object.
//!
//! The rules of the meta-schema are tables here: building a validator would slow down every start of `adl`, and each
//! fault has its own location and message. `tests/it/tool_schemas.rs` compares the tables with the meta-schema.

use std::collections::BTreeSet;

use crate::diagnostics::{Applicability, Code, Diagnostic, Suggestion};
use crate::document::View;
use crate::names::closest;
use crate::rules::{text, write_instead};

use super::own_tools;

const TYPES: [&str; 7] = ["object", "string", "number", "integer", "boolean", "array", "null"];
/// Keywords whose value is a map of schemas (`MAPS`), a schema (`SINGLE`) or a list of schemas (`LISTS`).
const MAPS: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const SINGLE: [&str; 11] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is a string.
const TEXTS: [&str; 13] = [
    "description",
    "title",
    "pattern",
    "format",
    "$ref",
    "$id",
    "$schema",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$comment",
    "contentEncoding",
    "contentMediaType",
];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (id, tool) in own_tools(root) {
        if let Some(schema) = tool.get("schema").filter(|schema| schema.is_mapping()) {
            found.extend(non_object(id, schema));
            Visit { id, root: schema, found: &mut found }.schema(schema);
        }
    }
    found
}

/// Reports a schema that does not describe an object: models pass arguments as one object.
fn non_object(id: &str, schema: View<'_>) -> Option<Diagnostic> {
    let kind = schema.get("type")?;
    let is_object = match kind.as_str() {
        Some(word) => word == "object" || !TYPES.contains(&word),
        None => !kind.is_sequence() || kind.items().any(|word| word.as_str() == Some("object")),
    };
    if is_object {
        return None;
    }
    Some(
        Diagnostic::new(
            Code::NonObjectToolSchema,
            kind.span(),
            format!("the schema of tool `{id}` does not describe an object"),
        )
        .note("a model passes the arguments of a call as an object")
        .help("write `type: object` and describe the argument under `properties`"),
    )
}

/// A traversal of the schemas of one tool.
struct Visit<'a, 'f> {
    id: &'a str,
    /// The tool's whole schema, against which references are resolved.
    root: View<'a>,
    found: &'f mut Vec<Diagnostic>,
}

impl<'a> Visit<'a, '_> {
    fn schema(&mut self, schema: View<'a>) {
        if schema.value().is_boolean() {
            return;
        }
        if !schema.is_mapping() {
            let finding = fault(self.id, schema, "a schema must be a mapping, `true` or `false`");
            self.found.push(match unwrapped(schema) {
                Some(suggestion) => finding.suggest(suggestion),
                None => finding,
            });
            return;
        }
        for (keyword, value) in schema.entries() {
            self.keyword(schema, keyword, value);
        }
    }

    fn keyword(&mut self, schema: View<'a>, keyword: &str, value: View<'a>) {
        match keyword {
            "type" => self.found.extend(wrong_type(self.id, value)),
            "required" => self.found.extend(wrong_required(self.id, schema, value)),
            "enum" | "examples" if !value.is_sequence() => self.fault(value, &format!("`{keyword}` must be a list")),
            "dependentRequired"
                if !value.is_mapping() || value.entries().any(|(_, names)| !is_list_of_names(names)) =>
            {
                self.fault(value, "`dependentRequired` must be a mapping of lists of unique names");
            }
            _ if TEXTS.contains(&keyword) => match value.as_str() {
                None => self.fault(value, &format!("`{keyword}` must be a string")),
                Some(text) if keyword == "pattern" => self.expression(value, text),
                Some(text) if keyword == "$ref" => self.reference(value, text),
                Some(text) if matches!(keyword, "$anchor" | "$dynamicAnchor") && !is_anchor(text) => {
                    self.fault(
                        value,
                        &format!("`{keyword}` must start with a letter, followed by letters, digits, `-`, `_` and `.`"),
                    );
                }
                Some(_) => {}
            },
            _ if MAPS.contains(&keyword) => {
                if !value.is_mapping() {
                    self.fault(value, &format!("`{keyword}` must be a mapping"));
                }
                for (name, child) in value.entries() {
                    if keyword == "patternProperties" {
                        self.expression(child, name);
                    }
                    self.schema(child);
                }
            }
            _ if LISTS.contains(&keyword) || (keyword == "items" && value.is_sequence()) => {
                if !value.is_sequence() || (keyword != "items" && value.items().next().is_none()) {
                    self.fault(value, &format!("`{keyword}` must be a non-empty list of schemas"));
                }
                value.items().for_each(|child| self.schema(child));
            }
            _ if SINGLE.contains(&keyword) => self.schema(value),
            _ => {}
        }
    }

    /// JSON Schema uses the regular expressions of JavaScript.
    fn expression(&mut self, view: View<'_>, text: &str) {
        if !jsonschema_regex::is_valid_ecma_regex(text) {
            self.fault(view, "the pattern is not a valid regular expression");
        }
    }

    /// A reference into the schema itself must refer to an existing part. Other references are not checked.
    fn reference(&mut self, view: View<'_>, text: &str) {
        let Some(fragment) = text.strip_prefix('#') else { return };
        let exists = match fragment.chars().next() {
            None | Some('/') => self.root.at(&decoded(fragment)).is_some(),
            Some(_) => has_anchor(self.root, fragment),
        };
        if !exists {
            self.fault(view, "`$ref` refers to a part that does not exist");
        }
    }

    fn fault(&mut self, view: View<'_>, what: &str) {
        self.found.push(fault(self.id, view, what));
    }
}

/// Decodes percent escapes in the fragment of a URI. Returns the fragment unchanged if the result is not UTF-8.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, behind @ ..] = rest {
        let escaped = (*first == b'%').then(|| behind.get(..2)).flatten();
        let byte = escaped.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| fragment.to_owned())
}

fn is_anchor(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// Whether a schema or one of its subschemas has this anchor.
fn has_anchor(schema: View<'_>, name: &str) -> bool {
    let matches = ["$anchor", "$dynamicAnchor"].iter().any(|key| text(schema, key) == Some(name));
    matches
        || schema.entries().any(|(_, child)| has_anchor(child, name))
        || schema.items().any(|child| has_anchor(child, name))
}

/// Whether a value is a list of unique strings.
fn is_list_of_names(view: View<'_>) -> bool {
    let mut seen = BTreeSet::new();
    view.is_sequence() && view.items().all(|name| name.as_str().is_some_and(|name| seen.insert(name)))
}

/// Suggests to replace a list of one schema, as in older examples (`city: - type: string`), with that schema.
fn unwrapped(list: View<'_>) -> Option<Suggestion> {
    let mut items = list.items();
    let only = items.next().is_some_and(View::is_mapping) && items.next().is_none();
    let edits = only.then(|| list.editor()?.unwrap_item(&list.pointer()))??;
    Some(Suggestion::safe("remove the `-`", edits))
}

fn wrong_type(id: &str, value: View<'_>) -> Vec<Diagnostic> {
    let words: Vec<_> = if value.is_sequence() { value.items().collect() } else { vec![value] };
    let mut seen = BTreeSet::new();
    if words.is_empty() || words.iter().any(|word| word.as_str().is_some_and(|word| !seen.insert(word))) {
        return vec![fault(id, value, "`type` must be a non-empty list of unique types")];
    }
    let wrong = words.into_iter().filter(|word| word.as_str().is_none_or(|word| !TYPES.contains(&word)));
    wrong
        .map(|word| {
            let finding = fault(id, word, "`type` must be a JSON Schema type")
                .help(format!("write one of `{}`", TYPES.join("`, `")));
            match word.as_str().and_then(|text| closest(text, TYPES)) {
                Some(meant) => finding.suggest(write_instead(word, meant, Applicability::Review)),
                None => finding,
            }
        })
        .collect()
}

fn wrong_required(id: &str, schema: View<'_>, required: View<'_>) -> Vec<Diagnostic> {
    if !is_list_of_names(required) {
        return vec![fault(id, required, "`required` must be a list of unique names")];
    }
    let Some(properties) = schema.get("properties").filter(|properties| properties.is_mapping()) else {
        return Vec::new();
    };
    let undescribed = required.items().filter(|name| name.as_str().is_some_and(|name| properties.get(name).is_none()));
    undescribed
        .map(|view| {
            let name = view.as_str().unwrap_or_default();
            let headline = format!("tool `{id}` requires `{name}`, which is not in `properties`");
            let help = match closest(name, properties.entries().map(|(known, _)| known)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("describe `{name}` under `properties`, or remove it here"),
            };
            Diagnostic::new(Code::RequiredArgumentWithoutSchema, view.span(), headline).help(help)
        })
        .collect()
}

fn fault(id: &str, view: View<'_>, what: &str) -> Diagnostic {
    Diagnostic::new(
        Code::InvalidToolSchema,
        view.span(),
        format!("the schema of tool `{id}` is not a valid JSON Schema: {what}"),
    )
    .help("correct it; model providers reject a tool with an invalid schema")
}
