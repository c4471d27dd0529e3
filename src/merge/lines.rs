//! Merges sets of lines (`.gitignore`, `.dockerignore`).
//!
//! A new generated line is inserted after its predecessor, and an obsolete one is removed. The user's lines keep their
//! order. Lines that the user removed or commented out are not added again.

use super::entries::List;
use super::{Merged, Versions};

pub(super) fn merge(versions: &Versions<'_>) -> Merged {
    let base = list(versions.base.unwrap_or_default());
    let ours = list(versions.ours);
    let mut result = list(versions.theirs);
    let commented_out: Vec<_> = versions.own_lines().filter_map(commented_out).collect();

    result.update_leads(&base, &ours);
    for gone in base.entries.iter().filter(|entry| ours.get(&entry.name).is_none()) {
        while let Some(place) = result.position(&gone.name) {
            result.remove(place, &gone.lead);
        }
    }
    for (index, new) in ours.entries.iter().enumerate() {
        let decided = base.get(&new.name).is_some() || commented_out.contains(&new.name.as_str());
        if !decided && result.position(&new.name).is_none() {
            result.insert(&ours, index);
        }
    }
    Merged::clean(result.into_text())
}

/// The line that a comment contains.
fn commented_out(line: &str) -> Option<&str> {
    Some(line.trim().strip_prefix('#')?.trim_start_matches('#').trim())
}

fn list(text: &str) -> List {
    let mut list = List::default();
    for line in text.split_inclusive('\n') {
        let name = line.trim_end();
        if name.trim_start().is_empty() || name.starts_with('#') {
            list.tail.push_str(line);
        } else {
            list.push(name, line);
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BASE: &str = "# adl\n\n# Binaries\n/agent\n/bin/\n\n# Settings\n.env\n!.env.example\n";

    fn merged(base: Option<&str>, theirs: &str, ours: &str) -> String {
        let Merged::Clean { text, .. } = merge(&Versions { base, theirs, ours }) else { panic!("a conflict") };
        text
    }

    #[test]
    fn updates_generated_lines_and_keeps_the_users() {
        let ours = BASE.replace("/agent\n", "/assistant\n").replace("!.env.example\n", "!.env.example\n.cache\n");
        let theirs = format!("mine\n{BASE}\n# Mine\n*.log");
        let expected = format!("mine\n{ours}\n# Mine\n*.log");
        assert_eq!(merged(Some(BASE), &theirs, &ours), expected);
    }

    #[test]
    fn does_not_restore_removed_or_commented_lines() {
        let ours = BASE.replace("/agent\n", "/assistant\n");
        let theirs = BASE.replace("/bin/\n", "").replace(".env\n", "# .env\n");
        assert_eq!(merged(Some(BASE), &theirs, &ours), theirs.replace("/agent", "/assistant"));
        assert_eq!(
            merged(None, "#/agent\n# .env\n# !.env.example\n/bin/\n", BASE),
            "#/agent\n# .env\n# !.env.example\n/bin/\n"
        );
    }

    #[test]
    fn adds_missing_lines_without_a_base() {
        assert_eq!(
            merged(None, "/bin/\n*.log\n", BASE),
            "# adl\n\n# Binaries\n/agent\n/bin/\n*.log\n\n# Settings\n.env\n!.env.example\n"
        );
        assert_eq!(merged(None, "", BASE), BASE);
    }

    proptest! {
        #[test]
        fn keeps_all_lines_of_the_user_and_is_idempotent(
            base in "([ab!#]?[cde]\n|\n){0,6}",
            ours in "([ab!#]?[cde]\n|\n){0,6}",
            theirs in "([ab!#]?[cde]\n|\n|#?[xyz]\n){0,8}",
            known in any::<bool>(),
        ) {
            let base = known.then_some(base.as_str());
            let text = merged(base, &theirs, &ours);
            let own = |text: &str| text.lines().filter(|line| line.contains(['x', 'y', 'z'])).map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(own(&theirs), own(&text));
            // Comments are not compared, because the user may have written the same comment that is generated later.
            let entries = |text: &str| list(text).entries.into_iter().map(|entry| entry.name).collect::<Vec<_>>();
            prop_assert_eq!(entries(&merged(base, &text, &ours)), entries(&text));
        }
    }
}
