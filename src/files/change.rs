//! The action for each file of an output folder, and obstacles.

use std::fmt;

use super::Owner;

/// One file and what would happen to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Below the output folder, `/` between components.
    pub path: String,
    /// Whose the file is.
    pub owner: Owner,
    /// What would happen.
    pub action: Action,
    /// The bytes that are there; `None` where no file is.
    pub before: Option<Vec<u8>>,
    /// The bytes that would be there; `None` where no file would be. The same as `before` unless
    /// [`Action::writes`].
    pub after: Option<Vec<u8>>,
    /// The spelling of the path that it has now, where only upper and lower case differ.
    pub renamed_from: Option<String>,
    /// What the user should know, and the places of a conflict.
    pub notes: Vec<Note>,
}

impl Change {
    /// A change after which `before` is there as it was.
    pub(super) fn new(path: &str, owner: Owner, action: Action, before: Option<Vec<u8>>) -> Self {
        let after = before.clone();
        Self { path: path.to_owned(), owner, action, before, after, renamed_from: None, notes: Vec::new() }
    }

    /// A file that has something in its way.
    pub(super) fn blocked(path: &str, owner: Owner, obstacle: Obstacle) -> Self {
        Self::new(path, owner, Action::Blocked(obstacle), None)
    }

    /// The line, from 1, of the first unresolved conflict marker in the resulting file.
    pub fn unresolved(&self) -> Option<usize> {
        let may_be_marked = match self.action {
            Action::Markers => true,
            // In what is the user's alone such a line is the user's too.
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

/// Something about a file that the user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Line from 1: of [`Change::before`] for a conflict, otherwise of [`Change::after`]; `None` where it is about the whole file.
    pub line: Option<usize>,
    /// What is to be known, as the headline of a finding.
    pub text: String,
}

/// The obstacles of `changes`, without duplicates, by path.
pub fn obstacles(changes: &[Change]) -> Vec<Obstacle> {
    let mut obstacles: Vec<Obstacle> = changes
        .iter()
        .filter_map(|change| if let Action::Blocked(obstacle) = &change.action { Some(obstacle.clone()) } else { None })
        .collect();
    obstacles.sort();
    obstacles.dedup();
    obstacles
}

/// What would happen to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Nothing is there: it is written.
    Create,
    /// It says already what it should say: nothing happens.
    Unchanged,
    /// Ours, and unedited since we wrote it: it is replaced.
    Update,
    /// The user edited it and we have something new: it is replaced by a text with both.
    Merge,
    /// The user's text stays: we have nothing new, or it is the user's file, or `--on-conflict keep` says so.
    Kept,
    /// Your edits conflict with generated changes and the conflict is not resolved: nothing is written.
    Conflict,
    /// The generated text is written, and the user's text is saved as a backup.
    Overwrite {
        /// Where the user's text goes, below the output folder.
        backup: String,
    },
    /// A text with both sides between conflict markers is written.
    Markers,
    /// Ours, unedited, and no longer part of the project: it goes, and so do folders that it leaves empty.
    Remove,
    /// No longer part of the project, but edited by the user: it stays, and is the user's from now on.
    Orphaned,
    /// Seeded before and deleted by the user: it does not come back.
    Deleted,
    /// Seeded before, and what we would seed now is another text. The file stays as it is; the user may have to adapt it.
    SeedChanged {
        /// What we would have seeded last; `None` where that is lost.
        from: Option<String>,
        /// What we would seed now.
        to: String,
    },
    /// `.adl-ignore` names it: it is neither written, merged nor removed.
    Ignored,
    /// A file of another generator that is not part of the project: it goes out of the way.
    SetAside {
        /// Where it goes, below the output folder.
        backup: String,
    },
    /// Something is there that we may not touch: nothing at all is written.
    Blocked(Obstacle),
}

impl Action {
    /// The word for it in lists and in JSON.
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

    /// Whether a file is written, moved or removed.
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

    /// Whether it keeps everything else from being written too.
    pub fn blocks(&self) -> bool {
        matches!(self, Self::Conflict | Self::Blocked(_))
    }
}

/// Something that lies where a file or a folder has to go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Obstacle {
    /// Where it lies, below the output folder.
    pub path: String,
    /// What it is.
    pub kind: ObstacleKind,
}

/// An obstacle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObstacleKind {
    /// A file that is not from us, with other bytes.
    Differs,
    /// A folder, where a file must be.
    Folder,
    /// A file or special file, where a folder must be.
    NotAFolder,
    /// A socket, pipe or device.
    Special,
    /// A symbolic link that leads out of the folder, or into a part of it that is not for files of a project.
    LinkLeadsOut,
    /// A symbolic link to something that does not exist.
    LinkToNothing,
    /// A symbolic link to a file that is another file of the project.
    SameFile,
    /// A file or folder whose name differs only in case from one that must be there.
    Twin,
    /// A file that is to be replaced or removed and is marked as read-only.
    ReadOnly,
    /// A lock that is not one of ours, or is damaged.
    BrokenLock,
    /// A lock in which version control has marked a conflict.
    ConflictedLock,
    /// A lock that a later version wrote.
    LaterLock,
    /// A list of patterns with a line that is none.
    NotPatterns,
    /// A symbolic link where `.adl` keeps its own files.
    Link,
    /// Something in the folder for half-finished files that is not from us.
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
