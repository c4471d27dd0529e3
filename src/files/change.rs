use super::{Action, Obstacle, Owner};

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
    pub(super) fn in_the_way(path: &str, owner: Owner, obstacle: Obstacle) -> Self {
        Self::new(path, owner, Action::InTheWay(obstacle), None)
    }

    /// The line, from 1, of the first of our conflicts in what would be there that nobody has resolved.
    pub fn unresolved(&self) -> Option<usize> {
        let may_be_marked = match self.action {
            Action::Mark => true,
            // In what is the user's alone such a line is the user's too.
            Action::Kept | Action::Merge => self.owner != Owner::Seeded,
            Action::Create
            | Action::Unchanged
            | Action::Update
            | Action::Conflict
            | Action::Overwrite { .. }
            | Action::Remove
            | Action::Left
            | Action::Deleted
            | Action::SeedChanged { .. }
            | Action::Ignored
            | Action::SetAside { .. }
            | Action::InTheWay(_) => false,
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

/// What is in the way of `changes`, each once, by path.
pub fn obstacles(changes: &[Change]) -> Vec<Obstacle> {
    let mut obstacles: Vec<Obstacle> = changes
        .iter()
        .filter_map(
            |change| if let Action::InTheWay(obstacle) = &change.action { Some(obstacle.clone()) } else { None },
        )
        .collect();
    obstacles.sort();
    obstacles.dedup();
    obstacles
}
