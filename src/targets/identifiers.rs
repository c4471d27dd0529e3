//! Names in generated code: no two of a scope the same, and no file of a name that a system keeps for something else.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use crate::names::is_device;

/// The identifiers of one scope.
#[derive(Debug, Default)]
pub(super) struct Identifiers {
    taken: BTreeSet<String>,
}

impl Identifiers {
    /// A scope in which some names are taken already.
    pub(super) fn with_taken<'a>(taken: impl IntoIterator<Item = &'a str>) -> Self {
        Self { taken: taken.into_iter().map(str::to_owned).collect() }
    }

    /// `base`, which the language takes as it is, or `base` with a number where that is taken.
    pub(super) fn unique(&mut self, base: &str) -> String {
        let mut name = base.to_owned();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{base}{number}");
        }
        name
    }
}

/// The most letters of a tool's id that its file's name keeps; a digest of the whole ID replaces the rest.
const LONGEST_STEM: usize = 64;

/// The files of the tools, by their names without the extension.
#[derive(Debug)]
pub(super) struct ToolFiles {
    taken: BTreeSet<String>,
    is_special: fn(&str) -> bool,
}

impl ToolFiles {
    /// A folder in which some files are ours. `is_special` says into which names the language reads something.
    pub(super) fn new<'a>(taken: impl IntoIterator<Item = &'a str>, is_special: fn(&str) -> bool) -> Self {
        Self { taken: taken.into_iter().map(str::to_owned).collect(), is_special }
    }

    /// The file of a tool, without folder and extension: the tool's id in lower case, shortened where it is long, kept clear of
    /// names into which the language or a system reads something, and of the files that are ours.
    pub(super) fn stem(&mut self, id: &str) -> String {
        let mut stem = short(id.to_lowercase());
        if stem.starts_with('_') {
            stem.insert_str(0, "tool");
        }
        if (self.is_special)(&stem) || is_device(&stem) {
            stem.push_str("_tool");
        }
        while !self.taken.insert(stem.clone()) {
            stem.push_str("_tool");
        }
        stem
    }
}

/// The text itself, or its beginning and a digest that tells it from others with the same beginning.
fn short(text: String) -> String {
    if text.len() <= LONGEST_STEM {
        return text;
    }
    let digest = Sha256::digest(&text);
    let digest = digest.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
    format!("{}_{digest:016x}", text.chars().take(LONGEST_STEM).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::check_path;

    #[test]
    fn long_ids_are_shortened_and_stay_apart() {
        let files = || ToolFiles::new([], |_| false);
        let mut tools = files();
        let kept = "b".repeat(LONGEST_STEM);
        assert_eq!(tools.stem(&kept), kept);
        let made: Vec<_> = (0..3).map(|more| tools.stem(&format!("{}{more}", "a".repeat(240)))).collect();
        let file = made.first().unwrap();
        assert!(file.starts_with(&"a".repeat(LONGEST_STEM)) && file.len() < 100, "{file}");
        assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), made.len());
        assert!(made.iter().all(|file| check_path(&format!("tools/{file}.go")).is_ok()));
        assert_eq!(files().stem(&format!("{}0", "a".repeat(240))), *file, "the same in another project");
    }

    #[test]
    fn taken_names_get_a_number() {
        let mut names = Identifiers::with_taken(["Tool"]);
        assert_eq!(["Tool", "Tool", "X"].map(|name| names.unique(name)), ["Tool2", "Tool3", "X"]);
    }
}
