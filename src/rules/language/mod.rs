//! The target language.

mod blank_language_field;
mod feature_gap;
mod go_version;
mod module_path;
mod not_one_language;
mod package_entry;
mod package_name;
mod toolchain_version;

use super::{Rule, at};
use crate::document::View;

pub(super) use go_version::FLOOR as GO_FLOOR;
pub(super) use go_version::release as go_release;

pub(super) const RULES: &[Rule] = &[
    not_one_language::check,
    blank_language_field::check,
    module_path::check,
    go_version::check,
    package_name::check,
    package_entry::check,
    toolchain_version::check,
    feature_gap::check,
];

/// A language that projects are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Go,
    TypeScript,
    Rust,
}

impl Language {
    const ALL: [Self; 3] = [Self::Go, Self::TypeScript, Self::Rust];

    /// The key below `spec.language`.
    fn key(self) -> &'static str {
        match self {
            Self::Go => "go",
            Self::TypeScript => "typescript",
            Self::Rust => "rust",
        }
    }

    /// The name for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Go => "Go",
            Self::TypeScript => "TypeScript",
            Self::Rust => "Rust",
        }
    }
}

/// The languages that a manifest has a block for, with the blocks.
fn blocks(root: View<'_>) -> Vec<(Language, View<'_>)> {
    let Some(language) = at(root, &["spec", "language"]) else { return Vec::new() };
    Language::ALL.into_iter().filter_map(|one| Some((one, language.get(one.key())?))).collect()
}

/// The manifest's language, when it has exactly one.
pub(super) fn language(root: View<'_>) -> Option<Language> {
    match blocks(root).as_slice() {
        [(language, _)] => Some(*language),
        _ => None,
    }
}
