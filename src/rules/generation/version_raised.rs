//! Warns if the version of the language is lower than the project's packages require; the generated project uses the
//! required version.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::manifest::{GoVersion, OLDEST_NODE, OLDEST_RUST};
use crate::rules::at;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let is_old_go = |text: &str| text.parse().is_ok_and(|version: GoVersion| version < GoVersion::OLDEST);
    let is_old_node = |text: &str| number(text, 0).is_some_and(|major| major < OLDEST_NODE);
    let is_old_rust = |text: &str| number(text, 0) == Some(1) && number(text, 1).unwrap_or(0) < OLDEST_RUST;
    let raised = [
        find(root, ["go", "version"], &is_old_go, "Go", &GoVersion::OLDEST.to_string()),
        find(root, ["typescript", "nodeVersion"], &is_old_node, "Node.js", &OLDEST_NODE.to_string()),
        find(root, ["rust", "version"], &is_old_rust, "Rust", &format!("1.{OLDEST_RUST}")),
    ];
    raised.into_iter().flatten().collect()
}

fn find(
    root: View<'_>,
    [language, field]: [&str; 2],
    is_old: &dyn Fn(&str) -> bool,
    title: &str,
    floor: &str,
) -> Option<Diagnostic> {
    let view = at(root, &["spec", "language", language, field])?;
    view.as_str().filter(|text| is_old(text))?;
    let headline = format!("`spec.language.{language}.{field}` is raised to {floor}");
    let finding = Diagnostic::new(Code::VersionRaised, view.span(), headline)
        .note(format!("the packages of the generated project need {title} {floor}"))
        .help(format!("write `{field}: \"{floor}\"` or higher"));
    Some(finding)
}

/// The number at a position of a version such as `1.88.0`.
fn number(version: &str, position: usize) -> Option<u32> {
    version.split('.').nth(position)?.parse().ok()
}
