//! Checks that the deployment type supports the target language.

use super::kind;
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::manifest::TargetLanguage;
use crate::rules::language::language;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let place = kind(root).and_then(|(kind, view)| match kind {
        "cloudflare" => Some(("Cloudflare Workers", view)),
        "vercel" => Some(("Vercel", view)),
        _ => None,
    });
    let Some(((place, view), language)) = place.zip(language(root)) else { return Vec::new() };
    if language == TargetLanguage::TypeScript {
        return Vec::new();
    }
    let headline = format!("{place} cannot run agents written in {}", language.name());
    vec![
        Diagnostic::new(Code::UnsupportedDeployment, view.span(), headline)
            .note("agents in Go and Rust are long-running programs")
            .help("deploy a container, with `type: kubernetes` or `type: cloudrun`, or set `spec.language.typescript`"),
    ]
}
