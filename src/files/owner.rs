use serde::{Deserialize, Serialize};

/// Whom a file of the output belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// Ours: follows the manifest.
    Generated,
    /// Written once, then the user's.
    Seeded,
    /// We own named entries, the user owns the rest.
    Shared,
}

impl Owner {
    /// The word for it, in the lock and in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Seeded => "seeded",
            Self::Shared => "shared",
        }
    }
}
