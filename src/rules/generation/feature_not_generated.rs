//! Parts of a manifest that nothing is generated from yet: one warning for each that is switched on.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::language::Language;
use crate::rules::tools::{built_in, own_tools, tools};
use crate::rules::{at, text};

/// A part of the manifest.
struct Feature {
    keys: &'static [&'static str],
    /// Whether the part asks for anything.
    is_on: fn(View<'_>) -> bool,
    /// What is not generated, in the plural.
    what: &'static str,
    /// What the part does have an effect on.
    effect: &'static str,
}

const NO_EFFECT: &str = "has no effect yet";

const fn feature(keys: &'static [&'static str], is_on: fn(View<'_>) -> bool, what: &'static str) -> Feature {
    Feature { keys, is_on, what, effect: NO_EFFECT }
}

const FEATURES: &[Feature] = &[
    feature(&["metadata", "author"], is_filled, "details of the author"),
    feature(&["metadata", "license"], is_filled, "licence files"),
    feature(&["metadata", "tags"], is_filled, "tags of the agent"),
    feature(&["spec", "card", "supportsExtendedAgentCard"], is_filled, "extended cards"),
    feature(&["spec", "services"], is_filled, "services"),
    Feature { effect: "has no effect beyond the card yet", ..feature(&["spec", "skills"], is_filled, "skill files") },
    feature(&["spec", "artifacts"], is_enabled, "artifact stores"),
    feature(&["spec", "telemetry"], is_enabled, "traces and metrics"),
    feature(&["spec", "documentation", "pages"], is_filled, "pages of documentation"),
    feature(&["spec", "examples"], is_filled, "examples"),
    feature(&["spec", "hooks", "post"], is_filled, "hooks"),
    feature(&["spec", "scm"], is_filled, "files for source control"),
    Feature {
        effect: "has no effect yet, so anybody may call the agent",
        ..feature(&["spec", "server", "auth"], is_enabled, "checks of who calls")
    },
    Feature {
        effect: "has no effect yet, so every caller may use every tool",
        ..feature(&["spec", "server", "authz"], is_enabled, "checks of what a caller may do")
    },
    feature(&["spec", "development", "sandbox", "flox"], is_enabled, "Flox environments"),
    feature(&["spec", "development", "sandbox", "devcontainer"], is_enabled, "dev containers"),
    feature(&["spec", "development", "ai", "orchestrators"], has_enabled, "files for coding assistants"),
    feature(&["spec", "development", "deps"], is_filled, "packages of sandboxes"),
    feature(&["spec", "deployment"], is_filled, "deployments"),
];

/// Parts that are warned of one by one, see below.
const PARTS: [&str; 6] = [
    "spec.config",
    "spec.tools[].inject",
    "spec.language.go.vendor",
    "spec.language.typescript",
    "spec.language.rust",
    "spec.card.preferredTransport",
];

/// The languages in which the field at `path` has an effect: Go, unless nothing is generated from it yet.
pub(in crate::rules) fn honouring_languages(path: &str) -> Vec<&'static str> {
    let features = FEATURES.iter().map(|feature| feature.keys.join("."));
    let covers =
        |part: &str| path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    if features.chain(PARTS.map(str::to_owned)).any(|part| covers(&part)) {
        return Vec::new();
    }
    vec![Language::Go.name()]
}

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<_> = FEATURES
        .iter()
        .filter_map(|feature| at(root, feature.keys).filter(|view| (feature.is_on)(*view)).map(|view| (feature, view)))
        .map(|(feature, view)| warning(view, &format!("`{}`", feature.keys.join(".")), feature.effect, feature.what))
        .collect();
    found.extend(config(root));
    found.extend(built_in_tools(root));
    found.extend(tools_without_model(root));
    found.extend(injection(root));
    found.extend(packages(root));
    found.extend(preferred_transport(root));
    found
}

fn warning(view: View<'_>, subject: &str, effect: &str, what: &str) -> Diagnostic {
    let place = view.key_span().unwrap_or_else(|| view.span());
    Diagnostic::new(Code::FeatureNotGenerated, place, format!("{subject} {effect}: {what} are not generated"))
        .help("the project works without it; remove the key to silence this warning")
}

