#![expect(clippy::disallowed_methods, reason = "these tests prepare folders")]

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::path::Path;

use super::super::sample::{
    action, changeset, eventful, next_project, not_told, old_base, project, put, snapshot, target, text, tree, write,
};
use super::super::{Action, Obstacle, ObstacleKind, obstacles};
use super::*;

fn times(root: &Path) -> Vec<std::time::SystemTime> {
    let entries = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
    entries.map(|entry| entry.metadata().unwrap().modified().unwrap()).collect()
}

#[test]
fn writes_everything_and_nothing_else() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().join("a folder/out");
    let changes = write(&root, project()).unwrap();
    assert_eq!(changes.len(), 5);
    assert!(changes.iter().all(|change| change.action == Action::Create));
    assert_eq!(text(&root, "internal/mcp/client.go"), "package mcp\n");
    let names: Vec<_> = snapshot(&root).into_keys().collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "",
            ".adl",
            ".adl/.gitattributes",
            ".adl/base.tar.gz",
            ".adl/lock.json",
            ".env.example",
            "internal",
            "internal/mcp",
            "internal/mcp/client.go",
            "main.go",
            "run.sh",
            "tools",
            "tools/weather.go"
        ]
    );
}

#[cfg(unix)]
#[test]
fn sets_and_preserves_file_modes() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    write(root, project()).unwrap();
    let metadata = |path: &str| fs::metadata(root.join(path)).unwrap();
    assert_eq!(metadata("run.sh").mode() & 0o100, 0o100);
    assert_eq!(metadata("main.go").mode() & 0o111, 0);
    assert_eq!(metadata("main.go").nlink(), 1);

    fs::set_permissions(root.join("main.go"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o744)).unwrap();
    write(root, next_project()).unwrap();
    assert_eq!((metadata("main.go").mode() & 0o777, metadata("run.sh").mode() & 0o777), (0o640, 0o744));

    fs::set_permissions(root.join("main.go"), fs::Permissions::from_mode(0o440)).unwrap();
    let before = snapshot(root);
    let obstacles = changeset(root, project()).obstacles();
    assert_eq!(obstacles, [Obstacle { path: "main.go".to_owned(), kind: ObstacleKind::ReadOnly }]);
    assert!(write(root, project()).is_err());
    assert_eq!(snapshot(root), before);
}

#[test]
fn a_second_run_writes_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    write(root, project()).unwrap();
    put(root, "main.go", "package main\n\n// mine\n");
    put(root, "tools/weather.go", "package tools\n\n// mine\n");
    put(root, ".env.example", "PORT=1\nMINE=2\n");
    let before = times(root);
    let changeset = changeset(root, project());
    assert!(!changeset.writes());
    let changes = write(root, project()).unwrap();
    assert!(changes.iter().all(|change| matches!(change.action, Action::Unchanged | Action::Kept)), "{changes:?}");
    assert_eq!(times(root), before);
}

#[test]
fn writes_nothing_if_there_are_obstacles() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    put(root, "main.go", "the user's");
    fs::create_dir(root.join("run.sh")).unwrap();
    put(root, "internal", "a file");
    put(root, "tools", "a file");
    let before = snapshot(root);
    let changeset = changeset(root, project());
    let expected = [
        ("internal", ObstacleKind::NotAFolder),
        ("main.go", ObstacleKind::Differs),
        ("run.sh", ObstacleKind::Folder),
        ("tools", ObstacleKind::NotAFolder),
    ]
    .map(|(path, kind)| Obstacle { path: path.to_owned(), kind });
    assert_eq!(changeset.obstacles(), expected);
    let Err(FilesError::Blocked { changes }) = write(root, project()) else { panic!("not blocked") };
    assert_eq!(obstacles(&changes), expected);
    assert_eq!(snapshot(root), before);
}

