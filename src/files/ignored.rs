//! `.adl-ignore`: files that the user maintains, as `.gitignore` patterns.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::edit::Consulted;
use super::listing::{Found, Listing};
use super::text::sha256;
use super::tree::folders;
use super::{FilesError, Obstacle, ObstacleKind};

/// Path of the file, relative to the output folder.
const PATH: &str = ".adl-ignore";

/// The ignore patterns of an output folder.
pub(super) struct Ignored {
    /// `None` if the file does not exist.
    patterns: Option<Gitignore>,
    /// The file that contains the patterns.
    pub(super) source: Consulted,
}

impl Ignored {
    /// Reads the patterns of a folder. A file with an invalid pattern is an obstacle, because it is unknown which files
    /// it should protect.
    pub(super) fn load(disk: &mut Listing<'_>) -> Result<Result<Self, Obstacle>, FilesError> {
        let real = match disk.find(PATH)? {
            Found::File { real, .. } => real,
            Found::Nothing { real, .. } => {
                return Ok(Ok(Self { patterns: None, source: Consulted { path: real, hash: None } }));
            }
            Found::Obstacle { at, kind } => return Ok(Err(Obstacle { path: at, kind })),
        };
        let bytes = disk.read(&real)?;
        let source = Consulted { path: real, hash: Some(sha256(&bytes)) };
        let mut builder = GitignoreBuilder::new("");
        let is_read = String::from_utf8_lossy(&bytes)
            .trim_start_matches('\u{feff}')
            .lines()
            .all(|line| builder.add_line(None, line).is_ok());
        Ok(builder.build().ok().filter(|_| is_read).map_or_else(
            || Err(Obstacle { path: PATH.to_owned(), kind: ObstacleKind::NotPatterns }),
            |patterns| Ok(Self { patterns: Some(patterns), source }),
        ))
    }

    /// Whether a pattern matches the file at `path` or a folder above it. As in git, a file below a matched folder
    /// cannot be included again.
    pub(super) fn has(&self, path: &str) -> bool {
        self.patterns.as_ref().is_some_and(|patterns| {
            folders(path).any(|folder| patterns.matched(folder, true).is_ignore())
                || patterns.matched(path, false).is_ignore()
        })
    }
}
