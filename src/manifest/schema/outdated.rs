//! Forms of older manifests, each with the form that took its place.

use crate::diagnostics::{Applicability, Code, Diagnostic, Edit, Suggestion};
use crate::document::{Document, View};

use super::path::path;

const API_VERSION: &str = "adl.inference-gateway.com/v1";
const OLDER_API_VERSIONS: [&str; 2] = ["adl.dev/v1", "a2a.dev/v1"];
const ASSISTANTS: [&str; 5] = ["claudecode", "codex", "gemini", "opencode", "infer"];
/// Fields that tools have and skills had before the two were parted.
const TOOL_FIELDS: [&str; 5] = ["schema", "inject", "parameters", "type", "implementation"];

pub(super) fn check(document: &Document) -> Vec<Diagnostic> {
    let root = document.root();
    let mut found = Vec::new();
    found.extend(root.get("apiVersion").and_then(api_version));
    if let Some(spec) = root.get("spec") {
        let development = spec.get("development");
        let assistants = development.and_then(|development| development.get("ai"));
        let below = [Some(spec), development, assistants].into_iter().flatten().flat_map(View::entries);
        let skills = spec.get("skills").into_iter().flat_map(View::items);
        let old = below.map(|(_, view)| view).chain(skills.filter_map(tool_field));
        found.extend(old.filter_map(|view| finding(root, view)));
    }
    found
}

/// Whether a key is reported here.
pub(super) fn covers(view: View<'_>) -> bool {
    today(&view.pointer()).is_some()
}

/// What took the place of a key, as a request; `None` for a key that is not outdated.
fn today(pointer: &str) -> Option<String> {
    let tokens: Vec<_> = pointer.split('/').skip(1).collect();
    match tokens.as_slice() {
        ["spec", "sandbox"] => Some("move it to `spec.development.sandbox`".to_owned()),
        ["spec", "ai"] => Some("switch each assistant on under `spec.development.ai.orchestrators`".to_owned()),
        ["spec", "development", "ai", "enabled"] => {
            Some("switch each assistant on under `spec.development.ai.orchestrators`, for example `claudecode: {enabled: true}`".to_owned())
        }
        ["spec", "development", "ai", assistant] if ASSISTANTS.contains(assistant) => {
            Some(format!("move it to `spec.development.ai.orchestrators.{assistant}`"))
        }
        ["spec", "skills", _, field] if TOOL_FIELDS.contains(field) => {
            Some("move the entry to `spec.tools`, with `id`, `name`, `description`, `tags` and `schema`".to_owned())
        }
        _ => None,
    }
}

fn finding(root: View<'_>, view: View<'_>) -> Option<Diagnostic> {
    let pointer = view.pointer();
    let help = today(&pointer)?;
    let headline = match pointer.split('/').nth(2) {
        Some("skills") => format!("`{}` makes a tool of a skill, as older manifests did", path(root, &pointer)),
        _ => format!("`{}` is the form of an older manifest", path(root, &pointer)),
    };
    Some(Diagnostic::new(Code::OutdatedShape, view.key_span()?, headline).help(help))
}

/// The first field of a skill that only a tool has: one finding a skill is enough.
fn tool_field(skill: View<'_>) -> Option<View<'_>> {
    skill.entries().find(|(key, _)| TOOL_FIELDS.contains(key)).map(|(_, field)| field)
}

fn api_version(view: View<'_>) -> Option<Diagnostic> {
    let version = view.as_str().filter(|version| is_older_version(version))?;
    let edit = Edit { span: view.span(), replacement: API_VERSION.to_owned() };
    let headline = format!("`apiVersion: {version}` is that of an older manifest");
    Some(
        Diagnostic::new(Code::OutdatedShape, view.span(), headline)
            .help(format!("write `{API_VERSION}`, and mend what is then reported"))
            .suggest(Suggestion {
                text: format!("write `{API_VERSION}`"),
                edits: vec![edit],
                applicability: Applicability::Review,
            }),
    )
}

/// Whether an `apiVersion` is one of those that came before.
pub(super) fn is_older_version(version: &str) -> bool {
    OLDER_API_VERSIONS.contains(&version)
}
