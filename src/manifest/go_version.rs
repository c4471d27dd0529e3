//! Go versions in `go.mod`: `1.26`, `1.26.4`, `1.27rc1`.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A Go version. Prereleases (`1.27beta1`, then `1.27rc1`) precede the release; `1.27` is any release of that line and
/// precedes `1.27.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GoVersion {
    /// The number after `1.`.
    minor: u32,
    stage: Stage,
}

/// What follows the minor number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Beta(u32),
    Candidate(u32),
    Line,
    Patch(u32),
}

/// The string is not a Go version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidGoVersion;

impl GoVersion {
    /// The oldest version that the dependencies of generated projects support.
    pub const OLDEST: Self = Self { minor: 25, stage: Stage::Line };
    /// The newest minor version that this program knows. Later versions may not exist.
    pub const NEWEST: u32 = 27;

    /// Whether it is later than [`GoVersion::NEWEST`].
    pub fn is_unknown(self) -> bool {
        self.minor > Self::NEWEST
    }

    /// The version for the `go` line of `go.mod`. The go command orders `1.25` before `1.25.0`, which dependencies
    /// require, so the oldest supported version becomes its first patch release.
    #[must_use]
    pub fn directive(self) -> Self {
        if self == Self::OLDEST { Self { stage: Stage::Patch(0), ..self } } else { self }
    }
}

impl FromStr for GoVersion {
    type Err = InvalidGoVersion;

    fn from_str(text: &str) -> Result<Self, InvalidGoVersion> {
        let (major, rest) = text.split_once('.').ok_or(InvalidGoVersion)?;
        let (minor, stage) = if let Some((minor, candidate)) = rest.split_once("rc") {
            (minor, Stage::Candidate(number(candidate)?))
        } else if let Some((minor, beta)) = rest.split_once("beta") {
            (minor, Stage::Beta(number(beta)?))
        } else if let Some((minor, patch)) = rest.split_once('.') {
            (minor, Stage::Patch(number(patch)?))
        } else {
            (rest, Stage::Line)
        };
        // There is no Go 2, and none is planned.
        if number(major)? != 1 {
            return Err(InvalidGoVersion);
        }
        Ok(Self { minor: number(minor)?, stage })
    }
}

/// Digits without a leading zero.
fn number(text: &str) -> Result<u32, InvalidGoVersion> {
    let is_plain = text == "0" || !text.starts_with('0') && text.bytes().all(|digit| digit.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain).ok_or(InvalidGoVersion)
}

impl fmt::Display for GoVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { minor, stage } = self;
        match stage {
            Stage::Beta(number) => write!(f, "1.{minor}beta{number}"),
            Stage::Candidate(number) => write!(f, "1.{minor}rc{number}"),
            Stage::Line => write!(f, "1.{minor}"),
            Stage::Patch(number) => write!(f, "1.{minor}.{number}"),
        }
    }
}

impl Serialize for GoVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_prints_versions_like_go_mod() {
        for text in ["1.26", "1.26.4", "1.27rc1", "1.27beta2", "1.20.0"] {
            assert_eq!(text.parse::<GoVersion>().unwrap().to_string(), text);
        }
        for text in [
            "1",
            "1.026",
            "1.26.",
            "1.26.4.1",
            "1.26.4rc1",
            "1.26rc",
            "1.26rc1.1",
            "v1.26",
            "latest",
            "1.x",
            "2.0",
            "0.9",
            "1.+2",
            "",
            "1.26.99999999999",
        ] {
            assert_eq!(text.parse::<GoVersion>(), Err(InvalidGoVersion), "{text}");
        }
    }

    #[test]
    fn prereleases_are_older_than_releases() {
        let ordered = ["1.24", "1.24.9", "1.25beta1", "1.25rc1", "1.25rc2", "1.25", "1.25.0", "1.25.10", "1.26rc1"];
        let versions = ordered.map(|text| text.parse::<GoVersion>().unwrap());
        assert!(versions.is_sorted_by(|one, next| one < next), "{versions:?}");
        assert_eq!(versions.map(|version| version < GoVersion::OLDEST).into_iter().filter(|older| *older).count(), 5);
    }

    #[test]
    fn oldest_version_becomes_its_first_patch() {
        let directive = |text: &str| text.parse::<GoVersion>().unwrap().directive().to_string();
        assert_eq!(["1.25", "1.25.3", "1.26", "1.26rc1"].map(directive), ["1.25.0", "1.25.3", "1.26", "1.26rc1"]);
    }
}
