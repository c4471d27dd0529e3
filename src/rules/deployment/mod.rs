//! Where the agent runs.

mod unsupported_deployment;
mod unused_block;

use super::{Rule, at};
use crate::document::View;

pub(super) const RULES: &[Rule] = &[unused_block::check, unsupported_deployment::check];

/// Blocks of `spec.deployment`, each named like the type that it belongs to.
const BLOCKS: [&str; 4] = ["kubernetes", "cloudrun", "vercel", "cloudflare"];

fn deployment(root: View<'_>) -> Option<View<'_>> {
    at(root, &["spec", "deployment"])
}

/// The type, and where it stands.
fn kind(root: View<'_>) -> Option<(&str, View<'_>)> {
    let view = deployment(root)?.get("type")?;
    Some((view.as_str()?, view))
}
