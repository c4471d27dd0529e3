//! The languages that projects are written in.

/// A language that projects are written in.
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
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Go, Self::TypeScript, Self::Rust];

    /// The key below `spec.language`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Go => "go",
            Self::TypeScript => "typescript",
            Self::Rust => "rust",
        }
    }

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Go => "Go",
            Self::TypeScript => "TypeScript",
            Self::Rust => "Rust",
        }
    }
}
