use std::convert::Infallible;

use super::super::hash::sha256;
use super::*;

/// A file of `owner` that was rendered as `base`, is `theirs` now and would be `ours`.
fn decide_with(owner: Owner, base: Option<&str>, theirs: &[u8], ours: &str, options: PlanOptions) -> Decision {
    let contents = Contents { bytes: ours.as_bytes().to_vec(), owner, executable: false };
    let entry = base.map(|base| Entry { owner, sha256: sha256(base.as_bytes()) });
    let rendered = plain(&contents.bytes);
    let case = Case {
        path: "main.go",
        ours: &contents,
        rendered: &rendered,
        hash: &sha256(&rendered),
        theirs,
        entry: entry.as_ref(),
        has_lock: base.is_some(),
        options,
    };
    let Ok(decision) = case.decide(|| Ok::<_, Infallible>(base.map(str::to_owned)));
    decision
}

fn decide(owner: Owner, base: Option<&str>, theirs: &str, ours: &str) -> Decision {
    decide_with(owner, base, theirs.as_bytes(), ours, PlanOptions::default())
}

fn stays(action: Action) -> Decision {
    Decision::Stay(action, Vec::new())
}

fn written(action: Action, text: &str) -> Decision {
    Decision::Write(action, text.as_bytes().to_vec(), Vec::new())
}

#[test]
fn a_file_of_ours_follows_unless_the_user_edits_it() {
    let decide = |base, theirs, ours| decide(Owner::Generated, base, theirs, ours);
    assert_eq!(decide(Some("a\n"), "a\n", "a\n"), stays(Action::Unchanged));
    assert_eq!(decide(Some("a\n"), "b\n", "b\n"), stays(Action::Unchanged));
    assert_eq!(decide(Some("a\n"), "a\n", "b\n"), written(Action::Update, "b\n"));
    assert_eq!(decide(Some("a\n"), "mine\n", "a\n"), stays(Action::Kept));
    assert_eq!(decide(Some("a\nb\nc\n"), "a\nb\nc\nmine\n", "A\nb\nc\n"), written(Action::Merge, "A\nb\nc\nmine\n"));
    let Decision::Stay(Action::Conflict, notes) = decide(Some("a\n"), "mine\n", "b\n") else { panic!("no conflict") };
    assert_eq!(notes[0].line, Some(1));
    assert_eq!(decide(None, "mine\n", "a\n"), Decision::InTheWay(ObstacleKind::Differs));
}

#[test]
fn a_seeded_file_is_never_touched() {
    let decide = |base, theirs, ours| decide(Owner::Seeded, base, theirs, ours);
    for theirs in ["a\n", "mine\n"] {
        let news = Action::SeedChanged { from: Some("a\n".to_owned()), to: "b\n".to_owned() };
        assert_eq!(decide(Some("a\n"), theirs, "b\n"), stays(news));
    }
    assert_eq!(decide(Some("a\n"), "mine\n", "a\n"), stays(Action::Kept));
    assert_eq!(decide(None, "mine\n", "a\n"), Decision::InTheWay(ObstacleKind::Differs));
}

#[test]
fn a_conflict_is_the_users_to_decide() {
    let decide = |on_conflict| {
        let options = PlanOptions { on_conflict: Some(on_conflict), adopt: Adopt::No };
        decide_with(Owner::Generated, Some("a\r\n".trim()), b"mine\r\n", "b\n", options)
    };
    assert!(matches!(decide(OnConflict::Keep), Decision::Stay(Action::Kept, notes) if notes.len() == 1));
    assert!(matches!(decide(OnConflict::Overwrite), Decision::Overwrite(text, _) if text == b"b\r\n"));
    let Decision::Write(Action::Mark, marked, _) = decide(OnConflict::Markers) else { panic!("no markers") };
    let marked = String::from_utf8(marked).unwrap();
    assert!(marked.starts_with("<<<<<<< yours\r\nmine\r\n") && marked.ends_with("b\r\n>>>>>>> adl\r\n"), "{marked:?}");
}

#[test]
fn a_marker_that_is_left_is_said_again() {
    let Decision::Stay(Action::Kept, notes) =
        decide(Owner::Generated, Some("a\n"), "x\n<<<<<<< yours\nb\n=======\na\n>>>>>>> adl\n", "a\n")
    else {
        panic!("not kept");
    };
    assert_eq!(notes[0].line, Some(2));
}

#[test]
fn line_endings_are_no_edit_and_stay() {
    let decide = |base, theirs: &str, ours| decide(Owner::Generated, base, theirs, ours);
    assert_eq!(decide(Some("a\nb\n"), "a\r\nb\r\n", "a\nb\n"), stays(Action::Unchanged));
    assert_eq!(decide(Some("a\nb\n"), "a\r\nb\r\n", "a\nc\n"), written(Action::Update, "a\r\nc\r\n"));
    assert_eq!(
        decide(Some("a\nb\nc\n"), "a\r\nb\r\nc\r\nd\r\n", "A\nb\nc\n"),
        written(Action::Merge, "A\r\nb\r\nc\r\nd\r\n")
    );
    assert_eq!(decide(Some("a\nb\n"), "a\nb\n", "a\r\nb\r\n"), stays(Action::Unchanged));
}

#[test]
fn what_is_no_text_is_not_merged() {
    for on_conflict in [None, Some(OnConflict::Markers)] {
        let options = PlanOptions { on_conflict, adopt: Adopt::No };
        let decision = decide_with(Owner::Generated, Some("a\n"), b"\xff\n", "b\n", options);
        assert!(matches!(decision, Decision::Stay(Action::Conflict, _)), "{decision:?}");
    }
    let options = PlanOptions { on_conflict: Some(OnConflict::Overwrite), adopt: Adopt::No };
    let decision = decide_with(Owner::Generated, Some("a\n"), b"\xff\n", "b\n", options);
    assert!(matches!(decision, Decision::Overwrite(..)), "{decision:?}");
}

#[test]
fn adoption_keeps_what_people_write_and_replaces_what_was_generated() {
    let adopt = |owner, theirs: &str| {
        let options = PlanOptions { on_conflict: None, adopt: Adopt::Yes };
        decide_with(owner, None, theirs.as_bytes(), "ours\n", options)
    };
    assert_eq!(adopt(Owner::Seeded, "mine\n"), stays(Action::Kept));
    let header = "#!/bin/sh\n# Code generated by ADL CLI v1.2.3. DO NOT EDIT.\nx\n";
    assert!(matches!(adopt(Owner::Generated, header), Decision::Overwrite(text, _) if text == b"ours\n"));
    for theirs in
        ["mine\n", "// Code generated by protoc-gen-go. DO NOT EDIT.\n", "// Code generated by badly. DO NOT EDIT.\n"]
    {
        assert!(matches!(adopt(Owner::Generated, theirs), Decision::Stay(Action::Conflict, _)), "{theirs}");
    }
    assert!(!is_generated(format!("\n\n\n\n\n{header}").as_bytes()));
}
