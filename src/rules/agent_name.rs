//! Checks that `metadata.name` is valid as the name of the container image and of the deployment.

use super::{Rule, at};
use crate::diagnostics::{Code, Diagnostic, Severity};
use crate::document::View;

pub(super) const RULES: &[Rule] = &[unusable_name];

fn unusable_name(root: View<'_>) -> Vec<Diagnostic> {
    let name = at(root, &["metadata", "name"]);
    let Some((view, name)) = name.and_then(|view| Some((view, view.as_str()?))) else { return Vec::new() };
    let deployment = at(root, &["spec", "deployment", "type"]).and_then(View::as_str).unwrap_or_default();
    let (place, longest) = match deployment {
        // The namespace is the name with the suffix `-ns`.
        "kubernetes" => ("Kubernetes", 60),
        "cloudrun" => ("Cloud Run", 49),
        "vercel" => ("Vercel", 100),
        "cloudflare" => ("Cloudflare", 63),
        _ => ("a container image", 128),
    };
    let letter_first = matches!(deployment, "kubernetes" | "cloudrun");
    let reason = if name.starts_with('-') || name.ends_with('-') {
        "starts or ends with a hyphen".to_owned()
    } else if letter_first && name.starts_with(|c: char| c.is_ascii_digit()) {
        "starts with a digit".to_owned()
    } else if name.len() > longest {
        format!("has {} characters, more than {longest}", name.len())
    } else {
        return Vec::new();
    };
    let headline = format!("`metadata.name` {reason}, which is invalid for {place}");
    let mut finding = Diagnostic::new(Code::InvalidAgentName, view.span(), headline)
        .help("choose a short name that starts with a letter and ends with a letter or a digit");
    if deployment.is_empty() {
        finding.severity = Severity::Warning;
    }
    vec![finding]
}
