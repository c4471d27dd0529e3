//! Checks that skill ids are unique: they name folders and identify skills on the card.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::duplicates;

use super::skills;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let ids = skills(root).filter_map(|skill| skill.get("id")).filter_map(|id| Some((id.as_str()?.to_lowercase(), id)));
    duplicates(ids)
        .into_iter()
        .map(|(again, first)| {
            let headline = format!("two skills have the id `{}`", again.as_str().unwrap_or_default());
            Diagnostic::new(Code::DuplicateSkillId, again.span(), headline)
                .related(first.span(), "first defined here")
                .help("give each skill a unique id; ids are compared without regard to case")
        })
        .collect()
}
