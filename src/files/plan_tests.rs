#![expect(clippy::disallowed_methods, reason = "these tests prepare folders")]

use std::fs;
use std::path::Path;

use super::super::archive;
use super::super::records::{ARCHIVE_PATH, ATTRIBUTES_PATH};
use super::super::sample::{
    NEVER, action, changeset, decided, not_told, old_base, put, snapshot, text, texts, tree, write,
};
use super::super::{
    Action, Adopt, Change, Control, FileTree, FilesError, ObstacleKind, OnConflict, Owner, PlanOptions, apply,
};
use super::plan;

const GENERATED: Owner = Owner::Generated;

/// The obstacles to writing `tree`.
fn obstacles(root: &Path, tree: FileTree) -> Vec<(String, ObstacleKind)> {
    let obstacles = changeset(root, tree).obstacles();
    obstacles.into_iter().map(|obstacle| (obstacle.path, obstacle.kind)).collect()
}

fn write_with(root: &Path, tree: FileTree, options: PlanOptions) -> Result<Vec<Change>, FilesError> {
    apply(&decided(root, tree, options), Control { interrupted: &NEVER, tell: &not_told })
}

fn actions(changes: &[Change]) -> Vec<(&str, &str)> {
    changes.iter().map(|change| (change.path.as_str(), change.action.name())).collect()
}

#[test]
fn recreates_deleted_generated_files_but_not_seeded_ones() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let files = || tree(&[("main.go", GENERATED, "a\n"), ("tools/a.go", Owner::Seeded, "b\n")]);
    write(root, files()).unwrap();
    fs::remove_file(root.join("main.go")).unwrap();
    fs::remove_dir_all(root.join("tools")).unwrap();
    let changes = write(root, files()).unwrap();
    assert_eq!(actions(&changes), [("main.go", "create"), ("tools/a.go", "deleted")]);
    assert!(root.join("main.go").exists() && !root.join("tools").exists());
    // Also if its template changed.
    write(root, tree(&[("main.go", GENERATED, "a\n"), ("tools/a.go", Owner::Seeded, "c\n")])).unwrap();
    assert!(!root.join("tools").exists());
}

#[test]
fn removes_obsolete_files_unless_edited() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let gone = ["a/b/ours.go", "a/edited.go", "c/seeded.go", "c/linked.go", "d/deleted.go"];
    let mut files: Vec<_> = gone.map(|path| (path, GENERATED, "text\n")).to_vec();
    files[2].1 = Owner::Seeded;
    files.push(("main.go", GENERATED, "a\n"));
    write(root, tree(&files)).unwrap();
    put(root, "a/edited.go", "text\nmine\n");
    fs::remove_file(root.join("d/deleted.go")).unwrap();
    #[cfg(unix)]
    {
        fs::rename(root.join("c/linked.go"), root.join("elsewhere.go")).unwrap();
        std::os::unix::fs::symlink("../elsewhere.go", root.join("c/linked.go")).unwrap();
    }
    let changes = write(root, tree(&[("main.go", GENERATED, "a\n")])).unwrap();
    let linked = if cfg!(unix) { "orphaned" } else { "remove" };
    assert_eq!(
        actions(&changes),
        [
            ("a/b/ours.go", "remove"),
            ("a/edited.go", "orphaned"),
            ("c/linked.go", linked),
            ("c/seeded.go", "remove"),
            ("main.go", "unchanged"),
        ]
    );
    assert!(!root.join("a/b").exists() && !root.join("c/seeded.go").exists());
    assert_eq!(text(root, "a/edited.go"), "text\nmine\n");
    assert!(root.join("d").exists(), "a folder that was empty before is the user's");
    let names: Vec<_> = snapshot(&root.join(".adl")).into_keys().collect();
    assert_eq!(names, ["", ".gitattributes", "base.tar.gz", "lock.json"]);
    assert_eq!(texts(root), [("main.go".to_owned(), "a\n".to_owned())]);
    // It belongs to the user now and is no longer reported.
    assert_eq!(actions(&write(root, tree(&[("main.go", GENERATED, "a\n")])).unwrap()), [("main.go", "unchanged")]);
}

