//! What each language makes of the parts of a manifest: one table that the rules, `adl explain` and the targets read.

use super::TargetLanguage;

/// What a generated project makes of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// What it says.
    Honoured,
    /// Something, as the text says.
    Partly(&'static str),
    /// Nothing yet.
    NotYet,
    /// Nothing: agents in this language have no such part.
    Ignored,
}

use Support::{Honoured, Ignored, NotYet, Partly};

/// A part of the manifest with all below it, and what Go, TypeScript and Rust make of it.
type Row = (&'static str, [Support; 3]);

/// Parts that are not honoured by every language. Of several that hold a field the longest path counts.
const TABLE: &[Row] = &[
    ("metadata.author", [NotYet; 3]),
    ("metadata.license", [NotYet; 3]),
    ("metadata.tags", [NotYet; 3]),
    ("spec.agent.mcp", [Honoured, Partly(WITH_TRANSPORTS), Partly(WITH_TRANSPORTS)]),
    ("spec.artifacts", [NotYet, Ignored, Ignored]),
    ("spec.card.preferredTransport", [Partly("JSONRPC alone"); 3]),
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
    ("spec.skills", [Partly("the agent card alone shows them"); 3]),
    ("spec.telemetry", [NotYet, NotYet, Ignored]),
    ("spec.telemetry.metrics.exporter.prometheus", [NotYet, Ignored, Ignored]),
    ("spec.tools[].inject", [NotYet; 3]),
];

const ANNOUNCED: &str = "announced on the agent card, not enforced";
const WITH_TRANSPORTS: &str = "where `transports` is set";

/// The fields of the manifest that the table names.
pub fn partial_fields() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(path, _)| *path)
}

impl TargetLanguage {
    /// Whether projects can be generated in it.
    pub fn is_generated(self) -> bool {
        match self {
            Self::Go | Self::TypeScript => true,
            Self::Rust => false,
        }
    }

    /// What a project in this language makes of the field at `path` (`spec.tools[].inject`).
    pub fn support(self, path: &str) -> Support {
        let holds =
            |part: &str| path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        let rows = TABLE.iter().filter(|(part, _)| holds(part));
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
    fn the_longest_path_counts_and_covers_what_is_below() {
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
