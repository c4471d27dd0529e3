#![expect(clippy::disallowed_methods, reason = "these tests prepare folders")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::super::{Obstacle, ObstacleKind, Owner, PlanOptions, Stamp, plan};
use super::*;
use crate::files::FileTree;

static NEVER: AtomicBool = AtomicBool::new(false);

/// A tree with files of all owners, one of them below two folders and one executable.
fn tree(suffix: &str) -> FileTree {
    let mut tree = FileTree::new();
    for (path, owner, executable) in [
        ("main.go", Owner::Generated, false),
        ("internal/mcp/client.go", Owner::Generated, false),
        ("tools/weather.go", Owner::Seeded, false),
        (".env.example", Owner::Shared, false),
        ("run.sh", Owner::Generated, true),
    ] {
        let bytes = format!("{path}{suffix}\n").into_bytes();
        tree.insert(path, Contents { bytes, owner, executable }).unwrap();
    }
    tree
}

fn changeset(root: &Path, tree: FileTree, manifest: &str) -> Changeset {
    plan(tree, Stamp::new("0.0.0", manifest.as_bytes()), root, PlanOptions::default()).unwrap()
}

fn write(root: &Path) -> Result<Vec<Change>, FilesError> {
    apply(&changeset(root, tree(""), "one"), &NEVER)
}

/// Every path below `root` with its bytes; folders and links with what they are.
fn snapshot(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = walkdir::WalkDir::new(root).into_iter().map(Result::unwrap);
    entries
        .map(|entry| {
            let kind = entry.file_type();
            let bytes = if kind.is_file() {
                fs::read(entry.path()).unwrap()
            } else if kind.is_symlink() {
                format!("link to {:?}", fs::read_link(entry.path()).unwrap()).into_bytes()
            } else {
                b"folder".to_vec()
            };
            (entry.path().display().to_string(), bytes)
        })
        .collect()
}

#[test]
fn writes_everything_and_nothing_else() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().join("a folder/out");
    let changes = write(&root).unwrap();
    assert_eq!(changes.len(), 6);
    assert!(changes.iter().all(|change| change.action == Action::Create));
    assert_eq!(fs::read_to_string(root.join("internal/mcp/client.go")).unwrap(), "internal/mcp/client.go\n");
    let prefix = root.display().to_string();
    let names: Vec<_> =
        snapshot(&root).into_keys().map(|path| path.strip_prefix(&prefix).unwrap().to_owned()).collect();
    assert_eq!(
        names,
        [
            "",
            "/.adl",
            "/.adl/lock.json",
            "/.env.example",
            "/internal",
            "/internal/mcp",
            "/internal/mcp/client.go",
            "/main.go",
            "/run.sh",
            "/tools",
            "/tools/weather.go"
        ]
    );
}

#[cfg(unix)]
#[test]
fn only_executables_may_be_run() {
    use std::os::unix::fs::MetadataExt;
    let scratch = tempfile::tempdir().unwrap();
    write(scratch.path()).unwrap();
    let mode = |path: &str| fs::metadata(scratch.path().join(path)).unwrap();
    assert_eq!(mode("run.sh").mode() & 0o100, 0o100);
    assert_eq!(mode("main.go").mode() & 0o111, 0);
    assert_eq!(mode("main.go").nlink(), 1);
}

#[test]
fn a_second_run_writes_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    write(scratch.path()).unwrap();
    let times = || -> Vec<_> {
        let entries = walkdir::WalkDir::new(scratch.path()).sort_by_file_name().into_iter().map(Result::unwrap);
        entries.map(|entry| entry.metadata().unwrap().modified().unwrap()).collect()
    };
    let before = times();
    let changes = write(scratch.path()).unwrap();
    assert!(changes.iter().all(|change| change.action == Action::Unchanged));
    assert_eq!(times(), before);
}

#[test]
fn stops_before_writing_when_something_is_in_the_way() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    fs::write(root.join("main.go"), "the user's").unwrap();
    fs::create_dir(root.join("run.sh")).unwrap();
    fs::write(root.join("internal"), "a file").unwrap();
    fs::write(root.join("tools"), "a file").unwrap();
    let before = snapshot(root);
    let changeset = changeset(root, tree(""), "one");
    let expected = [
        ("internal", ObstacleKind::NotAFolder),
        ("main.go", ObstacleKind::Differs),
        ("run.sh", ObstacleKind::Folder),
        ("tools", ObstacleKind::NotAFolder),
    ]
    .map(|(path, kind)| Obstacle { path: path.to_owned(), kind });
    assert_eq!(changeset.obstacles(), expected);
    assert!(matches!(apply(&changeset, &NEVER), Err(FilesError::InTheWay { obstacles }) if obstacles == expected));
    assert_eq!(snapshot(root), before);
}

#[cfg(unix)]
#[test]
fn follows_no_link_below_the_folder() {
    use std::os::unix::fs::symlink;
    let scratch = tempfile::tempdir().unwrap();
    let (root, outside) = (scratch.path().join("root"), scratch.path().join("outside"));
    fs::create_dir(&root).unwrap();
    fs::create_dir_all(outside.join("mcp")).unwrap();
    fs::write(outside.join("main.go"), "main.go\n").unwrap();
    symlink(&outside, root.join("internal")).unwrap();
    symlink("../outside/main.go", root.join("main.go")).unwrap();
    symlink("nowhere", root.join("run.sh")).unwrap();
    symlink("../outside", root.join(".adl")).unwrap();
    let before = snapshot(scratch.path());
    let changeset = changeset(&root, tree(""), "one");
    let paths: Vec<_> = changeset.obstacles().into_iter().map(|obstacle| (obstacle.path, obstacle.kind)).collect();
    let expected = [".adl", "internal", "main.go", "run.sh"].map(|path| (path.to_owned(), ObstacleKind::Symlink));
    assert_eq!(paths, expected);
    assert!(apply(&changeset, &NEVER).is_err());
    assert_eq!(snapshot(scratch.path()), before);
}