#[test]
fn removes_obsolete_seeded_files_unless_edited() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let seeded = |text| tree(&[("main.go", GENERATED, "a\n"), ("tools/a.go", Owner::Seeded, text)]);
    for text in ["1\n", "2\n", "3\n"] {
        write(root, seeded(text)).unwrap();
    }
    assert_eq!(text(root, "tools/a.go"), "1\n");
    assert!(!changeset(root, seeded("3\n")).writes());
    let changes = write(root, tree(&[("main.go", GENERATED, "a\n")])).unwrap();
    assert_eq!(actions(&changes), [("main.go", "unchanged"), ("tools/a.go", "remove")]);
    assert!(!root.join("tools").exists());
}

#[test]
fn resolves_conflicts_with_files_that_rejoin_the_project() {
    let without = || tree(&[("main.go", GENERATED, "a\n")]);
    let with = || {
        let files = [("main.go", GENERATED, "a\n"), ("ours.go", GENERATED, "1\n"), ("tool.go", Owner::Seeded, "1\n")];
        tree(&files)
    };
    for (decision, action) in
        [(OnConflict::Keep, "kept"), (OnConflict::Overwrite, "overwrite"), (OnConflict::Markers, "markers")]
    {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        write(root, with()).unwrap();
        put(root, "ours.go", "mine\n");
        put(root, "tool.go", "mine\n");
        write(root, without()).unwrap();
        let differs = |path: &str| (path.to_owned(), ObstacleKind::Differs);
        assert_eq!(obstacles(root, with()), [differs("ours.go"), differs("tool.go")]);
        let options = PlanOptions { on_conflict: Some(decision), adopt: Adopt::No };
        let changes = write_with(root, with(), options).unwrap();
        assert_eq!(actions(&changes), [("main.go", "unchanged"), ("ours.go", action), ("tool.go", action)]);
        assert_eq!(changes[2].unresolved().is_some(), decision == OnConflict::Markers);
        let backup = if decision == OnConflict::Overwrite { ".orig" } else { "" };
        for path in ["ours.go", "tool.go"] {
            assert!(text(root, &format!("{path}{backup}")).contains("mine\n"), "{path}");
        }
        fs::remove_file(root.join(".adl/lock.json")).unwrap();
        put(root, "ours.go", "mine\n");
        assert!(write_with(root, with(), options).is_err(), "without a lock the folder is not known to be ours");
    }
}

#[test]
fn reports_unresolved_conflict_markers() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let files = |last: &str| tree(&[("a.go", GENERATED, format!("new\n2\n3\n4\n5\n{last}\n").as_str())]);
    write(root, tree(&[("a.go", GENERATED, "old\n2\n3\n4\n5\n6\n")])).unwrap();
    put(root, "a.go", "mine\n2\n3\n4\n5\n6\n");
    let options = PlanOptions { on_conflict: Some(OnConflict::Markers), adopt: Adopt::No };
    let changes = write_with(root, files("6"), options).unwrap();
    assert_eq!((changes[0].action.clone(), changes[0].unresolved()), (Action::Markers, Some(1)));
    for (last, action) in [("6", Action::Kept), ("7", Action::Merge), ("7", Action::Kept)] {
        let changes = write(root, files(last)).unwrap();
        assert_eq!((changes[0].action.clone(), changes[0].unresolved()), (action, Some(1)));
        assert_eq!(changes[0].notes.last().unwrap().text, "unresolved conflict");
    }
    put(root, "a.go", "new\n2\n3\n4\n5\n6\nmine\n");
    assert_eq!(write(root, files("7")).map(|changes| changes[0].unresolved()).ok(), Some(None));
}

#[test]
fn conflicts_block_all_writes_until_resolved() {
    let decided = |on_conflict| PlanOptions { on_conflict: Some(on_conflict), adopt: Adopt::No };
    let new = || tree(&[("a.go", GENERATED, "new\n"), ("b.go", GENERATED, "new\n")]);
    let scratch = tempfile::tempdir().unwrap();
    for (name, on_conflict) in
        [("keep", OnConflict::Keep), ("overwrite", OnConflict::Overwrite), ("markers", OnConflict::Markers)]
    {
        let root = &scratch.path().join(name);
        write(root, tree(&[("a.go", GENERATED, "old\n"), ("b.go", GENERATED, "old\n")])).unwrap();
        put(root, "a.go", "mine\n");
        put(root, "a.go.orig", "not to be lost\n");
        let before = snapshot(root);
        let Err(FilesError::Blocked { changes }) = write(root, new()) else { panic!("not blocked") };
        assert_eq!(actions(&changes), [("a.go", "conflict"), ("b.go", "update")]);
        assert_eq!(snapshot(root), before);

        let changes = write_with(root, new(), decided(on_conflict)).unwrap();
        assert_eq!(text(root, "b.go"), "new\n");
        let a = text(root, "a.go");
        match on_conflict {
            OnConflict::Keep => assert_eq!(a, "mine\n"),
            OnConflict::Overwrite => {
                assert_eq!(action(&changes, "a.go"), Some(Action::Overwrite { backup: "a.go.orig.2".to_owned() }));
                assert_eq!((a.as_str(), text(root, "a.go.orig.2").as_str()), ("new\n", "mine\n"));
            }
            OnConflict::Markers => assert!(a.contains("<<<<<<< yours\nmine\n") && a.contains("\nnew\n"), "{a}"),
        }
        assert_eq!(text(root, "a.go.orig"), "not to be lost\n");
        // The conflict is resolved, and later changes start from this state.
        assert!(!changeset(root, new()).writes());
    }
}

