//! Checks that names which become files or folders are not reserved by Windows or by the project.

use crate::diagnostics::{Code, Diagnostic, Span};
use crate::document::View;
use crate::manifest::TargetLanguage;
use crate::names::is_device;
use crate::rules::at;
use crate::rules::language::language;
use crate::rules::tools::own_tools;

use super::{name_span, services};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let skills = at(root, &["spec", "skills"]).into_iter().flat_map(View::items).filter_map(|skill| skill.get("id"));
    let skills = skills.filter_map(|id| Some((id.as_str()?, id.span()))).filter(|(id, _)| is_device(id));
    let services = services(root).map(|(name, view)| (name, name_span(view))).filter(|(name, _)| is_device(name));
    // A Go project renames the files of such tools.
    let own: &[&str] = match language(root) {
        Some(TargetLanguage::TypeScript) => &["index"],
        Some(TargetLanguage::Rust) => &["mod", "lib", "main"],
        Some(TargetLanguage::Go) | None => return skills.chain(services).map(finding).collect(),
    };
    let tools = own_tools(root).filter_map(|(id, tool)| Some((id, tool.get("id")?.span())));
    let tools = tools.filter(|(id, _)| is_device(id) || own.contains(&id.to_lowercase().as_str()));
    skills.chain(services).chain(tools).map(finding).collect()
}

fn finding((name, place): (&str, Span)) -> Diagnostic {
    Diagnostic::new(Code::ReservedFileName, place, format!("`{name}` is a reserved file name"))
        .note("it is reserved for a device on Windows, or for a file of the project")
        .help("choose another name")
}
