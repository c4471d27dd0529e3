//! Why something happens to a file.

use crate::ops::{Action, Change};

/// The reason, as half a sentence.
pub(super) fn reason(change: &Change) -> String {
    let plain = match &change.action {
        Action::Create => "it is not there yet",
        Action::Unchanged => "it says already what it should",
        Action::Update => "what is generated has changed, and you have not edited it",
        Action::Merge => "your text and what is generated are merged",
        Action::Kept => "your text stays",
        Action::Conflict => return format!("you have edited what has changed in what is generated{}", lines(change)),
        Action::Overwrite { backup } => return format!("your text goes to `{backup}`"),
        Action::Mark => return format!("both texts stand in it, between conflict markers{}", lines(change)),
        Action::Remove => "it is no longer part of the project, and you have not edited it",
        Action::Left => "it is no longer part of the project, but you have edited it: it is yours now",
        Action::Deleted => "you have deleted it, and it was yours",
        Action::SeedChanged { .. } => "it is yours; what would be seeded now is different",
        Action::Ignored => "`.adl-ignore` names it",
        Action::SetAside { backup } => return format!("another generator made it; it goes to `{backup}`"),
        Action::InTheWay(obstacle) => return obstacle.to_string(),
    };
    match &change.renamed_from {
        Some(before) => format!("{plain}; it is called `{before}` now"),
        None => plain.to_owned(),
    }
}

/// `, line 3` or `, lines 3, 7`; empty where no line is known.
pub(super) fn lines(change: &Change) -> String {
    let lines: Vec<_> = change.notes.iter().filter_map(|note| note.line).map(|line| line.to_string()).collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!(", line {line}"),
        lines => format!(", lines {}", lines.join(", ")),
    }
}
