//! Warns about parts of a manifest that are ignored in the target language.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::manifest::{Support, TargetLanguage};
use crate::rules::tools::{built_in, tools};
use crate::rules::{at, filled_sections, is_enabled, is_filled};

use super::language;

/// A feature that a language does not support.
struct Gap {
    /// The path of the feature in the support table.
    path: &'static str,
    /// Finds the part of the manifest that requests the feature.
    find: fn(View<'_>) -> Option<View<'_>>,
    /// The name of the feature in messages.
    what: &'static str,
    /// The consequence, as a note.
    note: &'static str,
}

const BLOCK: &str = "the block has no effect in this language";

const GAPS: &[Gap] = &[
    Gap { path: "spec.telemetry", find: telemetry, what: "telemetry", note: BLOCK },
    Gap {
        path: "spec.telemetry.metrics.exporter.prometheus",
        find: prometheus,
        what: "Prometheus exporter",
        note: BLOCK,
    },
    Gap {
        path: "spec.server.auth",
        find: |root| at(root, &["spec", "server", "auth"]).filter(|auth| is_enabled(*auth)),
        what: "authentication",
        note: "the block has no effect in this language, so anyone can call the agent",
    },
    Gap {
        path: "spec.server.authz",
        find: |root| at(root, &["spec", "server", "authz"]).filter(|authz| is_enabled(*authz)),
        what: "authorization",
        note: "the block has no effect in this language, so every caller can use every tool",
    },
    Gap {
        path: "spec.artifacts",
        find: |root| at(root, &["spec", "artifacts"]).filter(|artifacts| is_enabled(*artifacts)),
        what: "artifact store",
        note: BLOCK,
    },
    Gap {
        path: "spec.services",
        find: |root| at(root, &["spec", "services"]).filter(|services| is_filled(*services)),
        what: "services",
        note: BLOCK,
    },
    Gap { path: "spec.config", find: |root| filled_sections(root).next(), what: "configuration sections", note: BLOCK },
    Gap {
        path: "spec.config.tools",
        find: |root| tools(root).find(|tool| built_in(*tool).is_some())?.get("id"),
        what: "built-in tools",
        note: "this and every other built-in tool is left out",
    },
];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(language) = language(root) else { return Vec::new() };
    let gaps = GAPS.iter().filter(|gap| language.support(gap.path) == Support::Ignored);
    gaps.filter_map(|gap| Some((gap, (gap.find)(root)?)))
        .map(|(gap, view)| {
            let place = if view.as_str().is_some() { view.span() } else { view.key_span().unwrap_or(view.span()) };
            let headline = format!("agents in {} have no {}", language.name(), gap.what);
            Diagnostic::new(Code::UnsupportedFeature, place, headline).note(gap.note).help(
                match TargetLanguage::Go.support(gap.path) {
                    Support::Honoured => "remove it, or use Go, which supports it",
                    Support::Partly(_) | Support::NotYet | Support::Ignored => {
                        "remove it: it has no effect in Go yet either"
                    }
                },
            )
        })
        .collect()
}

fn telemetry(root: View<'_>) -> Option<View<'_>> {
    at(root, &["spec", "telemetry"]).filter(|telemetry| is_enabled(*telemetry))
}

fn prometheus(root: View<'_>) -> Option<View<'_>> {
    at(telemetry(root)?, &["metrics", "exporter", "prometheus"])
}
