//! Parts of a manifest that nothing is generated from yet: one warning for each part that is in use.

use super::unenforced_security::PROXY;
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::manifest::{Support, TargetLanguage};
use crate::rules::language::language;
use crate::rules::tools::{built_in, own_tools, tools};
use crate::rules::{Rule, at, filled_sections, is_enabled, is_filled, is_unfilled, own_entries, text};

/// A part of the manifest.
struct Feature {
    keys: &'static [&'static str],
    /// Whether the part has an effect to generate.
    is_on: fn(View<'_>) -> bool,
    /// What is not generated, in the plural.
    what: &'static str,
    /// The effect that the part has instead.
    effect: &'static str,
    /// The help text.
    help: &'static str,
}

const NO_EFFECT: &str = "has no effect yet";

const fn feature(
    keys: &'static [&'static str],
    is_on: fn(View<'_>) -> bool,
    what: &'static str,
    help: &'static str,
) -> Feature {
    Feature { keys, is_on, what, effect: NO_EFFECT, help }
}

const FEATURES: &[Feature] = &[
    feature(&["metadata", "author"], is_filled, "author details", REMOVE),
    feature(&["metadata", "license"], is_filled, "licence files", "add a `LICENSE` file to the project"),
    feature(&["metadata", "tags"], is_filled, "tags of the agent", REMOVE),
    feature(
        &["spec", "card", "supportsExtendedAgentCard"],
        is_filled,
        "extended cards",
        "remove the key: every client gets the same card",
    ),
    feature(
        &["spec", "services"],
        is_filled,
        "services",
        "create what your tools need in their own files, which are never overwritten",
    ),
    feature(
        &["spec", "artifacts"],
        is_enabled,
        "artifact stores",
        "remove the key: results are returned only in responses of the agent",
    ),
    feature(&["spec", "telemetry"], is_enabled, "traces and metrics", "remove the key: the agent only writes logs"),
    feature(&["spec", "documentation", "pages"], is_filled, "documentation pages", "write the pages by hand"),
    feature(&["spec", "examples"], is_filled, "examples", REMOVE),
    feature(&["spec", "scm"], is_filled, "source control files", "add these files by hand"),
    Feature {
        effect: "has no effect yet, so anyone can call the agent",
        ..feature(&["spec", "server", "auth"], is_enabled, "authentication checks", PROXY)
    },
    Feature {
        effect: "has no effect yet, so every caller can use every tool",
        ..feature(&["spec", "server", "authz"], is_enabled, "authorization checks", PROXY)
    },
    feature(&["spec", "development", "sandbox", "flox"], is_enabled, "Flox environments", ENVIRONMENT),
    feature(&["spec", "development", "sandbox", "devcontainer"], is_enabled, "dev containers", ENVIRONMENT),
    feature(&["spec", "development", "ai", "orchestrators"], has_enabled, "files for coding assistants", REMOVE),
    feature(&["spec", "development", "deps"], is_filled, "sandbox packages", ENVIRONMENT),
    feature(
        &["spec", "deployment"],
        is_filled,
        "deployments",
        "deploy the image built from the project's `Dockerfile`",
    ),
];

const REMOVE: &str = "the project works without it; remove the key to silence this warning";
const ENVIRONMENT: &str = "set up the environment by hand; the project only needs the tools of its language";

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let language = language(root).unwrap_or(TargetLanguage::Go);
    // `unsupported_feature` reports what the language never supports.
    let is_unfinished = |path: &str| matches!(language.support(path), Support::NotYet | Support::Partly(_));
    let mut found: Vec<_> = FEATURES
        .iter()
        .filter(|feature| is_unfinished(&feature.keys.join(".")))
        .filter_map(|feature| at(root, feature.keys).filter(|view| (feature.is_on)(*view)).map(|view| (feature, view)))
        .map(|(feature, view)| {
            let subject = format!("`{}`", feature.keys.join("."));
            warning(view, &subject, feature.effect, feature.what).help(feature.help)
        })
        .collect();
    let parts: [(&str, Rule); 7] = [
        ("spec.skills", |root| skills(root).into_iter().chain(incomplete_skills(root)).collect()),
        ("spec.config", |root| config(root).into_iter().collect()),
        ("spec.config.tools", |root| built_in_tools(root).into_iter().collect()),
        ("spec.tools[].inject", |root| injection(root).into_iter().collect()),
        ("spec.language.go.vendor", |root| packages(root, "go", ["go get", "go get -tool"])),
        ("spec.language.typescript.vendor", |root| {
            packages(root, "typescript", ["npm install --save-exact", "npm install --save-exact --save-dev"])
        }),
        ("spec.card.preferredTransport", |root| preferred_transport(root).into_iter().collect()),
    ];
    found.extend(parts.iter().filter(|(path, _)| is_unfinished(path)).flat_map(|(_, check)| check(root)));
    found.extend(tools_without_model(root));
    found
}

fn warning(view: View<'_>, subject: &str, effect: &str, what: &str) -> Diagnostic {
    let place = view.key_span().unwrap_or_else(|| view.span());
    Diagnostic::new(Code::FeatureNotGenerated, place, format!("{subject} {effect}: {what} are not generated"))
}

fn has_enabled(view: View<'_>) -> bool {
    own_entries(view).any(|(_, entry)| is_enabled(entry))
}

