//! Parts of a manifest that a language has no library for.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::manifest::TargetLanguage;
use crate::rules::at;

use super::language;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let telemetry = at(root, &["spec", "telemetry"])
        .filter(|telemetry| telemetry.get("enabled").and_then(View::as_bool) == Some(true));
    let gap = match language(root) {
        Some(TargetLanguage::Rust) => telemetry,
        Some(TargetLanguage::TypeScript) => telemetry.and_then(|view| at(view, &["metrics", "exporter", "prometheus"])),
        Some(TargetLanguage::Go) | None => None,
    };
    let finding = gap.zip(language(root)).map(|(view, language)| {
        let place = view.key_span().unwrap_or_else(|| view.span());
        let what = if language == TargetLanguage::Rust { "telemetry" } else { "Prometheus exporter" };
        let headline = format!("agents in {} have no {what}", language.name());
        Diagnostic::new(Code::FeatureNotInLanguage, place, headline)
            .note("the block has no effect in this language")
            .help("remove it, or choose a language that has it: Go has all of it")
    });
    finding.into_iter().collect()
}
