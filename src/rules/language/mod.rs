//! Checks of `spec.language`.

mod blank_language_field;
mod go_version;
mod language_count;
mod module_path;
mod package_entry;
mod package_name;
mod toolchain_version;
mod unsupported_feature;

use super::{Rule, at};
use crate::document::View;
use crate::manifest::TargetLanguage;

pub(super) const RULES: &[Rule] = &[
    language_count::check,
    blank_language_field::check,
    module_path::check,
    go_version::check,
    package_name::check,
    package_entry::check,
    toolchain_version::check,
    unsupported_feature::check,
];

/// The language blocks of a manifest.
fn blocks(root: View<'_>) -> Vec<(TargetLanguage, View<'_>)> {
    let Some(language) = at(root, &["spec", "language"]) else { return Vec::new() };
    TargetLanguage::ALL.into_iter().filter_map(|one| Some((one, language.get(one.key())?))).collect()
}

/// The manifest's language. Returns `None` unless the manifest has exactly one language block.
pub(super) fn language(root: View<'_>) -> Option<TargetLanguage> {
    match blocks(root).as_slice() {
        [(language, _)] => Some(*language),
        _ => None,
    }
}
