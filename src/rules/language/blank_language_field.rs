//! Checks that names and versions of a language block are not empty.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;

use super::blocks;

const FIELDS: [&str; 5] = ["module", "packageName", "version", "nodeVersion", "edition"];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let blocks = blocks(root);
    let fields = blocks
        .iter()
        .flat_map(|(language, block)| FIELDS.iter().filter_map(move |name| Some((*language, *name, block.get(name)?))));
    fields
        .filter(|(.., field)| field.as_str().is_some_and(|text| text.trim().is_empty()))
        .map(|(language, name, field)| {
            let headline = format!("`spec.language.{}.{name}` is empty", language.key());
            Diagnostic::new(Code::BlankField, field.span(), headline).help("set a value")
        })
        .collect()
}
