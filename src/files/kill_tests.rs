//! Tests of killed runs: the test binary starts itself, and the child kills itself at a given step.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "these tests start processes and prepare folders")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::super::sample::{eventful, next_project, old_base, project, snapshot, target, write};
use super::*;

const ROOT: &str = "ADL_TEST_ROOT";
const STEP: &str = "ADL_TEST_STEP";
const WHAT: &str = "ADL_TEST_WHAT";

type Snapshot = BTreeMap<String, Vec<u8>>;

/// What the child process does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    First,
    Next,
    Recovery,
}

/// Not a test itself, but the entry point of the child process.
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
    match std::env::var(WHAT).unwrap().as_str() {
        "first" => drop(apply_guarded(&target(root, project()), &guard, &|_| (), PATIENCE).unwrap()),
        "next" => drop(apply_guarded(&target(root, next_project()), &guard, &|_| (), PATIENCE).unwrap()),
        _ => recover(&open(root), &guard, &|_| ()).unwrap(),
    }
}

/// Runs a child that kills itself at step `last`. Returns whether it was killed.
fn is_killed(root: &Path, what: What, last: usize) -> bool {
    let what = match what {
        What::First => "first",
        What::Next => "next",
        What::Recovery => "recovery",
    };
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "files::transaction::kills::child", "--test-threads=1"]);
    command.env(ROOT, root).env(STEP, last.to_string()).env(WHAT, what).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().unwrap();
    assert!(status.success() || status.signal() == Some(9), "{status:?}");
    !status.success()
}

fn open(root: &Path) -> Dir {
    Dir::open_ambient_dir(root, ambient_authority()).unwrap()
}

fn recover_whole(root: &Path) -> bool {
    let told = Cell::new(false);
    recover(&open(root), &|| Ok(()), &|event| {
        assert_eq!(*event, Event::RolledBack(Vec::new()));
        told.set(true);
    })
    .unwrap();
    told.get()
}

/// A folder with a project, its contents, and its expected contents after the next run.
fn prepared(prepare: fn(&Path)) -> (tempfile::TempDir, Snapshot, Snapshot) {
    let after = tempfile::tempdir().unwrap();
    prepare(after.path());
    write(after.path(), next_project()).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    prepare(scratch.path());
    let before = snapshot(scratch.path());
    (scratch, before, snapshot(after.path()))
}

/// Like [`eventful`], but written by a version that kept each text in a separate file.
fn eventful_and_old(root: &Path) {
    eventful(root);
    old_base(root);
}

fn is_folder(entry: &(&String, &Vec<u8>)) -> bool {
    entry.1 == b"folder"
}

#[test]
fn a_kill_at_any_step_leaves_the_old_or_the_new_state() {
    survives_every_kill(eventful);
}

#[test]
fn a_kill_during_an_upgrade_leaves_the_old_or_the_new_state() {
    survives_every_kill(eventful_and_old);
}

fn survives_every_kill(prepare: fn(&Path)) {
    let (mut scratch, before, after) = prepared(prepare);
    let (mut rolled_back, mut kept) = (0, 0);
    for step in 0.. {
        let root = scratch.path();
        if !is_killed(root, What::Next, step) {
            break;
        }
        let was_told = recover_whole(root);
        let now = snapshot(root);
        if now == after {
            kept += 1;
            assert!(!was_told);
            scratch = tempfile::tempdir().unwrap();
            prepare(scratch.path());
        } else {
            rolled_back += 1;
            assert_eq!(now, before, "after a kill at step {step}");
        }
    }
    assert!(rolled_back > 40 && kept > 10, "{rolled_back} {kept}");
    assert_eq!(snapshot(scratch.path()), after);
}

#[test]
fn a_killed_rollback_can_be_repeated() {
    let (scratch, before, after) = prepared(eventful);
    let root = scratch.path();
    for step in (0..).step_by(11) {
        if !is_killed(root, What::Next, step) {
            break;
        }
        for step in 0.. {
            if !is_killed(root, What::Recovery, step) {
                break;
            }
        }
        let now = snapshot(root);
        assert!(now == before || now == after, "after a kill at step {step}");
        if now == after {
            break;
        }
    }
}

#[test]
fn a_kill_of_the_first_run_leaves_nothing_or_the_whole_project() {
    let whole = tempfile::tempdir().unwrap();
    write(whole.path(), project()).unwrap();
    let whole = snapshot(whole.path());
    for step in 0.. {
        let scratch = tempfile::tempdir().unwrap();
        let root = &scratch.path().join("deep/out");
        let is_killed = is_killed(root, What::First, step);
        if is_killed && root.exists() {
            recover_whole(root);
            let now = snapshot(root);
            assert!(now == whole || now.iter().all(|entry| is_folder(&entry)), "after a kill at step {step}: {now:?}");
        }
        write(root, project()).unwrap();
        assert_eq!(snapshot(root), whole, "after a kill at step {step}");
        if !is_killed {
            return;
        }
    }
}

#[test]
fn keeps_edits_made_after_a_kill_and_the_old_version() {
    let (scratch, ..) = prepared(eventful);
    let root = scratch.path();
    let new = "#!/bin/sh\nexec agent --news\n";
    for step in 0.. {
        assert!(is_killed(root, What::Next, step));
        if std::fs::read_to_string(root.join("run.sh")).is_ok_and(|text| text == new) {
            break;
        }
        recover_whole(root);
    }
    super::super::sample::put(root, "run.sh", "edited\n");
    let told = std::cell::RefCell::new(Vec::new());
    recover(&open(root), &|| Ok(()), &|event| told.borrow_mut().push(event.clone())).unwrap();
    let kept = Kept { path: "run.sh".to_owned(), backup: Some("run.sh.orig".to_owned()) };
    assert_eq!(told.into_inner(), [Event::RolledBack(vec![kept])]);
    let text = |path: &str| super::super::sample::text(root, path);
    assert_eq!((text("run.sh").as_str(), text("run.sh.orig").as_str()), ("edited\n", "#!/bin/sh\nexec agent\n"));
}
