//! Checks that additional packages have the format of the language's package manager and are unique.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::manifest::TargetLanguage;
use crate::rules::duplicates;

use super::blocks;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (language, block) in blocks(root) {
        let Some(vendor) = block.get("vendor") else { continue };
        let lists = ["deps", "devdeps"].into_iter().filter_map(|list| vendor.get(list)).flat_map(View::items);
        // The schema check reports entries of any other form.
        let entries = lists.filter_map(|view| Some((view.as_str()?.rsplit_once('@')?, view)));
        let entries: Vec<_> = entries.filter(|((name, version), _)| !name.is_empty() && !version.is_empty()).collect();
        found
            .extend(entries.iter().filter_map(|((name, version), view)| invalid_entry(language, name, version, *view)));
        let repeated = duplicates(entries.iter().map(|((name, _), view)| (*name, *view)));
        found.extend(repeated.into_iter().map(|(again, first)| {
            Diagnostic::new(Code::InvalidPackageEntry, again.span(), "a package is listed twice")
                .related(first.span(), "first defined here")
                .help("keep the version that you want")
        }));
    }
    found
}

fn invalid_entry(language: TargetLanguage, name: &str, version: &str, view: View<'_>) -> Option<Diagnostic> {
    let number = version.trim_start_matches(['^', '~', '=', '>', '<', 'v']);
    let is_number = number.starts_with(|c: char| c.is_ascii_digit());
    let (is_valid, example) = match language {
        TargetLanguage::Go => {
            let host = name.split('/').next().unwrap_or_default();
            let is_known = matches!(version, "latest" | "upgrade" | "patch" | "main" | "master");
            (host.contains('.') && (version.starts_with('v') || is_known), "github.com/google/uuid@v1.6.0")
        }
        TargetLanguage::TypeScript => (is_number || version.chars().all(|c| c.is_ascii_alphabetic()), "zod@4.0.0"),
        TargetLanguage::Rust => (is_number || version == "*", "uuid@1.18.0"),
    };
    (!is_valid).then(|| {
        let headline = format!("invalid package entry for {}", language.name());
        Diagnostic::new(Code::InvalidPackageEntry, view.span(), headline).help(format!("write it like `{example}`"))
    })
}
