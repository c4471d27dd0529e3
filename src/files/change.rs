//! The action for each file of an output folder, and obstacles.

use std::fmt;

use super::Owner;

/// The planned change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Path relative to the output folder, with `/` as separator.
    pub path: String,
    /// Owner of the file.
    pub owner: Owner,
    /// The action for the file.
    pub action: Action,
    /// The current contents; `None` if the file does not exist.
    pub before: Option<Vec<u8>>,
    /// The contents after the change; `None` if the file will not exist. Equal to `before` unless [`Action::writes`]
    /// returns true.
    pub after: Option<Vec<u8>>,
    /// The current spelling of the path, if it differs from `path` in case only.
    pub renamed_from: Option<String>,
    /// Messages for the user, including the locations of conflicts.
    pub notes: Vec<Note>,
}

impl Change {
    /// Creates a change that keeps `before`.
    pub(super) fn new(path: &str, owner: Owner, action: Action, before: Option<Vec<u8>>) -> Self {
        let after = before.clone();
        Self { path: path.to_owned(), owner, action, before, after, renamed_from: None, notes: Vec::new() }
    }

    /// Creates a change for a file that cannot be written because of `obstacle`.
    pub(super) fn blocked(path: &str, owner: Owner, obstacle: Obstacle) -> Self {
        Self::new(path, owner, Action::Blocked(obstacle), None)
    }

    /// The line, from 1, of the first unresolved conflict marker in the resulting file.
    pub fn unresolved(&self) -> Option<usize> {
        let may_be_marked = match self.action {
            Action::Markers => true,
            // A seeded file belongs to the user, including any such line in it.
            Action::Kept | Action::Merge => self.owner != Owner::Seeded,
            Action::Create
            | Action::Unchanged
            | Action::Update
            | Action::Conflict
            | Action::Overwrite { .. }
            | Action::Remove
            | Action::Orphaned
            | Action::Deleted
            | Action::SeedChanged { .. }
            | Action::Ignored
            | Action::SetAside { .. }
            | Action::Blocked(_) => false,
        };
        let mut lines = self.after.as_ref().filter(|_| may_be_marked)?.split(|&byte| byte == b'\n');
        lines.position(|line| line.starts_with(b"<<<<<<< yours")).map(|line| line + 1)
    }

    /// Whether a file is written, moved or removed.
    pub fn writes(&self) -> bool {
        self.action.writes() || self.renamed_from.is_some() && !self.action.blocks()
    }
}

/// A message about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Line, from 1: in [`Change::before`] for a conflict, otherwise in [`Change::after`]. `None` if the message is
    /// about the whole file.
    pub line: Option<usize>,
    /// The message, worded like the headline of a finding.
    pub text: String,
}

/// The obstacles of `changes`, without duplicates, sorted by path.
pub fn obstacles(changes: &[Change]) -> Vec<Obstacle> {
    let mut obstacles: Vec<Obstacle> = changes
        .iter()
        .filter_map(|change| if let Action::Blocked(obstacle) = &change.action { Some(obstacle.clone()) } else { None })
        .collect();
    obstacles.sort();
    obstacles.dedup();
    obstacles
}

/// The action for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// The file does not exist and is created.
    Create,
    /// The file already has the generated contents.
    Unchanged,
    /// The file is unmodified since `adl` last wrote it and is replaced.
    Update,
    /// The file and the generated text were both modified; the merged text is written.
    Merge,
    /// The user's version is kept, because the generated text is unchanged, the file belongs to the user, or the user
    /// chose `--on-conflict keep`.
    Kept,
    /// The user's edits conflict with changes of the generated text. Nothing is written.
    Conflict,
    /// The generated text is written, and the user's version is saved as a backup.
    Overwrite {
        /// Path of the backup, relative to the output folder.
        backup: String,
    },
    /// A text with both versions between conflict markers is written.
    Markers,
    /// The file is unmodified and no longer part of the project. It is removed, together with folders that become
    /// empty.
    Remove,
    /// The file is no longer part of the project but was edited. It is kept and belongs to the user from now on.
    Orphaned,
    /// The user deleted a seeded file. It is not created again.
    Deleted,
    /// The template of a seeded file changed. The file is kept; the user may have to adapt it.
    SeedChanged {
        /// The text that was generated last; `None` if it is lost.
        from: Option<String>,
        /// The text that would be generated now.
        to: String,
    },
    /// The file is listed in `.adl-ignore` and is not written, merged or removed.
    Ignored,
    /// The file was written by another generator and is not part of the project. It is moved to a backup.
    SetAside {
        /// Path of the backup, relative to the output folder.
        backup: String,
    },
    /// The file cannot be written because of an obstacle. Nothing is written.
    Blocked(Obstacle),
}

