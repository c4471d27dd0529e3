//! The target languages.

use crate::mcp::Transport;

/// A target language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetLanguage {
    /// Go.
    Go,
    /// TypeScript.
    TypeScript,
    /// Rust.
    Rust,
}

impl TargetLanguage {
    /// All languages.
    pub const ALL: [Self; 3] = [Self::Go, Self::TypeScript, Self::Rust];

    /// The key below `spec.language`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Go => "go",
            Self::TypeScript => "typescript",
            Self::Rust => "rust",
        }
    }

    /// The display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Go => "Go",
            Self::TypeScript => "TypeScript",
            Self::Rust => "Rust",
        }
    }

    /// The MCP transports to generate: those that the manifest lists, or `http` for Go. Returns `None` if no client is
    /// generated.
    pub fn wired_transports<'a>(self, listed: Option<impl IntoIterator<Item = &'a str>>) -> Option<Vec<Transport>> {
        match (listed, self) {
            (Some(words), _) => Some(words.into_iter().filter_map(Transport::from_word).collect()),
            (None, Self::Go) => Some(vec![Transport::Http]),
            (None, Self::TypeScript | Self::Rust) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_go_has_a_client_by_default() {
        for (language, default) in [
            (TargetLanguage::Go, Some(vec![Transport::Http])),
            (TargetLanguage::TypeScript, None),
            (TargetLanguage::Rust, None),
        ] {
            assert_eq!(language.wired_transports(None::<[&str; 0]>), default, "{language:?}");
            let listed = language.wired_transports(Some(["sse", "stdio"]));
            assert_eq!(listed, Some(vec![Transport::Sse, Transport::Stdio]));
            assert_eq!(language.wired_transports(Some([])), Some(Vec::new()));
        }
    }
}