#[cfg(unix)]
#[test]
fn the_folder_itself_may_be_a_link() {
    let scratch = tempfile::tempdir().unwrap();
    fs::create_dir(scratch.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", scratch.path().join("link")).unwrap();
    write(&scratch.path().join("link"), project()).unwrap();
    assert!(scratch.path().join("real/main.go").is_file());
}

#[test]
fn waits_for_another_run_and_gives_up() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let folder = File::open(root).unwrap();
    folder.try_lock().unwrap();
    let told = RefCell::new(Vec::new());
    let tell = |event: &Event| told.borrow_mut().push(event.clone());
    let apply = |patience| apply_guarded(&target(root, project()), &|| Ok(()), &tell, patience);
    let result = apply(Duration::from_millis(60));
    assert!(matches!(result, Err(FilesError::Busy { .. })), "{result:?}");
    assert_eq!(told.take(), [Event::Waiting]);
    assert_eq!(snapshot(root).len(), 1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(120));
            folder.unlock().unwrap();
        });
        apply(PATIENCE).unwrap();
    });
    assert_eq!(told.take(), [Event::Waiting]);
    assert!(root.join("main.go").is_file());
}

/// Saves `path` at each step in turn, and checks that the saved text is on the disk afterwards.
fn keeps_what_is_saved_at_any_step(path: &str) {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    for step in 1.. {
        write(root, project()).unwrap();
        let passed = Cell::new(0);
        let guard = || {
            passed.set(passed.get() + 1);
            if passed.get() == step {
                put(root, path, "saved");
            }
            Ok(())
        };
        let result = apply_guarded(&target(root, next_project()), &guard, &|_| (), PATIENCE);
        if passed.get() < step {
            return;
        }
        let texts = [path.to_owned(), format!("{path}.orig")].map(|path| fs::read_to_string(root.join(path)));
        let is_kept = texts.iter().any(|text| text.as_ref().is_ok_and(|text| text == "saved"));
        assert!(is_kept, "step {step}: {result:?} {texts:?}");
        fs::remove_dir_all(root).unwrap();
    }
}

#[test]
fn fails_if_adl_ignore_changes_during_the_run() {
    for is_there in [false, true] {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        write(root, project()).unwrap();
        if is_there {
            put(root, ".adl-ignore", "nothing\n");
        }
        let passed = Cell::new(0);
        let guard = || {
            if passed.replace(passed.get() + 1) == 20 {
                put(root, ".adl-ignore", "main.go\n");
            }
            Ok(())
        };
        let before = snapshot(root);
        let result = apply_guarded(&target(root, next_project()), &guard, &not_told, PATIENCE);
        assert!(matches!(&result, Err(FilesError::Changed { path }) if path == ".adl-ignore"), "{result:?}");
        let mut after = snapshot(root);
        assert_eq!(after.remove(".adl-ignore").unwrap(), b"main.go\n");
        assert!(after.iter().all(|(path, bytes)| before.get(path) == Some(bytes)));
    }
}

#[test]
fn reports_files_kept_by_a_rollback() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    write(root, project()).unwrap();
    let guard = || {
        if fs::read_to_string(root.join("run.sh")).is_ok_and(|text| text.contains("news")) {
            put(root, "run.sh", "saved");
            return Err(FilesError::Interrupted);
        }
        Ok(())
    };
    let told = RefCell::new(Vec::new());
    let tell = |event: &Event| told.borrow_mut().push(event.clone());
    let result = apply_guarded(&target(root, next_project()), &guard, &tell, PATIENCE);
    assert!(matches!(result, Err(FilesError::Interrupted)), "{result:?}");
    let kept = Kept { path: "run.sh".to_owned(), backup: Some("run.sh.orig".to_owned()) };
    assert_eq!(told.take(), [Event::Kept(vec![kept])]);
    assert_eq!(
        (text(root, "run.sh").as_str(), text(root, "run.sh.orig").as_str()),
        ("saved", "#!/bin/sh\nexec agent\n")
    );
}

#[test]
fn explains_mount_points() {
    let error = explained(io::ErrorKind::CrossesDevices.into());
    assert!(error.kind() == io::ErrorKind::CrossesDevices && error.to_string().contains("mount"), "{error}");
    assert_eq!(explained(io::ErrorKind::StorageFull.into()).kind(), io::ErrorKind::StorageFull);
}

#[test]
fn keeps_a_file_saved_during_the_run() {
    keeps_what_is_saved_at_any_step("main.go");
}

#[test]
fn keeps_a_file_created_during_the_run() {
    keeps_what_is_saved_at_any_step("tools/clock.go");
}

#[test]
fn keeps_a_file_saved_before_its_removal() {
    keeps_what_is_saved_at_any_step("internal/mcp/client.go");
}