/// True for text, numbers and `true`, and for collections that hold any such value.
fn is_filled(view: View<'_>) -> bool {
    match view.value() {
        serde_json::Value::Null => false,
        serde_json::Value::Bool(value) => *value,
        serde_json::Value::Number(_) => true,
        serde_json::Value::String(text) => !text.trim().is_empty(),
        serde_json::Value::Array(_) => view.items().any(is_filled),
        serde_json::Value::Object(_) => own_entries(view).any(|(_, entry)| is_filled(entry)),
    }
}

fn is_enabled(view: View<'_>) -> bool {
    view.get("enabled").and_then(View::as_bool) == Some(true)
}

fn has_enabled(view: View<'_>) -> bool {
    own_entries(view).any(|(_, entry)| is_enabled(entry))
}

/// The entries that are not the user's own.
fn own_entries(view: View<'_>) -> impl Iterator<Item = (&str, View<'_>)> {
    view.entries().filter(|(key, _)| !key.starts_with("x-"))
}

fn config(root: View<'_>) -> Option<Diagnostic> {
    let mut sections = own_entries(at(root, &["spec", "config"])?)
        .filter(|(name, section)| *name != "tools" && section.entries().next().is_some());
    sections.next().map(|(_, section)| warning(section, "`spec.config`", NO_EFFECT, "configuration sections"))
}

fn built_in_tools(root: View<'_>) -> Option<Diagnostic> {
    let mut built_in_tools = tools(root).filter(|tool| built_in(*tool).is_some()).filter_map(|tool| tool.get("id"));
    let settings = || at(root, &["spec", "config", "tools"]).filter(|settings| has_enabled(*settings));
    let Some(first) = built_in_tools.next() else {
        return settings().map(|view| warning(view, "`spec.config.tools`", NO_EFFECT, "built-in tools"));
    };
    let name = first.as_str().unwrap_or_default();
    let finding = Diagnostic::new(
        Code::FeatureNotGenerated,
        first.span(),
        format!("tool `{name}` has no effect yet: built-in tools are not generated"),
    );
    let finding = built_in_tools.fold(finding, |finding, id| finding.related(id.span(), "nor is this one"));
    Some(finding.help("write a tool of your own with another `id`, or remove the entry"))
}

/// Tools are called by a language model; without one, the user's handler answers alone.
fn tools_without_model(root: View<'_>) -> Option<Diagnostic> {
    own_tools(root).next().filter(|_| at(root, &["spec", "agent"]).is_none_or(View::is_null))?;
    let effect = "has no effect without `spec.agent`";
    Some(
        warning(at(root, &["spec", "tools"])?, "`spec.tools`", effect, "tools that nothing calls")
            .help("add `spec.agent` for a language model that calls them, or remove the tools"),
    )
}

fn injection(root: View<'_>) -> Option<Diagnostic> {
    let mut injecting =
        own_tools(root).filter_map(|(id, tool)| Some((id, tool.get("inject").filter(|view| is_filled(*view))?)));
    let (id, first) = injecting.next()?;
    let finding = warning(first, &format!("`inject` of tool `{id}`"), NO_EFFECT, "dependencies of tools");
    Some(
        injecting
            .filter_map(|(_, view)| view.key_span())
            .fold(finding, |finding, span| finding.related(span, "nor these")),
    )
}

/// Packages of the user's own: Go's own command adds them.
fn packages(root: View<'_>) -> Vec<Diagnostic> {
    let lists = [("deps", "go get"), ("devdeps", "go get -tool")];
    let lists = lists.iter().filter_map(|(key, command)| {
        let view = at(root, &["spec", "language", "go", "vendor", key])?;
        let packages: Vec<_> = view.items().filter_map(View::as_str).collect();
        (!packages.is_empty()).then(|| {
            warning(view, &format!("`spec.language.go.vendor.{key}`"), NO_EFFECT, "extra packages")
                .help(format!("run in the project: {command} {}", packages.join(" ")))
        })
    });
    lists.collect()
}

fn preferred_transport(root: View<'_>) -> Option<Diagnostic> {
    let card = at(root, &["spec", "card"])?;
    let transport =
        text(card, "preferredTransport").filter(|transport| !transport.is_empty() && *transport != "JSONRPC")?;
    Some(warning(
        card.get("preferredTransport")?,
        &format!("preferred transport `{transport}`"),
        NO_EFFECT,
        "A2A transports other than `JSONRPC`",
    ))
}
