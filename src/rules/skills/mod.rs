//! Checks of `spec.skills`.

mod duplicate_skill_id;
mod incomplete_skill;

use super::{Rule, at};
use crate::document::View;

pub(super) const RULES: &[Rule] = &[duplicate_skill_id::check, incomplete_skill::check];

fn skills(root: View<'_>) -> impl Iterator<Item = View<'_>> {
    at(root, &["spec", "skills"]).into_iter().flat_map(View::items)
}
