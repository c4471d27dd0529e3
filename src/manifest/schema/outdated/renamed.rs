//! Blocks and fields that were renamed or moved.

use crate::document::View;
use crate::document::edit::{Editor, Place};

use super::Upgrade;

pub(super) fn dependencies(editor: Editor<'_>, spec: View<'_>, dependencies: View<'_>) -> Upgrade {
    if spec.get("services").is_some() || !dependencies.is_mapping() {
        return None;
    }
    Some(("rename it to `services`".to_owned(), editor.rename("/spec/dependencies", "services")?))
}

pub(super) fn go_version(editor: Editor<'_>, spec: View<'_>, old: View<'_>) -> Upgrade {
    let at = "/spec/language/go/goVersion";
    match spec.get("language")?.get("go")?.get("version") {
        None => Some(("rename it to `version`".to_owned(), editor.rename(at, "version")?)),
        Some(version) if version.value() == old.value() => {
            Some(("remove it; `version` has the same value".to_owned(), editor.remove(at)?))
        }
        Some(_) => None,
    }
}

pub(super) fn acronyms(editor: Editor<'_>, spec: View<'_>, old: View<'_>) -> Upgrade {
    let at = "/spec/language/acronyms";
    match spec.get("acronyms") {
        None => {
            let edits = editor.move_entry(at, "/spec", Place::After("language"))?;
            Some(("move it to `spec.acronyms`".to_owned(), edits))
        }
        Some(current) => {
            let is_listed = |word: View<'_>| current.items().any(|known| known.value() == word.value());
            let repeats = old.is_sequence() && old.items().all(is_listed);
            let edits = repeats.then(|| editor.remove(at))??;
            Some(("remove it; `spec.acronyms` contains the same words".to_owned(), edits))
        }
    }
}