#[test]
fn a_lost_or_forged_base_turns_merges_into_conflicts() {
    let scratch = tempfile::tempdir().unwrap();
    let old = || tree(&[("edited.go", GENERATED, "a\nb\nc\n"), ("same.go", GENERATED, "a\n")]);
    let new = || tree(&[("edited.go", GENERATED, "A\nb\nc\n"), ("same.go", GENERATED, "b\n")]);
    let archive = |edited: &str| archive::write(&[("edited.go", edited.as_bytes())].into()).unwrap();
    let (whole, forged) = (archive("a\nb\nc\n"), archive("a\nb\nc\nmine\n"));
    let conflict = [("edited.go", "conflict"), ("same.go", "update")];
    let merge = [("edited.go", "merge"), ("same.go", "update")];
    for (name, bytes, expected) in [
        ("lost", None, conflict),
        ("no archive", Some(&b"<<<<<<< HEAD\n"[..]), conflict),
        ("half", Some(&whole[..whole.len() / 2]), conflict),
        ("forged", Some(&forged), conflict),
        ("of another branch", Some(&whole), merge),
    ] {
        let root = &scratch.path().join(name);
        write(root, old()).unwrap();
        put(root, "edited.go", "a\nb\nc\nmine\n");
        match bytes {
            Some(bytes) => put(root, ARCHIVE_PATH, bytes),
            None => fs::remove_file(root.join(ARCHIVE_PATH)).unwrap(),
        }
        assert_eq!(actions(changeset(root, new()).changes()), expected, "{name}");
        // Without a changed template there is no conflict, and the base is complete again.
        write(root, old()).unwrap();
        assert_eq!(actions(changeset(root, new()).changes()), merge);
    }
}

#[test]
fn migrates_the_base_of_an_older_version() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let files = |text: &str, same| tree(&[("a/edited.go", GENERATED, text), ("ignored.go", GENERATED, same)]);
    write(root, files("a\nb\nc\n", "a\n")).unwrap();
    let names = || snapshot(&root.join(".adl")).into_keys().collect::<Vec<_>>();
    let whole = names();
    old_base(root);
    assert!(root.join(".adl/base/a/edited.go.base").is_file() && !root.join(ARCHIVE_PATH).exists());
    put(root, "a/edited.go", "a\nb\nc\nmine\n");
    put(root, ".adl-ignore", "ignored.go\n");
    // Like a checkout on Windows.
    put(root, ".adl/base/a/edited.go.base", "a\r\nb\r\nc\r\n");
    write(root, files("A\nb\nc\n", "b\n")).unwrap();
    assert_eq!(text(root, "a/edited.go"), "A\nb\nc\nmine\n");
    let expected = [("a/edited.go", "A\nb\nc\n"), ("ignored.go", "a\n")];
    assert_eq!(texts(root), expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    assert_eq!(names(), whole);
    // A file that `adl env` keeps in the folder stays.
    put(root, ".adl/base/.env.base", "A=1\n");
    old_base(root);
    write(root, files("A\nb\nc\n", "b\n")).unwrap();
    assert_eq!(names(), ["", ".gitattributes", "base", "base.tar.gz", "base/.env.base", "lock.json"]);
}

#[test]
fn does_not_rewrite_an_equivalent_archive() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let files = || tree(&[("main.go", GENERATED, "a\n")]);
    write(root, files()).unwrap();
    let mut other = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::copy(&mut flate2::read::GzDecoder::new(&*fs::read(root.join(ARCHIVE_PATH)).unwrap()), &mut other).unwrap();
    put(root, ARCHIVE_PATH, other.finish().unwrap());
    assert!(!changeset(root, files()).writes());
}

