//! Warns about workflows, issue templates and similar features that only GitHub supports.

use super::{Rule, at};
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;

pub(super) const RULES: &[Rule] = &[feature_of_other_provider];

const GITHUB_ONLY: [&str; 5] = ["github_app", "issue_templates", "dependabot", "ci", "cd"];

fn feature_of_other_provider(root: View<'_>) -> Vec<Diagnostic> {
    let Some(scm) = at(root, &["spec", "scm"]) else { return Vec::new() };
    let provider = match scm.get("provider").and_then(View::as_str) {
        Some("gitlab") => "GitLab",
        Some("bitbucket") => "Bitbucket",
        _ => return Vec::new(),
    };
    let wanted = GITHUB_ONLY.iter().filter_map(|feature| Some((feature, scm.get(feature)?)));
    wanted
        .filter(|(_, view)| view.as_bool() == Some(true))
        .map(|(feature, view)| {
            let place = view.key_span().unwrap_or_else(|| view.span());
            let headline = format!("`spec.scm.{feature}` has no effect: not supported by {provider}");
            Diagnostic::new(Code::UnsupportedScmFeature, place, headline).help("remove it, or write `provider: github`")
        })
        .collect()
}
