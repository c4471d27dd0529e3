//! The schema check: does a document have the shape of a manifest?
//!
//! `schema/adl.schema.json` is the contract. A validator made from it at compile time finds what is wrong (`fault` puts that
//! into words); keys that the schema does not know are found by walking it beside the document (`unknown_key`), because most of
//! its objects are open and would accept them in silence. Forms of older versions are named as such (`outdated`); numbers that
//! change their look are pointed out (`number_form`). What follows from the file itself comes as a safe suggestion (`outdated`,
//! `remedy`).

mod example;
mod extension;
mod fault;
mod field;
mod node;
mod number_form;
mod outdated;
mod path;
mod remedy;
mod subschema;
mod unknown_key;

use std::collections::BTreeSet;

use crate::diagnostics::{Diagnostic, sort};
use crate::document::Document;

pub use example::as_yaml;
pub use extension::check_extensions;
pub use field::{Field, UnknownField, field, field_paths};
pub use path::path;

/// The schema's text, for editors and for `adl explain`.
pub const SCHEMA: &str = include_str!("../../../schema/adl.schema.json");

#[jsonschema::validator(
    path = "schema/adl.schema.json",
    validate_formats = true,
    formats = { "go-duration" => crate::manifest::duration::is_go_duration },
    methods = { is_valid = false, validate = false }
)]
struct Validator;

/// Everything about the document's shape that the schema refuses, and every key that it does not know, sorted by place.
pub fn check_schema(document: &Document) -> Vec<Diagnostic> {
    let faults: Vec<_> = Validator::iter_errors(document.value()).collect();
    let wrongly_typed: BTreeSet<_> = faults
        .iter()
        .filter(|fault| fault::is_type_fault(fault))
        .map(|fault| fault.instance_path().to_string())
        .collect();
    let telling = faults
        .iter()
        .filter(|fault| fault::is_type_fault(fault) || !wrongly_typed.contains(fault.instance_path().as_str()));
    let remedies = remedy::Remedies::new(document);
    let mut diagnostics: Vec<_> = telling.filter_map(|fault| fault::describe(document, &remedies, fault)).collect();
    diagnostics.extend(unknown_key::check(document));
    diagnostics.extend(outdated::check(document));
    diagnostics.extend(number_form::check(document));
    sort(&mut diagnostics);
    diagnostics
}
