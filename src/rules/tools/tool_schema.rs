//! The schema of a tool describes an object of arguments, and is a JSON Schema.
//!
//! What its meta-schema says stands here in tables, because a validator would have to be built for it whenever `adl` starts, and
//! because each fault is to have its own place and words. `tests/it/tool_schemas.rs` holds the tables against the meta-schema.

use std::collections::BTreeSet;

use crate::diagnostics::{Applicability, Code, Diagnostic, Suggestion};
use crate::document::View;
use crate::names::closest;
use crate::rules::{text, write_instead};

use super::own_tools;

const TYPES: [&str; 7] = ["object", "string", "number", "integer", "boolean", "array", "null"];
/// Keywords whose value is a map of schemas, a schema, a list of schemas.
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
/// Keywords whose value is a text.
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
            found.extend(no_object(id, schema));
            Visit { id, root: schema, found: &mut found }.schema(schema);
        }
    }
    found
}

/// A model passes arguments as one object.
fn no_object(id: &str, schema: View<'_>) -> Option<Diagnostic> {
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

/// A walk over the schemas of one tool.
struct Visit<'a, 'f> {
    id: &'a str,
    /// The tool's whole schema, in which references lead somewhere.
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
                Some(remedy) => finding.suggest(remedy),
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

    /// JSON Schema takes the regular expressions of JavaScript.
    fn expression(&mut self, view: View<'_>, text: &str) {
        if !jsonschema_regex::is_valid_ecma_regex(text) {
            self.fault(view, "the pattern is not a valid regular expression");
        }
    }

    /// A reference into the schema itself must lead to a part of it. Others are for whoever reads the schema to follow.
    fn reference(&mut self, view: View<'_>, text: &str) {
        let Some(fragment) = text.strip_prefix('#') else { return };
        let leads = match fragment.chars().next() {
            None | Some('/') => self.root.at(&decoded(fragment)).is_some(),
            Some(_) => has_anchor(self.root, fragment),
        };
        if !leads {
            self.fault(view, "`$ref` refers to a part that does not exist");
        }
    }

    fn fault(&mut self, view: View<'_>, what: &str) {
        self.found.push(fault(self.id, view, what));
    }
}

/// The fragment of a URI without its percent escapes; left as it is where these spell no text.
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

/// Whether a schema or one inside it is called so.
fn has_anchor(schema: View<'_>, name: &str) -> bool {
    let is_it = ["$anchor", "$dynamicAnchor"].iter().any(|key| text(schema, key) == Some(name));
    is_it
        || schema.entries().any(|(_, child)| has_anchor(child, name))
        || schema.items().any(|child| has_anchor(child, name))
}

/// Whether a value is a list of texts, none of them twice.
fn is_list_of_names(view: View<'_>) -> bool {
    let mut seen = BTreeSet::new();
    view.is_sequence() && view.items().all(|name| name.as_str().is_some_and(|name| seen.insert(name)))
}

/// For a list of one schema, as older examples have it (`city: - type: string`): it can mean that schema only.
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