#[test]
fn keeps_git_attributes_of_the_user() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let files = || tree(&[("main.go", GENERATED, "a\n")]);
    write(root, files()).unwrap();
    assert!(text(root, ATTRIBUTES_PATH).contains("\nbase.tar.gz binary linguist-generated\n"));
    put(root, ATTRIBUTES_PATH, "mine\n");
    assert!(!changeset(root, files()).writes());
    fs::remove_file(root.join(ATTRIBUTES_PATH)).unwrap();
    write(root, files()).unwrap();
    assert!(root.join(ATTRIBUTES_PATH).is_file());
}

#[test]
fn upgrades_a_version_1_lock() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    put(root, ".adl/lock.json", include_str!("../../tests/fixtures/lock/version-1.json"));
    for (path, bytes) in
        [("ours.go", "old\n"), ("edited.go", "old\nmine\n"), ("seeded.go", "old\nmine\n"), ("stale.go", "old\n")]
    {
        put(root, path, bytes);
    }
    let old = tree(&[
        ("ours.go", GENERATED, "old\n"),
        ("edited.go", GENERATED, "old\n"),
        ("seeded.go", Owner::Seeded, "old\n"),
    ]);
    let new = || {
        tree(&[
            ("ours.go", GENERATED, "new\n"),
            ("edited.go", GENERATED, "new\n"),
            ("seeded.go", Owner::Seeded, "new\n"),
        ])
    };
    let expected =
        [("edited.go", "conflict"), ("ours.go", "update"), ("seeded.go", "outdated"), ("stale.go", "remove")];
    assert_eq!(actions(changeset(root, new()).changes()), expected);
    write(root, old).unwrap();
    assert!(text(root, ".adl/lock.json").starts_with("{\n  \"schemaVersion\": 2,"));
    let expected = [("edited.go", "conflict"), ("ours.go", "update"), ("seeded.go", "outdated")];
    assert_eq!(actions(changeset(root, new()).changes()), expected);
    let seeded = changeset(root, new()).changes()[2].action.clone();
    assert_eq!(seeded, Action::SeedChanged { from: Some("old\n".to_owned()), to: "new\n".to_owned() });
}

#[test]
fn reports_invalid_and_later_locks() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let files = || tree(&[("main.go", GENERATED, "a\n")]);
    write(root, files()).unwrap();
    put(root, "main.go", "mine\n");
    for (bytes, kind) in [
        ("", ObstacleKind::BrokenLock),
        ("{\n<<<<<<< HEAD\n", ObstacleKind::ConflictedLock),
        ("{\"schemaVersion\": 3}", ObstacleKind::LaterLock),
    ] {
        put(root, ".adl/lock.json", bytes);
        assert_eq!(obstacles(root, files()), [(".adl/lock.json".to_owned(), kind)]);
        assert!(write(root, files()).is_err());
    }
}

#[test]
fn preserves_line_endings() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    write(root, tree(&[("a.go", GENERATED, "a\nb\n"), ("b.go", GENERATED, "a\nb\nc\n")])).unwrap();
    // Like a checkout on Windows.
    for path in ["a.go", ATTRIBUTES_PATH, ".adl/lock.json"] {
        put(root, path, text(root, path).replace('\n', "\r\n"));
    }
    put(root, "b.go", "a\r\nb\r\nc\r\nmine\r\n");
    assert!(!changeset(root, tree(&[("a.go", GENERATED, "a\nb\n"), ("b.go", GENERATED, "a\nb\nc\n")])).writes());
    write(root, tree(&[("a.go", GENERATED, "a\nB\n"), ("b.go", GENERATED, "A\nb\nc\n")])).unwrap();
    assert_eq!(text(root, "a.go"), "a\r\nB\r\n");
    assert_eq!(text(root, "b.go"), "A\r\nb\r\nc\r\nmine\r\n");
    assert!(!text(root, ".adl/lock.json").replace("\r\n", "").contains('\n'));
}

