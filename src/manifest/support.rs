//! How each target language supports the parts of the manifest. Rules, `adl explain` and the targets use this table.

use super::TargetLanguage;

/// How a generated project supports a part of the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Fully.
    Honoured,
    /// Partly, with the limitation.
    Partly(&'static str),
    /// Not yet.
    NotYet,
    /// Never: the part does not apply to agents in this language.
    Ignored,
}

/// The oldest major version of Node.js that runs a generated project.
pub const OLDEST_NODE: u32 = 22;

/// The oldest minor version of Rust 1 that builds a generated project.
pub const OLDEST_RUST: u32 = 88;

use Support::{Honoured, Ignored, NotYet, Partly};

/// A part of the manifest and everything below it, with its support in Go, TypeScript and Rust.
type Row = (&'static str, [Support; 3]);

/// Parts that at least one language does not fully support. For nested parts, the longest path applies.
const TABLE: &[Row] = &[
    ("metadata.author", [NotYet; 3]),
    ("metadata.license", [NotYet; 3]),
    ("metadata.tags", [NotYet; 3]),
    ("spec.agent.mcp", [Honoured, Partly(WITH_TRANSPORTS), Partly(WITH_TRANSPORTS)]),
    ("spec.artifacts", [NotYet, Ignored, Ignored]),
    ("spec.card.preferredTransport", [Partly("only JSONRPC"); 3]),
    ("spec.card.security", [Partly(ANNOUNCED); 3]),
    ("spec.card.securitySchemes", [Partly(ANNOUNCED); 3]),
    ("spec.card.supportsExtendedAgentCard", [NotYet; 3]),
    ("spec.config", [NotYet, NotYet, Ignored]),
    ("spec.config.tools", [NotYet, Ignored, NotYet]),
    ("spec.deployment", [NotYet; 3]),
    ("spec.development.ai.orchestrators", [NotYet; 3]),
    ("spec.development.deps", [NotYet; 3]),
    ("spec.development.sandbox.devcontainer", [NotYet; 3]),
    ("spec.development.sandbox.flox", [NotYet; 3]),
    ("spec.documentation.pages", [NotYet; 3]),
    ("spec.examples", [NotYet; 3]),
    ("spec.language.go", [Honoured, Ignored, Ignored]),
    ("spec.language.go.vendor", [NotYet, Ignored, Ignored]),
    ("spec.language.rust", [Ignored, Ignored, Honoured]),
    ("spec.language.typescript", [Ignored, Honoured, Ignored]),
    ("spec.language.typescript.vendor", [Ignored, NotYet, Ignored]),
    ("spec.scm", [NotYet; 3]),
    ("spec.server.auth", [NotYet, Ignored, Ignored]),
    ("spec.server.authz", [NotYet, Ignored, Ignored]),
    ("spec.services", [NotYet, NotYet, Ignored]),
    ("spec.skills", [Partly("only on the agent card"); 3]),
    ("spec.telemetry", [NotYet, NotYet, Ignored]),
    ("spec.telemetry.metrics.exporter.prometheus", [NotYet, Ignored, Ignored]),
    ("spec.tools[].inject", [NotYet; 3]),
];

const ANNOUNCED: &str = "announced on the agent card, not enforced";
const WITH_TRANSPORTS: &str = "if `transports` is set";

/// The paths in the table.
pub fn partial_fields() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(path, _)| *path)
}

impl TargetLanguage {
    /// How a project in this language supports the field at `path` (`spec.tools[].inject`).
    pub fn support(self, path: &str) -> Support {
        let contains =
            |part: &str| path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        let rows = TABLE.iter().filter(|(part, _)| contains(part));
        let [go, typescript, rust] = rows.max_by_key(|(part, _)| part.len()).map_or([Honoured; 3], |(_, row)| *row);
        match self {
            Self::Go => go,
            Self::TypeScript => typescript,
            Self::Rust => rust,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::field;

    #[test]
    fn every_part_is_a_field_of_the_manifest() {
        for path in partial_fields() {
            assert_eq!(field(path).map(|field| field.path).as_deref(), Ok(path));
        }
        assert!(TABLE.is_sorted_by_key(|(path, _)| *path));
    }

    #[test]
    fn longest_path_applies_to_everything_below() {
        for (path, expected) in [
            ("spec.server.port", [Honoured; 3]),
            ("spec.server.auth.enabled", [NotYet, Ignored, Ignored]),
            ("spec.authors", [Honoured; 3]),
            ("spec.config.store.size", [NotYet, NotYet, Ignored]),
            ("spec.config.tools.read", [NotYet, Ignored, NotYet]),
            ("spec.tools[].inject[]", [NotYet; 3]),
            ("spec.tools[].id", [Honoured; 3]),
        ] {
            assert_eq!(TargetLanguage::ALL.map(|language| language.support(path)), expected, "{path}");
        }
    }
}