fn skills(root: View<'_>) -> Option<Diagnostic> {
    let skills = at(root, &["spec", "skills"]).filter(|view| is_filled(*view))?;
    let effect = "has no effect beyond the agent card yet";
    Some(
        warning(skills, "`spec.skills`", effect, "skill files")
            .help("clients see them on the agent card; put instructions for the model in `systemPrompt`"),
    )
}

/// Only skills with a name and a description appear on the agent card.
fn incomplete_skills(root: View<'_>) -> Option<Diagnostic> {
    let skills = at(root, &["spec", "skills"]).into_iter().flat_map(View::items);
    let incomplete = skills.filter(|skill| is_unfilled(*skill, "name") || is_unfilled(*skill, "description"));
    let mut incomplete = incomplete.filter_map(|skill| skill.get("id"));
    let first = incomplete.next()?;
    let id = first.as_str().unwrap_or_default();
    let headline =
        format!("skill `{id}` has no effect: the agent card only shows skills with a name and a description");
    let finding = Diagnostic::new(Code::FeatureNotGenerated, first.span(), headline);
    let finding = incomplete.fold(finding, |finding, id| finding.related(id.span(), "neither has this one"));
    Some(finding.help("add `name` and `description`, or remove the entry"))
}

fn config(root: View<'_>) -> Option<Diagnostic> {
    filled_sections(root).next().map(|section| {
        warning(section, "`spec.config`", NO_EFFECT, "configuration sections")
            .help("read what your tools need from the environment, in their own files, which are never overwritten")
    })
}

fn built_in_tools(root: View<'_>) -> Option<Diagnostic> {
    let mut built_in_tools = tools(root).filter(|tool| built_in(*tool).is_some()).filter_map(|tool| tool.get("id"));
    let settings = || at(root, &["spec", "config", "tools"]).filter(|settings| has_enabled(*settings));
    let Some(first) = built_in_tools.next() else {
        return settings().map(|view| warning(view, "`spec.config.tools`", NO_EFFECT, "built-in tools").help(REMOVE));
    };
    let name = first.as_str().unwrap_or_default();
    let finding = Diagnostic::new(
        Code::FeatureNotGenerated,
        first.span(),
        format!("tool `{name}` has no effect yet: built-in tools are not generated"),
    );
    let finding = built_in_tools.fold(finding, |finding, id| finding.related(id.span(), "neither is this one"));
    Some(finding.help("write your own tool with a different `id`, or remove the entry"))
}

/// Tools are called by a language model. Without one, only the user's handler answers.
fn tools_without_model(root: View<'_>) -> Option<Diagnostic> {
    own_tools(root).next().filter(|_| at(root, &["spec", "agent"]).is_none_or(View::is_null))?;
    let effect = "has no effect without `spec.agent`";
    Some(
        warning(at(root, &["spec", "tools"])?, "`spec.tools`", effect, "tools without a caller")
            .help("add `spec.agent` for a language model that calls them, or remove the tools"),
    )
}

fn injection(root: View<'_>) -> Option<Diagnostic> {
    let mut injecting =
        own_tools(root).filter_map(|(id, tool)| Some((id, tool.get("inject").filter(|view| is_filled(*view))?)));
    let (id, first) = injecting.next()?;
    let finding = warning(first, &format!("`inject` of tool `{id}`"), NO_EFFECT, "tool dependencies")
        .help("create what the tool needs in its own file, which is never overwritten");
    Some(
        injecting
            .filter_map(|(_, view)| view.key_span())
            .fold(finding, |finding, span| finding.related(span, "neither are these")),
    )
}

/// Additional packages: the package manager of the language adds them.
fn packages(root: View<'_>, language: &'static str, commands: [&str; 2]) -> Vec<Diagnostic> {
    let lists = ["deps", "devdeps"].into_iter().zip(commands);
    let lists = lists.filter_map(|(key, command)| {
        let view = at(root, &["spec", "language", language, "vendor", key])?;
        let packages: Vec<_> = view.items().filter_map(View::as_str).collect();
        (!packages.is_empty()).then(|| {
            warning(view, &format!("`spec.language.{language}.vendor.{key}`"), NO_EFFECT, "extra packages")
                .help(format!("run in the project: {command} {}", packages.join(" ")))
        })
    });
    lists.collect()
}

fn preferred_transport(root: View<'_>) -> Option<Diagnostic> {
    let card = at(root, &["spec", "card"])?;
    let transport =
        text(card, "preferredTransport").filter(|transport| !transport.is_empty() && *transport != "JSONRPC")?;
    let subject = format!("preferred transport `{transport}`");
    Some(
        warning(card.get("preferredTransport")?, &subject, NO_EFFECT, "A2A transports other than `JSONRPC`")
            .help("write `JSONRPC`, or remove the key"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::partial_fields;

    /// Parts that another rule reports, and parts that are reported with their parent.
    const ELSEWHERE: [&str; 7] = [
        "spec.agent.mcp",
        "spec.card.security",
        "spec.card.securitySchemes",
        "spec.language.go",
        "spec.language.rust",
        "spec.language.typescript",
        "spec.telemetry.metrics.exporter.prometheus",
    ];

    #[test]
    fn every_part_without_full_support_is_reported() {
        let source = include_str!("feature_not_generated.rs");
        for path in partial_fields().filter(|path| !ELSEWHERE.contains(path)) {
            let listed = FEATURES.iter().any(|feature| feature.keys.join(".") == path);
            assert!(listed || source.contains(&format!("(\"{path}\", ")), "{path}");
        }
        for feature in FEATURES {
            assert!(partial_fields().any(|path| path == feature.keys.join(".")), "{:?}", feature.keys);
        }
    }
}