#[test]
fn does_not_touch_ignored_files() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let files = |text| tree(&[("a.go", GENERATED, text), ("tools/b.go", GENERATED, text), ("c.go", GENERATED, text)]);
    write(root, files("old\n")).unwrap();
    put(root, ".adl-ignore", "# mine\n/a.go\ntools/\n!tools/b.go\nnew.go\n");
    put(root, "tools/b.go", "mine\n");
    let changes = write(
        root,
        tree(&[("a.go", GENERATED, "new\n"), ("new.go", GENERATED, "new\n"), ("c.go", GENERATED, "new\n")]),
    )
    .unwrap();
    assert_eq!(
        actions(&changes),
        [("a.go", "ignored"), ("c.go", "update"), ("new.go", "ignored"), ("tools/b.go", "ignored")]
    );
    assert_eq!(changes[2].notes.len(), 1);
    assert!(changes[0].notes.is_empty());
    assert_eq!((text(root, "a.go").as_str(), root.join("new.go").exists()), ("old\n", false));
    // Without the pattern, its entry in the lock is used again.
    fs::remove_file(root.join(".adl-ignore")).unwrap();
    let changes = write(root, files("new\n"));
    let Err(FilesError::Blocked { changes }) = changes else { panic!("not blocked") };
    assert_eq!(actions(&changes), [("a.go", "update"), ("c.go", "unchanged"), ("tools/b.go", "conflict")]);

    put(root, ".adl-ignore", "[z-a]\n");
    assert_eq!(obstacles(root, files("new\n")), [(".adl-ignore".to_owned(), ObstacleKind::NotPatterns)]);
}

#[test]
fn adopts_a_project_of_another_generator() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let header = "// Code generated by ADL CLI v0.9.0. DO NOT EDIT.\n";
    for (path, bytes) in [
        ("main.go", format!("{header}theirs\n")),
        ("server.go", format!("{header}gone\n")),
        ("nested/agent.yaml", "kind: Agent\n".to_owned()),
        ("nested/main.go", format!("{header}another project\n")),
        ("tools/a.go", "mine\n".to_owned()),
        ("config.go", "no header\n".to_owned()),
        ("kept.go", format!("{header}ignored\n")),
        (".adl-ignore", "kept.go\n".to_owned()),
        ("notes.txt", "mine\n".to_owned()),
    ] {
        put(root, path, bytes);
    }
    let files = || {
        tree(&[
            ("main.go", GENERATED, "ours\n"),
            ("tools/a.go", Owner::Seeded, "seed\n"),
            ("config.go", GENERATED, "ours\n"),
            ("new.go", GENERATED, "ours\n"),
        ])
    };
    let before = snapshot(root);
    let named = |path: &str| (path.to_owned(), ObstacleKind::Differs);
    assert_eq!(obstacles(root, files()), ["config.go", "main.go", "tools/a.go"].map(named));
    let adopt = |on_conflict| PlanOptions { on_conflict, adopt: Adopt::Yes };
    let planned = plan(&decided(root, files(), adopt(None))).unwrap();
    assert_eq!(
        actions(planned.changes()),
        [
            ("config.go", "conflict"),
            ("main.go", "overwrite"),
            ("new.go", "create"),
            ("server.go", "set-aside"),
            ("tools/a.go", "kept"),
        ]
    );
    assert_eq!(snapshot(root), before);
    write_with(root, files(), adopt(Some(OnConflict::Keep))).unwrap();
    assert_eq!(text(root, "main.go"), "ours\n");
    assert_eq!(text(root, "main.go.orig"), format!("{header}theirs\n"));
    assert_eq!((root.join("server.go").exists(), text(root, "server.go.orig")), (false, format!("{header}gone\n")));
    assert_eq!((text(root, "tools/a.go"), text(root, "config.go")), ("mine\n".to_owned(), "no header\n".to_owned()));
    assert!(text(root, "nested/main.go").contains("another project") && text(root, "kept.go").contains("ignored"));
    assert!(!changeset(root, files()).writes());
}

