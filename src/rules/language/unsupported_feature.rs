//! Parts of a manifest that agents in a language cannot honour.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::manifest::TargetLanguage::{self, Rust, TypeScript};
use crate::rules::at;
use crate::rules::generation::{is_enabled, is_filled, sections};
use crate::rules::tools::{built_in, tools};

use super::language;

/// What a language lacks.
struct Gap {
    languages: &'static [TargetLanguage],
    /// The part of the manifest that asks for it, when one does.
    find: fn(View<'_>) -> Option<View<'_>>,
    /// What agents have none of.
    what: &'static str,
    /// What comes of it.
    note: &'static str,
}

const BLOCK: &str = "the block has no effect in this language";

const GAPS: &[Gap] = &[
    Gap { languages: &[Rust], find: telemetry, what: "telemetry", note: BLOCK },
    Gap { languages: &[TypeScript], find: prometheus, what: "Prometheus exporter", note: BLOCK },
    Gap {
        languages: &[Rust, TypeScript],
        find: |root| at(root, &["spec", "server", "auth"]).filter(|auth| is_enabled(*auth)),
        what: "check of who calls",
        note: "the block has no effect in this language, so anybody may call the agent",
    },
    Gap {
        languages: &[Rust, TypeScript],
        find: |root| at(root, &["spec", "server", "authz"]).filter(|authz| is_enabled(*authz)),
        what: "check of what a caller may do",
        note: "the block has no effect in this language, so every caller may use every tool",
    },
    Gap {
        languages: &[Rust, TypeScript],
        find: |root| at(root, &["spec", "artifacts"]).filter(|artifacts| is_enabled(*artifacts)),
        what: "artifact store",
        note: BLOCK,
    },
    Gap {
        languages: &[Rust],
        find: |root| at(root, &["spec", "services"]).filter(|services| is_filled(*services)),
        what: "services",
        note: BLOCK,
    },
    Gap { languages: &[Rust], find: |root| sections(root).next(), what: "configuration sections", note: BLOCK },
    Gap {
        languages: &[TypeScript],
        find: |root| tools(root).find(|tool| built_in(*tool).is_some())?.get("id"),
        what: "built-in tools",
        note: "the tool is left out, and so is every other built-in one",
    },
];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(language) = language(root) else { return Vec::new() };
    let gaps = GAPS.iter().filter(|gap| gap.languages.contains(&language));
    gaps.filter_map(|gap| Some((gap, (gap.find)(root)?)))
        .map(|(gap, view)| {
            let place = if view.as_str().is_some() { view.span() } else { view.key_span().unwrap_or(view.span()) };
            let headline = format!("agents in {} have no {}", language.name(), gap.what);
            Diagnostic::new(Code::UnsupportedFeature, place, headline)
                .note(gap.note)
                .help("remove it, or choose a language that has it: Go has all of it")
        })
        .collect()
}

fn telemetry(root: View<'_>) -> Option<View<'_>> {
    at(root, &["spec", "telemetry"]).filter(|telemetry| is_enabled(*telemetry))
}

fn prometheus(root: View<'_>) -> Option<View<'_>> {
    at(telemetry(root)?, &["metrics", "exporter", "prometheus"])
}
