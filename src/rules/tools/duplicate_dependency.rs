//! Checks that the dependencies of a tool differ in the last word of their names, which becomes the name in the tool's
//! code.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::names::words;
use crate::rules::duplicates;

use super::own_tools;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let lists = own_tools(root).filter_map(|(_, tool)| tool.get("inject"));
    lists
        .flat_map(|list| duplicates(list.items().filter_map(|item| Some((field(item.as_str()?), item)))))
        .map(finding)
        .collect()
}

/// The words of the field name for a dependency: `config.shop` -> `shop`.
fn field(dependency: &str) -> Vec<String> {
    words(dependency.rsplit('.').next().unwrap_or_default())
}

fn finding((again, first): (View<'_>, View<'_>)) -> Diagnostic {
    let (name, other) = (again.as_str().unwrap_or_default(), first.as_str().unwrap_or_default());
    let finding = if name == other {
        Diagnostic::new(Code::DuplicateDependency, again.span(), format!("`{name}` is listed twice"))
            .help("remove one of them")
    } else {
        let headline = format!("`{name}` and `{other}` become the same field in the tool's code");
        Diagnostic::new(Code::AmbiguousDependencyName, again.span(), headline).help("rename the service or the section")
    };
    finding.related(first.span(), "first defined here")
}