#[test]
fn adds_entries_to_existing_shared_files() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    put(root, ".gitignore", "/mine\r\n");
    put(root, "README.md", "# Mine");
    put(root, "go.mod", "module example.com/agent\n");
    let part = "<!-- adl:begin about -->\nours\n<!-- adl:end about -->\n";
    let files = |module: &str| {
        tree(&[
            (".gitignore", Owner::Shared, "/agent\n"),
            ("README.md", Owner::Shared, part),
            ("go.mod", Owner::Shared, &format!("module {module}\n\nrequire example.com/a v1.0.0\n")),
            ("main.go", GENERATED, "ours\n"),
        ])
    };
    // A line of the user's would change.
    let differs = |path: &str| (path.to_owned(), ObstacleKind::Differs);
    assert_eq!(obstacles(root, files("example.com/other")), [differs("go.mod")]);
    put(root, "main.go", "mine\n");
    assert_eq!(obstacles(root, files("example.com/agent")), [differs("main.go")]);
    fs::remove_file(root.join("main.go")).unwrap();
    let changes = write(root, files("example.com/agent")).unwrap();
    let merged = [(".gitignore", "merge"), ("README.md", "merge"), ("go.mod", "merge"), ("main.go", "create")];
    assert_eq!(actions(&changes), merged);
    assert_eq!(changes[0].notes[0].text, "the file existed before; entries of adl are added");
    assert_eq!(text(root, ".gitignore"), "/mine\r\n/agent\r\n");
    assert_eq!(text(root, "README.md"), format!("# Mine\n\n{part}"));
    assert_eq!(text(root, "go.mod"), "module example.com/agent\n\nrequire example.com/a v1.0.0\n");
    assert!(!changeset(root, files("example.com/agent")).writes());
    // Entries that the user removed are not added again, even if the base is lost.
    put(root, "README.md", "# Mine\n");
    fs::remove_file(root.join(ARCHIVE_PATH)).unwrap();
    write(root, files("example.com/agent")).unwrap();
    assert_eq!(text(root, "README.md"), "# Mine\n");
}

#[test]
fn rejects_output_folders_inside_adl_or_git() {
    let scratch = tempfile::tempdir().unwrap();
    for path in ["x/.adl", "x/.ADL/deep", "x/.git", "x/.git/agent"] {
        for _ in ["missing", "there"] {
            let root = scratch.path().join(path);
            let error = write(&root, tree(&[("main.go", GENERATED, "a\n")])).unwrap_err();
            assert!(matches!(error, FilesError::Folder { .. }), "{path}: {error:?}");
            fs::create_dir_all(&root).unwrap();
        }
    }
    #[cfg(unix)]
    {
        let root = scratch.path().join("link");
        std::os::unix::fs::symlink("x/.git/agent", &root).unwrap();
        assert!(plan(&decided(&root, tree(&[]), PlanOptions::default())).is_err());
    }
}

/// Assumes a case-sensitive file system; on others, both names always refer to the same file.
#[test]
fn renames_by_case_keep_the_users_edits() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let old = [
        ("Tools/Clock.go", GENERATED, "a\nb\nc\n"),
        ("Tools/same.go", GENERATED, "a\n"),
        ("Seed.go", Owner::Seeded, "a\n"),
    ];
    write(root, tree(&old)).unwrap();
    put(root, "Tools/Clock.go", "a\nb\nc\nmine\n");
    put(root, "Seed.go", "mine\n");
    let new = || {
        tree(&[
            ("tools/clock.go", GENERATED, "A\nb\nc\n"),
            ("tools/same.go", GENERATED, "a\n"),
            ("seed.go", Owner::Seeded, "a\n"),
        ])
    };
    let changes = write(root, new()).unwrap();
    assert_eq!(actions(&changes), [("seed.go", "kept"), ("tools/clock.go", "merge"), ("tools/same.go", "unchanged")]);
    assert_eq!(changes[1].renamed_from.as_deref(), Some("Tools/Clock.go"));
    let names: Vec<_> = snapshot(root).into_keys().filter(|name| !name.starts_with(".adl")).collect();
    assert_eq!(names, ["", "seed.go", "tools", "tools/clock.go", "tools/same.go"]);
    assert_eq!(
        (text(root, "tools/clock.go"), text(root, "seed.go")),
        ("A\nb\nc\nmine\n".to_owned(), "mine\n".to_owned())
    );
    assert!(!changeset(root, new()).writes());
}

#[test]
fn reports_files_that_differ_only_in_case_as_obstacles() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    put(root, "readme.md", "mine\n");
    put(root, "Tools/mine.go", "mine\n");
    let files = tree(&[("README.md", Owner::Shared, "ours\n"), ("tools/a.go", GENERATED, "ours\n")]);
    let named = |path: &str| (path.to_owned(), ObstacleKind::Twin);
    assert_eq!(obstacles(root, files), ["Tools", "readme.md"].map(named));
}

#[cfg(unix)]
#[path = "link_tests.rs"]
mod links;
