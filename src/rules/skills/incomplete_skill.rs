//! Checks that a bare skill, which is generated from the manifest alone, has a name and a description.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::{is_unfilled, text};

use super::skills;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let bare = skills(root).filter(|skill| skill.get("bare").and_then(View::as_bool) == Some(true));
    bare.flat_map(|skill| {
        let id = text(skill, "id").unwrap_or_default();
        let missing = ["name", "description"].into_iter().filter(move |field| is_unfilled(skill, field));
        missing.map(move |field| {
            let place = skill.get(field).or_else(|| skill.get("id")).unwrap_or(skill).span();
            Diagnostic::new(Code::IncompleteSkill, place, format!("bare skill `{id}` has no `{field}`"))
                .help(format!("add `{field}`, or name a `source` and remove `bare`"))
        })
    })
    .collect()
}
