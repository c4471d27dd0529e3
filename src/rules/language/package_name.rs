//! Checks that the package name is valid for npm or Cargo.

use crate::diagnostics::{Code, Diagnostic, Severity};
use crate::document::View;
use crate::manifest::TargetLanguage;

use super::blocks;

/// Directory names that Cargo reserves.
const RESERVED_BY_CARGO: [&str; 4] = ["build", "deps", "examples", "incremental"];
/// Names that npm rejects.
const RESERVED_BY_NPM: [&str; 2] = ["node_modules", "favicon.ico"];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let names = blocks(root).into_iter().filter_map(|(language, block)| Some((language, block.get("packageName")?)));
    names.filter_map(|(language, view)| finding(language, view, view.as_str()?)).collect()
}

fn finding(language: TargetLanguage, view: View<'_>, name: &str) -> Option<Diagnostic> {
    if name.trim().is_empty() || name.contains("${") || name.contains("{{") {
        return None;
    }
    let (tool, is_valid) = match language {
        TargetLanguage::Rust => ("Cargo", is_crate(name)),
        TargetLanguage::TypeScript => ("npm", is_npm(name)),
        TargetLanguage::Go => return None,
    };
    let has_uppercase = language == TargetLanguage::TypeScript && name.chars().any(char::is_uppercase);
    if is_valid && !has_uppercase {
        return None;
    }
    let headline = format!("`spec.language.{}.packageName` is not a valid name for {tool}", language.key());
    let mut finding = Diagnostic::new(Code::InvalidPackageName, view.span(), headline)
        .help("use lower-case letters, digits and hyphens, starting with a letter");
    if is_valid {
        finding.severity = Severity::Warning;
        finding = finding.note("npm does not allow capital letters");
    }
    Some(finding)
}

fn is_crate(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c))
        && !RESERVED_BY_CARGO.contains(&name)
}

fn is_npm(name: &str) -> bool {
    let bare = match name.strip_prefix('@') {
        Some(scoped) => match scoped.split_once('/') {
            Some((scope, bare)) if is_url_safe(scope) => bare,
            _ => return false,
        },
        None => name,
    };
    is_url_safe(bare) && !bare.starts_with(['.', '_']) && name.len() <= 214 && !RESERVED_BY_NPM.contains(&bare)
}

fn is_url_safe(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_valid_names() {
        for name in ["support-agent", "@example/support", "a.b", "9lives", "test"] {
            assert!(is_npm(name), "{name}");
        }
        for name in ["My Agent", "@example", "@/x", ".x", "_x", "node_modules", "a:b", "\u{fc}ber"] {
            assert!(!is_npm(name), "{name}");
        }
        for name in ["support-agent", "support_agent", "Agent", "test"] {
            assert!(is_crate(name), "{name}");
        }
        for name in ["9lives", "My Agent", "lottery.v2", "deps", "-x"] {
            assert!(!is_crate(name), "{name}");
        }
    }
}
