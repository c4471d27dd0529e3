//! Upgrades of older manifests: each outdated key with its replacement and, if they follow from the file, the edits.

mod api_version;
mod assistants;
mod parameters;
mod renamed;
mod skills;

use crate::diagnostics::{Code, Diagnostic, Edit, Severity, Suggestion};
use crate::document::edit::{Editor, Place};
use crate::document::{Document, View};

use super::path::path;

pub(super) use api_version::is_older_version;

/// An outdated key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outdated {
    /// `spec.sandbox` and `spec.ai`, now under `spec.development`.
    OutsideDevelopment,
    /// `spec.development.ai.enabled`
    SingleSwitch,
    /// `spec.development.ai.claudecode` and similar.
    FlatAssistant,
    /// `spec.dependencies`
    Dependencies,
    /// `spec.language.acronyms`
    LanguageAcronyms,
    /// `spec.language.go.goVersion`
    GoVersion,
    /// A field of tools in an entry of `spec.skills`.
    ToolAmongSkills,
    /// `parameters` of a tool.
    ToolParameters,
    /// Fields that never had an effect: `type`, `implementation`, `output` and `examples` of a tool, `output` and
    /// `examples` of a skill, `path` of an example.
    WithoutEffect,
}

/// The upgrade of a key: a description in the imperative, and its edits.
type Upgrade = Option<(String, Vec<Edit>)>;

pub(super) fn check(document: &Document) -> Vec<Diagnostic> {
    let root = document.root();
    let mut found: Vec<_> = root.get("apiVersion").and_then(api_version::finding).into_iter().collect();
    let Some(spec) = root.get("spec") else { return found };
    let at = |keys: &[&str]| keys.iter().try_fold(spec, |view, key| view.get(key));
    let blocks = [&[][..], &["development", "ai"], &["language"], &["language", "go"]];
    let blocks = blocks.into_iter().filter_map(at);
    let items = ["tools", "skills", "examples"].into_iter().filter_map(|key| spec.get(key)).flat_map(View::items);
    let keys = blocks.chain(items).flat_map(View::entries).map(|(_, view)| view);
    let keys = keys.filter(|view| Outdated::at(&view.pointer()) != Some(Outdated::ToolAmongSkills));
    let skills = spec.get("skills").into_iter().flat_map(View::items).filter_map(skills::tool_field);
    let whole = skills::all_are_tools(spec);
    found.extend(keys.chain(skills).filter_map(|view| finding(root, view, whole)));
    found
}

/// Whether this module reports the key.
pub(super) fn covers(view: View<'_>) -> bool {
    view.pointer().starts_with("/spec/") && Outdated::at(&view.pointer()).is_some()
}

/// The finding about a key. `whole` tells that all entries of `spec.skills` are tools.
fn finding(root: View<'_>, view: View<'_>, whole: bool) -> Option<Diagnostic> {
    let pointer = view.pointer();
    let outdated = Outdated::at(&pointer)?;
    let path = path(root, &pointer);
    let headline = if outdated == Outdated::ToolAmongSkills {
        format!("`{path}` is outdated: skills with this field are now tools")
    } else if outdated == Outdated::WithoutEffect {
        format!("`{path}` has no effect")
    } else {
        format!("`{path}` is outdated")
    };
    let mut finding = Diagnostic::new(Code::OutdatedFormat, view.key_span()?, headline).help(outdated.help(&pointer));
    if outdated.is_ignored() {
        finding.severity = Severity::Warning;
    }
    let upgrade = view.editor().and_then(|editor| outdated.upgrade(editor, root, view, whole));
    Some(match upgrade {
        Some((text, edits)) => finding.suggest(Suggestion::safe(text, edits)),
        None => finding,
    })
}