#[cfg(unix)]
#[test]
fn the_folder_itself_may_be_a_link() {
    let scratch = tempfile::tempdir().unwrap();
    fs::create_dir(scratch.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", scratch.path().join("link")).unwrap();
    write(&scratch.path().join("link")).unwrap();
    assert!(scratch.path().join("real/main.go").is_file());
    let through_nothing = scratch.path().join("link/missing/../out");
    assert!(matches!(
        plan(tree(""), Stamp::new("", b""), &through_nothing, PlanOptions::default()),
        Err(FilesError::Folder { .. })
    ));
}

#[test]
fn leaves_seeded_files_to_the_user() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    write(root).unwrap();
    let seeded = root.join("tools/weather.go");
    fs::write(&seeded, "the user's").unwrap();
    write(root).unwrap();
    assert_eq!(fs::read_to_string(&seeded).unwrap(), "the user's");

    fs::remove_file(root.join("main.go")).unwrap();
    fs::remove_file(&seeded).unwrap();
    let actions: Vec<_> = write(root).unwrap().into_iter().map(|change| (change.path, change.action)).collect();
    assert!(actions.contains(&("main.go".to_owned(), Action::Create)));
    assert!(actions.contains(&("tools/weather.go".to_owned(), Action::Deleted)));
    assert!(!seeded.exists());

    // Without a lock nobody can tell whose it is.
    fs::write(&seeded, "the user's").unwrap();
    fs::remove_file(root.join(".adl/lock.json")).unwrap();
    assert!(matches!(write(root), Err(FilesError::InTheWay { .. })));
}

#[test]
fn replaces_its_own_lock_and_no_other() {
    let scratch = tempfile::tempdir().unwrap();
    write(scratch.path()).unwrap();
    let changes = apply(&changeset(scratch.path(), tree(""), "two"), &NEVER).unwrap();
    let replaced: Vec<_> = changes.iter().filter(|change| change.action == Action::Update).collect();
    assert_eq!(replaced.len(), 1);
    assert_eq!(replaced[0].path, ".adl/lock.json");
    fs::write(scratch.path().join(".adl/lock.json"), "{}").unwrap();
    assert_eq!(changeset(scratch.path(), tree(""), "two").obstacles().len(), 1);
}

#[test]
fn clears_away_what_a_killed_run_left() {
    let scratch = tempfile::tempdir().unwrap();
    fs::create_dir_all(scratch.path().join(".adl/staging")).unwrap();
    fs::write(scratch.path().join(".adl/staging/0"), "half").unwrap();
    write(scratch.path()).unwrap();
    assert!(!scratch.path().join(".adl/staging").exists());
}

#[test]
fn a_second_run_at_the_same_time_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = File::open(scratch.path()).unwrap();
    folder.try_lock().unwrap();
    assert!(matches!(write(scratch.path()), Err(FilesError::Busy { .. })));
    folder.unlock().unwrap();
    write(scratch.path()).unwrap();
}

/// Lets `steps` steps pass and fails every later one.
fn apply_failing_after(changeset: &Changeset, steps: usize) -> Result<Vec<Change>, FilesError> {
    let passed = Cell::new(0);
    apply_guarded(changeset, &|| {
        passed.set(passed.get() + 1);
        if passed.get() > steps { Err(FilesError::Interrupted) } else { Ok(()) }
    })
}

/// Fails `changeset` at every step in turn, and checks that `scratch` stays as it is until the changeset goes through.
fn survives_every_fault(scratch: &Path, changeset: &Changeset) -> usize {
    let before = snapshot(scratch);
    for steps in 0.. {
        match apply_failing_after(changeset, steps) {
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
fn a_fault_at_any_step_leaves_no_trace_of_a_new_folder() {
    let scratch = tempfile::tempdir().unwrap();
    let steps = survives_every_fault(scratch.path(), &changeset(&scratch.path().join("deep/er/out"), tree(""), "one"));
    assert!(steps > 20, "{steps} steps are too few to have been everything");
}

#[test]
fn a_fault_at_any_step_leaves_an_old_folder_as_it_was() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    write(root).unwrap();
    fs::remove_file(root.join("internal/mcp/client.go")).unwrap();
    fs::remove_dir(root.join("internal/mcp")).unwrap();
    fs::write(root.join("internal/notes.txt"), "the user's").unwrap();
    fs::write(root.join("tools/weather.go"), "the user's").unwrap();
    survives_every_fault(root, &changeset(root, tree(""), "two"));
    assert_eq!(fs::read_to_string(root.join("tools/weather.go")).unwrap(), "the user's");
    assert!(root.join("internal/mcp/client.go").is_file());
}

#[test]
fn an_interrupt_undoes_everything() {
    let scratch = tempfile::tempdir().unwrap();
    let before = snapshot(scratch.path());
    let changeset = changeset(&scratch.path().join("out"), tree(""), "one");
    assert!(matches!(apply(&changeset, &AtomicBool::new(true)), Err(FilesError::Interrupted)));
    assert_eq!(snapshot(scratch.path()), before);
}