/// Fails every step after the first `steps` ones.
fn apply_failing_after(target: &Target, steps: usize) -> Result<Vec<Change>, FilesError> {
    let passed = Cell::new(0);
    let guard = || {
        passed.set(passed.get() + 1);
        if passed.get() > steps { Err(FilesError::Interrupted) } else { Ok(()) }
    };
    apply_guarded(target, &guard, &not_told, PATIENCE)
}

/// Fails `target` at each step in turn, and checks that `scratch` is unchanged until the run succeeds. Steps after the
/// transaction is completed cannot fail.
fn fail_at_every_step(scratch: &Path, target: &Target) -> usize {
    let before = snapshot(scratch);
    for steps in 0.. {
        match apply_failing_after(target, steps) {
            Ok(_) => return steps,
            Err(error) => {
                assert!(matches!(error, FilesError::Interrupted), "{error:?}");
                assert_eq!(snapshot(scratch), before, "after a fault at step {steps}");
            }
        }
    }
    unreachable!()
}

#[test]
fn a_failure_at_any_step_removes_a_new_folder() {
    let scratch = tempfile::tempdir().unwrap();
    let steps = fail_at_every_step(scratch.path(), &target(&scratch.path().join("deep/er/out"), project()));
    assert!(steps > 40, "{steps} steps are too few to have been everything");
}

#[test]
fn a_failure_at_any_step_leaves_the_folder_unchanged() {
    failures_leave_the_folder_unchanged(eventful);
}

#[test]
fn a_failure_at_any_step_of_an_upgrade_leaves_the_folder_unchanged() {
    failures_leave_the_folder_unchanged(|root| {
        eventful(root);
        old_base(root);
    });
}

fn failures_leave_the_folder_unchanged(prepare: fn(&Path)) {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    prepare(root);
    let planned = changeset(root, next_project());
    let expected = [
        ("main.go", Action::Merge),
        ("run.sh", Action::Update),
        (".env.example", Action::Update),
        ("internal/mcp/client.go", Action::Remove),
        ("stale/deep/gone.go", Action::Remove),
        ("internal/new/deep/file.go", Action::Create),
    ];
    for (path, expected) in expected {
        assert_eq!(action(planned.changes(), path), Some(expected), "{path}");
    }
    let steps = fail_at_every_step(root, &target(root, next_project()));
    assert!(steps > 40, "{steps} steps are too few to have been everything");
    assert_eq!(text(root, "tools/weather.go"), "the user's");
    assert_eq!(text(root, "main.go"), "// mine\npackage main\n\nfunc main() {\n\trun()\n}\n\n// news\n");
    assert!(
        !root.join("stale").exists() && !root.join("internal/mcp").exists() && root.join("internal/notes.txt").exists()
    );
    #[cfg(unix)]
    {
        assert!(fs::symlink_metadata(root.join(".env.example")).unwrap().is_symlink());
        assert_eq!(text(root, "settings/example"), "PORT=9090\n");
        assert_eq!(text(root, "elsewhere/deep/file.go"), "package deep\n");
    }
    assert!(!root.join(".adl/base").exists());
    assert!(!changeset(root, next_project()).writes());
}

#[test]
fn an_interrupt_rolls_everything_back() {
    let scratch = tempfile::tempdir().unwrap();
    let before = snapshot(scratch.path());
    let target = target(&scratch.path().join("out"), project());
    let control = Control { interrupted: &AtomicBool::new(true), tell: &not_told };
    assert!(matches!(apply(&target, control), Err(FilesError::Interrupted)));
    assert_eq!(snapshot(scratch.path()), before);
}

#[test]
fn removes_staged_files_of_a_killed_run_only() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    for (name, bytes) in [("0", "half"), ("before", "{}"), ("0.new", "x"), ("journal.json", "{\"schemaVersion\":1,")] {
        put(root, &format!(".adl/staging/{name}"), bytes);
    }
    assert!(changeset(root, project()).is_unfinished());
    write(root, project()).unwrap();
    assert!(!root.join(".adl/staging").exists());

    put(root, ".adl/staging/my notes", "x");
    let Err(FilesError::Blocked { changes }) = write(root, tree(&[])) else { panic!("not blocked") };
    let foreign = Obstacle { path: ".adl/staging/my notes".to_owned(), kind: ObstacleKind::Foreign };
    assert_eq!(obstacles(&changes), [foreign]);
    assert_eq!(text(root, ".adl/staging/my notes"), "x");
}
