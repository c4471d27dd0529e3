//! Checks of `spec.deployment`.

mod unsupported_deployment;
mod unused_block;

use super::{Rule, at};
use crate::document::View;

pub(super) const RULES: &[Rule] = &[unused_block::check, unsupported_deployment::check];

/// Blocks of `spec.deployment`, each named after its deployment type.
const BLOCKS: [&str; 4] = ["kubernetes", "cloudrun", "vercel", "cloudflare"];

fn deployment(root: View<'_>) -> Option<View<'_>> {
    at(root, &["spec", "deployment"])
}

/// The deployment type and its view.
fn kind(root: View<'_>) -> Option<(&str, View<'_>)> {
    let view = deployment(root)?.get("type")?;
    Some((view.as_str()?, view))
}
