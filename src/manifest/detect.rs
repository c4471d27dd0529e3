//! Detects manifests by their `apiVersion`.

/// The groups before the `/` of an `apiVersion`, in current and older manifests.
const GROUPS: [&str; 3] = ["adl.inference-gateway.com/", "adl.dev/", "a2a.dev/"];

/// Whether a YAML or JSON text has the `apiVersion` of a manifest, current or older.
///
/// The text may be truncated and need not be valid: whatever looks like a manifest is checked.
pub fn looks_like_manifest(text: &str) -> bool {
    let json = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    text.match_indices("apiVersion").any(|(place, key)| {
        let before = text.get(..place).unwrap_or_default();
        let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        let indent = line.trim_start_matches('\u{feff}').trim_end_matches(['"', '\'']);
        let behind = text.get(place + key.len()..).unwrap_or_default();
        (json || indent.is_empty())
            && value(behind).is_some_and(|value| GROUPS.iter().any(|group| value.starts_with(group)))
    })
}

/// The value after a key, without its quote.
fn value(behind_key: &str) -> Option<&str> {
    let value = behind_key.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?;
    Some(value.trim_start().trim_start_matches(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::looks_like_manifest;

    #[test]
    fn recognizes_manifests_of_every_version_and_format() {
        for text in [
            "apiVersion: adl.inference-gateway.com/v1\nkind: Agent\n",
            "---\r\n# old\r\napiVersion: 'adl.dev/v1'\r\n",
            "\u{feff}\"apiVersion\" : \"a2a.dev/v1\"\n",
            "{\n  \"kind\": \"Agent\",\n  \"apiVersion\": \"adl.inference-gateway.com/v2\"\n}",
            "{apiVersion: adl.dev/v1}",
        ] {
            assert!(looks_like_manifest(text), "{text}");
        }
    }

    #[test]
    fn rejects_other_files() {
        for text in [
            "",
            "apiVersion: apps/v1\nkind: Deployment\n",
            "data:\n  agent.yaml: |\n    apiVersion: adl.inference-gateway.com/v1\n",
            "# apiVersion: adl.dev/v1\n",
            "apiVersion adl.dev/v1",
        ] {
            assert!(!looks_like_manifest(text), "{text}");
        }
    }
}
