//! Names that become files or folders and that a system, or the project itself, keeps for something else.

use crate::diagnostics::{Code, Diagnostic, Span};
use crate::document::View;
use crate::rules::at;
use crate::rules::language::{Language, language};
use crate::rules::tools::own_tools;

use super::{name_span, services};

/// Names that Windows keeps for devices, whatever the extension.
const DEVICES: [&str; 22] = [
    "aux", "con", "nul", "prn", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2",
    "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let skills = at(root, &["spec", "skills"]).into_iter().flat_map(View::items).filter_map(|skill| skill.get("id"));
    let skills = skills.filter_map(|id| Some((id.as_str()?, id.span()))).filter(|(id, _)| is_device(id));
    let services = services(root).map(|(name, view)| (name, name_span(view))).filter(|(name, _)| is_device(name));
    // A Go project gives such tools another file.
    let own: &[&str] = match language(root) {
        Some(Language::TypeScript) => &["index"],
        Some(Language::Rust) => &["mod", "lib", "main"],
        Some(Language::Go) | None => return skills.chain(services).map(finding).collect(),
    };
    let tools = own_tools(root).filter_map(|(id, tool)| Some((id, tool.get("id")?.span())));
    let tools = tools.filter(|(id, _)| is_device(id) || own.contains(&id.to_lowercase().as_str()));
    skills.chain(services).chain(tools).map(finding).collect()
}

fn is_device(name: &str) -> bool {
    DEVICES.contains(&name.to_lowercase().as_str())
}

fn finding((name, place): (&str, Span)) -> Diagnostic {
    Diagnostic::new(Code::ReservedFileName, place, format!("`{name}` names a file that cannot be had everywhere"))
        .note("Windows keeps it for a device, or the project has a file of that name itself")
        .help("choose another name")
}