impl Outdated {
    fn at(pointer: &str) -> Option<Self> {
        let tokens: Vec<_> = pointer.split('/').skip(1).collect();
        Some(match tokens.as_slice() {
            ["spec", "sandbox" | "ai"] => Self::OutsideDevelopment,
            ["spec", "development", "ai", "enabled"] => Self::SingleSwitch,
            ["spec", "development", "ai", name] if assistants::NAMES.contains(name) => Self::FlatAssistant,
            ["spec", "dependencies"] => Self::Dependencies,
            ["spec", "language", "acronyms"] => Self::LanguageAcronyms,
            ["spec", "language", "go", "goVersion"] => Self::GoVersion,
            ["spec", "skills", _, field] if skills::TOOL_FIELDS.contains(field) => Self::ToolAmongSkills,
            ["spec", "tools", _, "parameters"] => Self::ToolParameters,
            ["spec", "tools", _, "type" | "implementation" | "output" | "examples"]
            | ["spec", "skills", _, "output" | "examples"]
            | ["spec", "examples", _, "path"] => Self::WithoutEffect,
            _ => return None,
        })
    }

    /// Whether the schema allows additional keys here, so that the key has no effect.
    fn is_ignored(self) -> bool {
        matches!(self, Self::Dependencies | Self::LanguageAcronyms | Self::GoVersion)
    }

    /// The help text, which names the replacement.
    fn help(self, pointer: &str) -> String {
        let key = pointer.rsplit('/').next().unwrap_or_default();
        match self {
            Self::OutsideDevelopment => format!("move it to `spec.development.{key}`"),
            Self::SingleSwitch => "enable each assistant under `spec.development.ai.orchestrators`, for example \
                                   `claudecode: {enabled: true}`"
                .to_owned(),
            Self::FlatAssistant => format!("move it to `spec.development.ai.orchestrators.{key}`"),
            Self::Dependencies => "rename it to `services`".to_owned(),
            Self::LanguageAcronyms => "move it to `spec.acronyms`".to_owned(),
            Self::GoVersion => "rename it to `version`".to_owned(),
            Self::ToolAmongSkills => {
                "move the entry to `spec.tools`, with `id`, `name`, `description`, `tags` and `schema`".to_owned()
            }
            Self::ToolParameters => "describe the arguments under `schema`, as a JSON Schema".to_owned(),
            Self::WithoutEffect => "remove it, or turn it into a comment".to_owned(),
        }
    }

    fn upgrade(self, editor: Editor<'_>, root: View<'_>, view: View<'_>, whole: bool) -> Upgrade {
        let spec = root.get("spec")?;
        let pointer = &view.pointer();
        match self {
            Self::OutsideDevelopment => outside_development(editor, spec, pointer),
            Self::SingleSwitch => assistants::single_switch(editor, spec, view),
            Self::FlatAssistant => assistants::flat(editor, spec, view),
            Self::Dependencies => renamed::dependencies(editor, spec, view),
            Self::LanguageAcronyms => renamed::acronyms(editor, spec, view),
            Self::GoVersion => renamed::go_version(editor, spec, view),
            Self::ToolAmongSkills => skills::move_to_tools(editor, spec, whole, pointer),
            Self::ToolParameters => parameters::upgrade(editor, root, view, pointer),
            Self::WithoutEffect => without_effect(editor, view, pointer),
        }
    }
}

fn outside_development(editor: Editor<'_>, spec: View<'_>, pointer: &str) -> Upgrade {
    let key = pointer.rsplit('/').next()?;
    let edits = match spec.get("development") {
        None => editor.nest(pointer, &["development", key]),
        Some(_) => editor.move_entry(pointer, "/spec/development", Place::Last),
    };
    Some((format!("move `{key}` to `spec.development`"), edits?))
}

/// `type: function` is redundant, because every tool is a function. Other keys are kept as comments.
fn without_effect(editor: Editor<'_>, view: View<'_>, pointer: &str) -> Upgrade {
    let key = pointer.rsplit('/').next()?;
    if key == "type" && view.as_str() == Some("function") {
        return Some(("remove `type`: every tool is a function".to_owned(), editor.remove(pointer)?));
    }
    Some((format!("turn `{key}` into a comment"), editor.comment_out(pointer)?))
}
