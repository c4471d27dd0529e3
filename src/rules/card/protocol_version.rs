//! Checks that generated agents support `spec.card.protocolVersion`.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::at;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let version = at(root, &["spec", "card", "protocolVersion"]);
    let Some((view, text)) = version.and_then(|view| Some((view, view.as_str()?))) else { return Vec::new() };
    if is_supported(text) {
        return Vec::new();
    }
    vec![
        Diagnostic::new(
            Code::UnsupportedProtocolVersion,
            view.span(),
            "`spec.card.protocolVersion` must be `0.3.x` or `1.x`",
        )
        .note("with `0.3.0` the agent serves A2A 0.3 and 1.0, with `1.0` only 1.0")
        .help("write `\"0.3.0\"` or `\"1.0\"`, or remove the key"),
    ]
}

fn is_supported(version: &str) -> bool {
    let parts: Vec<_> = version.split('.').collect();
    let numeric = parts.iter().all(|part| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit()));
    numeric && matches!(parts.as_slice(), ["0", "3"] | ["0", "3", _] | ["1", _] | ["1", _, _])
}

#[cfg(test)]
mod tests {
    use super::is_supported;

    #[test]
    fn accepts_only_supported_versions() {
        for version in ["0.3", "0.3.0", "0.3.17", "1.0", "1.0.0", "1.4"] {
            assert!(is_supported(version), "{version}");
        }
        for version in ["", "0.2.5", "0.30", "1", "1.", "2.0", "v1.0", "1.0.0.0", "0.3.x", "1.0-rc1"] {
            assert!(!is_supported(version), "{version}");
        }
    }
}
