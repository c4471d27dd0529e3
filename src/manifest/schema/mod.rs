//! The schema check.
//! The schema check.
//!
//! A validator built from `schema/adl.schema.json` at compile time finds errors, which `fault` describes. `unknown_key`
//! finds unknown keys by traversing schema and document, because most objects are open, so the validator would accept
//! them. `outdated` recognizes older formats, `lossy_number` recognizes numbers that lose their format. Fixes that
//! follow from the file itself are safe suggestions (`outdated`, `remedy`).

mod example;
mod extension;
mod fault;
mod field;
mod lossy_number;
mod node;
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

/// All schema errors and unknown keys of a document, sorted by location.
pub fn check_schema(document: &Document) -> Vec<Diagnostic> {
    let faults: Vec<_> = Validator::iter_errors(document.value()).collect();
    let wrongly_typed: BTreeSet<_> = faults
        .iter()
        .filter(|fault| fault::is_type_fault(fault))
        .map(|fault| fault.instance_path().to_string())
        .collect();
    let relevant = faults
        .iter()
        .filter(|fault| fault::is_type_fault(fault) || !wrongly_typed.contains(fault.instance_path().as_str()));
    let remedies = remedy::Remedies::new(document);
    let mut diagnostics: Vec<_> = relevant.filter_map(|fault| fault::describe(document, &remedies, fault)).collect();
    diagnostics.extend(unknown_key::check(document));
    diagnostics.extend(outdated::check(document));
    diagnostics.extend(lossy_number::check(document));
    sort(&mut diagnostics);
    diagnostics
}
