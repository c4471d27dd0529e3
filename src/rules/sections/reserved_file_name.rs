//! Checks that names of skills and services, which become files or folders, are not reserved by Windows. Tools are renamed instead.

use crate::diagnostics::{Code, Diagnostic, Span};
use crate::document::View;
use crate::names::is_device;
use crate::rules::at;

use super::{name_span, services};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let skills = at(root, &["spec", "skills"]).into_iter().flat_map(View::items).filter_map(|skill| skill.get("id"));
    let skills = skills.filter_map(|id| Some((id.as_str()?, id.span()))).filter(|(id, _)| is_device(id));
    let services = services(root).map(|(name, view)| (name, name_span(view))).filter(|(name, _)| is_device(name));
    skills.chain(services).map(finding).collect()
}

fn finding((name, place): (&str, Span)) -> Diagnostic {
    Diagnostic::new(Code::ReservedFileName, place, format!("`{name}` is a reserved file name"))
        .note("it is reserved for a device on Windows")
        .help("choose another name")
}
