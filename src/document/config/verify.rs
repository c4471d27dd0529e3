//! Verifies that an edit changed one entry only.

use serde_json::Value;

use super::{Config, EditError};

/// Compares a file with its changed text: it must have `expected` at `path`, and everything else must have the same values in the
/// same order. Tables above the entry that hold nothing else may come or go with it.
///
/// # Errors
/// If the changed text is invalid, or anything else differs.
pub fn verify(before: &Config, after: &str, path: &[&str], expected: Option<&Value>) -> Result<(), EditError> {
    let after = before.parse_again(after.to_owned())?;
    let (mut old, mut new) = (before.value().clone(), after.value().clone());
    take(&mut old, path);
    take(&mut new, path);
    // As text, because the order of keys counts.
    let [old, new] = [old, new].map(|value| value.to_string());
    if after.get(path) == expected && old == new { Ok(()) } else { Err(EditError::ElsewhereChanged) }
}

/// Removes an entry, and each table above it that is empty without it.
fn take(value: &mut Value, path: &[&str]) {
    let Some((key, below)) = path.split_first() else { return };
    let Value::Object(entries) = value else { return };
    let is_empty = entries.get_mut(*key).is_some_and(|child| {
        take(child, below);
        below.is_empty() || child.is_null() || child.as_object().is_some_and(serde_json::Map::is_empty)
    });
    if is_empty {
        entries.shift_remove(*key);
    }
}
