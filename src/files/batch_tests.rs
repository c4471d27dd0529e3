#![expect(clippy::disallowed_methods, reason = "these tests start processes and prepare files")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;

use super::*;

const ROOT: &str = "ADL_TEST_BATCH_ROOT";
const STEP: &str = "ADL_TEST_BATCH_STEP";

/// Three edits: of a file, of another through a link, and of a file in a new folder.
fn edits(root: &Path) -> Vec<FileEdit> {
    let edit = |path: &str, before: Option<&str>, after: &str| FileEdit {
        path: root.join(path),
        before: before.map(|text| text.as_bytes().to_vec()),
        after: after.as_bytes().to_vec(),
    };
    vec![
        edit("a.json", Some("old a"), "new a"),
        edit("link.json", Some("old b"), "new b"),
        edit("x/y/c.json", None, "new c"),
    ]
}

fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.json"), "old a").unwrap();
    fs::write(folder.path().join("b.json"), "old b").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("b.json", folder.path().join("link.json")).unwrap();
    #[cfg(not(unix))]
    fs::write(folder.path().join("link.json"), "old b").unwrap();
    folder
}

fn batches(root: &Path) -> Batches {
    Batches::new(root.join("state/backups"))
}

/// All files but those of the batches.
fn files(root: &Path) -> BTreeMap<PathBuf, String> {
    let entries = walkdir::WalkDir::new(root).into_iter().map(Result::unwrap);
    let relevant = entries.filter(|entry| entry.path().strip_prefix(root).is_ok_and(|path| !path.starts_with("state")));
    let text = |path: &Path| fs::read_to_string(path).unwrap_or_else(|_| "folder".to_owned());
    relevant.map(|entry| (entry.path().to_owned(), text(entry.path()))).collect()
}

#[test]
fn all_edits_are_done_and_can_be_undone() {
    let root = prepared();
    let (root, before) = (root.path(), files(root.path()));
    let id = batches(root).commit("test", &edits(root), &NEVER).unwrap();
    assert_eq!(fs::read_to_string(root.join("b.json")).unwrap(), "new b");
    #[cfg(unix)]
    assert!(fs::symlink_metadata(root.join("link.json")).unwrap().is_symlink());
    let listed = batches(root).list().unwrap();
    assert_eq!((listed.len(), &listed[0].id, listed[0].is_finished), (1, &id, true));
    assert_eq!(batches(root).undo(&id).unwrap().restored.len(), 3);
    assert_eq!(files(root), before);
    assert_eq!(batches(root).list().unwrap(), []);
}

#[test]
fn a_failure_at_any_step_restores_every_file() {
    for last in 0.. {
        let root = prepared();
        let (root, before) = (root.path(), files(root.path()));
        let passed = Cell::new(0);
        let guard = || {
            let failed = BatchError::Edit(ReplaceError::Interrupted);
            if passed.replace(passed.get() + 1) == last { Err(failed) } else { Ok(()) }
        };
        if batches(root).commit_guarded("test", &edits(root), &guard).is_ok() {
            assert!(last >= 8, "{last}");
            return;
        }
        assert_eq!(files(root), before, "{last}");
        assert_eq!(batches(root).list().unwrap(), [], "{last}");
    }
}

#[test]
fn foreign_changes_are_kept() {
    let root = prepared();
    let root = root.path();
    // Before the edit: nothing is written.
    fs::write(root.join("link.json"), "foreign").unwrap();
    let error = batches(root).commit("test", &edits(root), &NEVER).unwrap_err();
    assert!(matches!(error, BatchError::Edit(ReplaceError::Changed { .. })), "{error}");
    assert_eq!(fs::read_to_string(root.join("a.json")).unwrap(), "old a");
    // After the edit: the file is not restored, and its old contents stay.
    fs::write(root.join("link.json"), "old b").unwrap();
    let id = batches(root).commit("test", &edits(root), &NEVER).unwrap();
    fs::write(root.join("a.json"), "foreign").unwrap();
    let undone = batches(root).undo(&id).unwrap();
    assert_eq!((undone.restored.len(), undone.kept), (2, vec![root.join("a.json")]));
    assert_eq!(fs::read_to_string(root.join("a.json")).unwrap(), "foreign");
    assert_eq!(fs::read_to_string(root.join(format!("state/backups/{id}/0.before"))).unwrap(), "old a");
}

#[test]
fn old_backups_are_pruned() {
    let root = prepared();
    let root = root.path();
    let mut text = "old a".to_owned();
    for number in 0..4 {
        let after = number.to_string();
        let edit = FileEdit { path: root.join("a.json"), before: Some(text.into()), after: after.clone().into() };
        batches(root).commit("test", &[edit], &NEVER).unwrap();
        text = after;
    }
    assert_eq!(batches(root).prune(1).unwrap(), ["000001-test", "000002-test", "000003-test"]);
    assert_eq!(batches(root).list().unwrap().len(), 1);
    for id in ["", "..", "x/y", "000001-test"] {
        assert!(matches!(batches(root).undo(id), Err(BatchError::Unknown { .. })), "{id}");
    }
}

#[cfg(unix)]
#[test]
fn backups_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = prepared();
    let root = root.path();
    let id = batches(root).commit("test", &edits(root), &NEVER).unwrap();
    let mode = |path: String| fs::metadata(root.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(format!("state/backups/{id}")), 0o700);
    assert_eq!(mode(format!("state/backups/{id}/0.before")), 0o600);
    assert_eq!(mode("x/y/c.json".to_owned()), 0o600);
}

/// Not a test itself, but the entry point of the child process, which kills itself at a step.
#[cfg(target_os = "linux")]
#[test]
fn child() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let root = Path::new(&root);
    let last: usize = std::env::var(STEP).unwrap().parse().unwrap();
    let passed = Cell::new(0);
    let guard = || {
        if passed.replace(passed.get() + 1) == last {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
        }
        Ok(())
    };
    match batches(root).list().unwrap().first() {
        None => drop(batches(root).commit_guarded("test", &edits(root), &guard).unwrap()),
        Some(batch) => drop(batches(root).undo_guarded(&batch.id, &guard).unwrap()),
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_kill_at_any_step_can_be_undone_even_with_another_kill() {
    use std::os::unix::process::ExitStatusExt as _;
    let is_killed = |root: &Path, last: usize| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "files::batch::tests::child", "--test-threads=1"]);
        let status = command.env(ROOT, root).env(STEP, last.to_string()).output().unwrap().status;
        assert!(status.success() || status.signal() == Some(9), "{status:?}");
        !status.success()
    };
    for last in 0.. {
        let root = prepared();
        let (root, before) = (root.path(), files(root.path()));
        if !is_killed(root, last) {
            assert!(last >= 8, "{last}");
            return;
        }
        if let Some(batch) = batches(root).list().unwrap().first() {
            assert!(!batch.is_finished);
            is_killed(root, last % 4);
            if !batches(root).list().unwrap().is_empty() {
                batches(root).undo(&batch.id).unwrap();
            }
        }
        assert_eq!(files(root), before, "{last}");
    }
}
