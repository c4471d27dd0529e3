//! Warns about blocks of `spec.deployment` that do not belong to its type.

use super::{BLOCKS, deployment, kind};
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(deployment) = deployment(root) else { return Vec::new() };
    let kind = kind(root).map(|(kind, _)| kind);
    let others =
        BLOCKS.iter().filter(|block| kind != Some(**block)).filter_map(|block| Some((block, deployment.get(block)?)));
    others
        .map(|(block, view)| {
            let place = view.key_span().unwrap_or_else(|| view.span());
            let (reason, help) = match kind {
                Some(kind) => (format!("the type is `{kind}`"), format!("remove it, or write `type: {block}`")),
                None => ("there is no `type`".to_owned(), format!("add `type: {block}`")),
            };
            let headline = format!("`spec.deployment.{block}` has no effect: {reason}");
            Diagnostic::new(Code::UnusedDeploymentBlock, place, headline).help(help)
        })
        .collect()
}
