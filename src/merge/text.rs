//! Merges line by line, like version control.

use similar::{ChangeTag, ConflictStyle, DiffTag, MergeRegion, TextDiff, TextMerge};

use super::{Conflict, Merged, Versions};

/// The labels of conflict markers.
const YOURS: &str = "yours";
const BEFORE: &str = "written before";
const OURS: &str = "adl";

/// Merges three texts. A missing line break at the end of the user's text is added first, so that it does not count as
/// an edit.
pub(super) fn merge(versions: &Versions<'_>) -> Merged {
    let theirs = ended(versions.theirs);
    let ours = versions.ours;
    let Some(base) = versions.base else { return without_base(&theirs, ours) };
    let mut merge = TextMerge::from_lines(base, theirs.as_str(), ours);
    merge.conflict_style(ConflictStyle::Diff3).labels(BEFORE, YOURS, OURS);
    let conflicts: Vec<_> = merge.conflicts().map(conflict).collect();
    if conflicts.is_empty() {
        Merged::clean(merge.to_string())
    } else {
        Merged::Conflict { conflicts, marked: merge.to_string() }
    }
}

fn ended(text: &str) -> String {
    let missing = !text.is_empty() && !text.ends_with('\n');
    format!("{text}{}", if missing { "\n" } else { "" })
}

fn conflict(region: &MergeRegion) -> Conflict {
    let (base, theirs, ours) = (region.base_range(), region.ours_range(), region.theirs_range());
    let text = if base.is_empty() {
        "you and adl both add lines here"
    } else if theirs.is_empty() {
        "you removed lines that adl changes"
    } else if ours.is_empty() {
        "you changed lines that adl removes"
    } else {
        "you and adl both changed these lines"
    };
    Conflict { line: theirs.start + 1, text: text.to_owned() }
}

/// Marks all differences as conflicts, because without a base it is unknown which side made them.
fn without_base(theirs: &str, ours: &str) -> Merged {
    if theirs == ours {
        return Merged::clean(ours);
    }
    let diff = TextDiff::from_lines(theirs, ours);
    let (mut marked, mut first) = (String::new(), None);
    for op in diff.ops() {
        let side = |wanted| {
            let changes = diff.iter_changes(op).filter(move |change| change.tag() == wanted);
            changes.map(|change| change.value()).collect::<String>()
        };
        if op.tag() == DiffTag::Equal {
            marked.push_str(&side(ChangeTag::Equal));
        } else {
            first.get_or_insert(op.old_range().start);
            let (yours, mine) = (side(ChangeTag::Delete), side(ChangeTag::Insert));
            marked.extend(["<<<<<<< ", YOURS, "\n", &yours, "=======\n", &mine, ">>>>>>> ", OURS, "\n"]);
        }
    }
    let text = "the text that adl wrote last is missing, so your changes cannot be merged";
    Merged::Conflict { conflicts: vec![Conflict { line: first.unwrap_or(0) + 1, text: text.to_owned() }], marked }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn merged(base: Option<&str>, theirs: &str, ours: &str) -> Merged {
        merge(&Versions { base, theirs, ours })
    }

    #[test]
    fn merges_changes_in_different_places() {
        let merged = merged(Some("a\nb\nc\nd\n"), "a\nb\nc\nD\nmine\n", "A\nb\nc\nd\n");
        assert_eq!(merged, Merged::clean("A\nb\nc\nD\nmine\n"));
    }

    #[test]
    fn shows_all_three_versions_of_a_conflict() {
        let Merged::Conflict { conflicts, marked } = merged(Some("a\nb\nc\n"), "a\nyours\nc\n", "a\nours\nc\n") else {
            panic!("no conflict");
        };
        assert_eq!(conflicts, [Conflict { line: 2, text: "you and adl both changed these lines".to_owned() }]);
        assert_eq!(marked, "a\n<<<<<<< yours\nyours\n||||||| written before\nb\n=======\nours\n>>>>>>> adl\nc\n");
    }

    #[test]
    fn describes_the_kind_of_conflict() {
        for (base, theirs, ours, line, text) in [
            ("a\nb\nc\n", "a\nc\n", "a\nB\nc\n", 2, "you removed lines that adl changes"),
            ("a\nb\nc\n", "a\nB\nc\n", "a\nc\n", 2, "you changed lines that adl removes"),
            ("a\n", "a\nx\n", "a\ny\n", 2, "you and adl both add lines here"),
        ] {
            let Merged::Conflict { conflicts, .. } = merged(Some(base), theirs, ours) else { panic!("no conflict") };
            assert_eq!(conflicts, [Conflict { line, text: text.to_owned() }]);
        }
    }

    #[test]
    fn marks_every_difference_without_a_base() {
        let Merged::Conflict { conflicts, marked } = merged(None, "a\nb\nc\nmine\n", "a\nB\nc\n") else {
            panic!("no conflict");
        };
        assert_eq!(conflicts.len(), 1);
        assert_eq!(conflicts[0].line, 2);
        assert_eq!(
            marked,
            "a\n<<<<<<< yours\nb\n=======\nB\n>>>>>>> adl\nc\n<<<<<<< yours\nmine\n=======\n>>>>>>> adl\n"
        );
    }

    #[test]
    fn ignores_a_missing_final_line_break() {
        assert_eq!(merged(Some("a\nb\n"), "x\na\nb", "a\nb\nc\n"), Merged::clean("x\na\nb\nc\n"));
        assert_eq!(merged(None, "a\nb", "a\nb\n"), Merged::clean("a\nb\n"));
    }

    proptest! {
        #[test]
        fn keeps_all_lines_of_the_user(
            base in "([abc]\n){0,6}",
            theirs in "([abcXYZ]\n){0,8}",
            ours in "([abcd]\n){0,6}",
            known in any::<bool>(),
        ) {
            let (Merged::Clean { text, .. } | Merged::Conflict { marked: text, .. }) =
                merged(known.then_some(base.as_str()), &theirs, &ours);
            let own = |text: &str| text.lines().filter(|line| ["X", "Y", "Z"].contains(line)).map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(own(&theirs), own(&text));
        }
    }
}
