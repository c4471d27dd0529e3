/// What the user has decided about files that are not as we left them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanOptions {
    /// What happens to files that the user and we changed in the same place; without it such a file is an [`Action::Conflict`].
    ///
    /// [`Action::Conflict`]: super::Action::Conflict
    pub on_conflict: Option<OnConflict>,
    /// What happens to files that no lock knows.
    pub adopt: Adopt,
}

/// What happens to a file that the user and we changed in the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// The user's text stays.
    Keep,
    /// Ours is written; the user's text goes beside it, into a file whose name ends in `.orig`.
    Overwrite,
    /// A text with both sides between conflict markers is written.
    Markers,
}

/// What happens to files that differ and that no lock says to be ours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Adopt {
    /// They are in the way.
    #[default]
    No,
    /// They become part of the project: what another generator wrote is replaced, with a backup; what people write stays.
    Yes,
}