impl Action {
    /// The name of the action in lists and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Unchanged => "unchanged",
            Self::Update => "update",
            Self::Merge => "merge",
            Self::Kept => "kept",
            Self::Conflict => "conflict",
            Self::Overwrite { .. } => "overwrite",
            Self::Markers => "markers",
            Self::Remove => "remove",
            Self::Orphaned => "orphaned",
            Self::Deleted => "deleted",
            Self::SeedChanged { .. } => "outdated",
            Self::Ignored => "ignored",
            Self::SetAside { .. } => "set-aside",
            Self::Blocked(_) => "blocked",
        }
    }

    /// Whether the action writes, moves or removes a file.
    pub fn writes(&self) -> bool {
        match self {
            Self::Create
            | Self::Update
            | Self::Merge
            | Self::Overwrite { .. }
            | Self::Markers
            | Self::Remove
            | Self::SetAside { .. } => true,
            Self::Unchanged
            | Self::Kept
            | Self::Conflict
            | Self::Orphaned
            | Self::Deleted
            | Self::SeedChanged { .. }
            | Self::Ignored
            | Self::Blocked(_) => false,
        }
    }

    /// Whether the action prevents the whole changeset from being written.
    pub fn blocks(&self) -> bool {
        matches!(self, Self::Conflict | Self::Blocked(_))
    }
}

/// Something on the disk that prevents a file or folder from being written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Obstacle {
    /// Path relative to the output folder.
    pub path: String,
    /// The kind of obstacle.
    pub kind: ObstacleKind,
}

/// The kind of an [`Obstacle`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObstacleKind {
    /// A file with other contents that `adl` did not write.
    Differs,
    /// A folder in the place of a file.
    Folder,
    /// A file or special file in the place of a folder.
    NotAFolder,
    /// A socket, pipe or device.
    Special,
    /// A symbolic link to a path outside the output folder, or inside `.git` or `.adl`.
    LinkLeadsOut,
    /// A broken symbolic link.
    LinkToNothing,
    /// A symbolic link to another file of the project.
    SameFile,
    /// A file or folder whose name differs only in case from one of the project.
    Twin,
    /// A read-only file that would be replaced or removed.
    ReadOnly,
    /// An invalid lock file.
    BrokenLock,
    /// A lock file with merge conflict markers.
    ConflictedLock,
    /// A lock file of a later version of `adl`.
    LaterLock,
    /// An `.adl-ignore` file with an invalid pattern.
    NotPatterns,
    /// A symbolic link in the place of one of the files of `.adl`.
    Link,
    /// A file in `.adl/staging` that `adl` did not write.
    Foreign,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let says = match self.kind {
            ObstacleKind::Differs => "differs from what would be written",
            ObstacleKind::Folder => "is a folder; a file is needed here",
            ObstacleKind::NotAFolder => "is not a folder",
            ObstacleKind::Special => "is a socket, pipe or device",
            ObstacleKind::LinkLeadsOut => "is a symbolic link to a place outside the project",
            ObstacleKind::LinkToNothing => "is a broken symbolic link",
            ObstacleKind::SameFile => "is a symbolic link to another file of the project",
            ObstacleKind::Twin => "differs only in upper and lower case from a file that would be written",
            ObstacleKind::ReadOnly => "is read-only",
            ObstacleKind::BrokenLock => "is not a valid lock file of adl",
            ObstacleKind::ConflictedLock => {
                "contains merge conflict markers; keep either version, for example with `git checkout --ours \
                 .adl/lock.json`, and run the command again"
            }
            ObstacleKind::LaterLock => "was written by a later version of adl",
            ObstacleKind::NotPatterns => "contains an invalid pattern",
            ObstacleKind::Link => "is a symbolic link; adl does not follow links to its own files",
            ObstacleKind::Foreign => "was not written by adl, in the folder for its temporary files",
        };
        write!(f, "`{}` {says}", self.path)
    }
}
