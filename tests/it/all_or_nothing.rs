//! Regenerating a project despite signals, kills, concurrent runs and a full disk leaves either the old or the new
//! project.
#![expect(clippy::disallowed_methods, reason = "these tests start real processes and prepare folders")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{MANIFEST, Run, Sandbox};

type Snapshot = BTreeMap<PathBuf, String>;

/// The manifest with a different model, port and tool.
fn changed() -> String {
    let tool = "    - id: get_time\n      name: get_time\n      description: Time of a place\n      tags: [time]\n      \
                schema: {type: object}\n";
    MANIFEST
        .replace("gpt-4o", "gpt-5")
        .replace("port: 8080", "port: 9090")
        .replace("  server:\n", &format!("{tool}  server:\n"))
        .replace("get_weather", "get_forecast")
}

/// A project in `out` with edits of the user, and the changed manifest.
fn edited_project() -> Sandbox {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    let append = |path: &str, text: &str| {
        let path = sandbox.path("out").join(path);
        let before = fs::read_to_string(&path).unwrap();
        fs::write(path, before + text).unwrap();
    };
    append("Dockerfile", "# mine\n");
    append("tools/get_weather.go", "// mine\n");
    append(".gitignore", "/mine\n");
    sandbox.file("out/notes.txt", "mine\n").file("agent.yaml", &changed())
}

/// Replaces `to` with a copy of `from`.
fn copy(sandbox: &Sandbox, from: &str, to: &str) {
    if sandbox.path(to).exists() {
        fs::remove_dir_all(sandbox.path(to)).unwrap();
    }
    let copied = sandbox.command("cp").args(["-a", from, to]).status().unwrap();
    assert!(copied.success());
}

#[test]
fn upgrades_projects_of_version_0_1() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    // Version 0.1 did not store base texts and wrote lock files with schema version 1.
    fs::remove_file(sandbox.path("out/.adl/base.tar.gz")).unwrap();
    let lock = fs::read_to_string(sandbox.path("out/.adl/lock.json")).unwrap();
    let sandbox = sandbox.file("out/.adl/lock.json", &lock.replace("\"schemaVersion\": 2", "\"schemaVersion\": 1"));
    let sandbox = sandbox.file("agent.yaml", &changed());
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    sandbox.run(&["generate", "-o", "alone"]).exits(0);
    assert_eq!(sandbox.snapshot("out"), sandbox.snapshot("alone"));
}

#[test]
fn unchanged_project_is_not_written() {
    let sandbox = edited_project();
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    let times = || -> Vec<_> {
        let entries = walkdir::WalkDir::new(sandbox.path("out")).sort_by_file_name().into_iter().map(Result::unwrap);
        entries.map(|entry| (entry.path().to_owned(), entry.metadata().unwrap().modified().unwrap())).collect()
    };
    let before = times();
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    assert_eq!(times(), before);
}

/// Runs `generate` on an edited project, each time with `signal` after a longer delay. Calls `check` with each run and
/// with the snapshots before and after a complete run.
#[cfg(unix)]
fn signal_at_every_moment(signal: &str, check: impl Fn(&Sandbox, &Run, &Snapshot, &Snapshot)) {
    let sandbox = edited_project();
    copy(&sandbox, "out", "kept");
    let before = sandbox.snapshot("out");
    let begin = Instant::now();
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    let whole_run = begin.elapsed();
    let after = sandbox.snapshot("out");
    for step in 0..25 {
        copy(&sandbox, "kept", "out");
        let mut command = sandbox.adl(&["generate", "-o", "out"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(whole_run * step / 20);
        sandbox.command("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
        let run = Run::from(child.wait_with_output().unwrap());
        check(&sandbox, &run, &before, &after);
    }
}

#[cfg(unix)]
#[test]
fn signal_leaves_old_or_new_project() {
    signal_at_every_moment("-INT", |sandbox, run, before, after| {
        let now = sandbox.snapshot("out");
        if run.status == Some(0) {
            assert_eq!(now, *after);
        } else {
            assert!(run.status.is_none() || run.stderr.contains("ADL0915"), "{run:?}");
            assert_eq!(now, *before, "{run:?}");
        }
    });
}

#[cfg(unix)]
#[test]
fn run_after_a_kill_completes_the_project() {
    signal_at_every_moment("-KILL", |sandbox, _, _, after| {
        let is_half_done = sandbox.path("out/.adl/staging/journal.json").exists();
        let plan = sandbox.run(&["generate", "-o", "out", "--dry-run"]);
        assert!(!is_half_done || plan.stderr.contains("ADL0611"), "{plan:?}");
        let run = sandbox.run(&["generate", "-o", "out"]).exits(0);
        let is_reported = run.stderr.contains("A previous run was interrupted");
        assert!(!is_reported || is_half_done, "{run:?}");
        assert_eq!(sandbox.snapshot("out"), *after, "{run:?}");
    });
}

#[test]
fn second_run_waits_for_the_first() {
    let sandbox = edited_project();
    copy(&sandbox, "out", "kept");
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    let after = sandbox.snapshot("out");
    for _ in 0..4 {
        copy(&sandbox, "kept", "out");
        let start = || {
            let mut command = sandbox.adl(&["generate", "-o", "out"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let children: Vec<_> = (0..4).map(|_| start()).collect();
        for child in children {
            Run::from(child.wait_with_output().unwrap()).exits(0);
        }
        assert_eq!(sandbox.snapshot("out"), after);
    }
    let folder = fs::File::open(sandbox.path("out")).unwrap();
    folder.lock().unwrap();
    let child = sandbox.adl(&["generate", "-o", "out"]).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(600));
    folder.unlock().unwrap();
    let run = Run::from(child.wait_with_output().unwrap()).exits(0);
    assert!(run.stderr.contains("Waiting for another run"), "{run:?}");
}

/// Mounts a separate disk for `out`, if the system allows it. Each size makes the disk full at a different step.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_leaves_the_old_project() {
    let sandbox = edited_project();
    for free in ["0", "4K", "8K", "20K", "40K", "64K", "80K", "8M"] {
        let script = format!(
            "mkdir -p disk && mount -t tmpfs -o size=16M none disk || exit 77
             cp -a out before && cp -a out disk/out
             head -c 32M /dev/zero > disk/filler; truncate -s -{free} disk/filler
             \"$0\" generate -o disk/out 2> said && exit 78
             diff -r before disk/out && grep -q 'free some disk space' said && exit 79
             cat said; exit 80"
        );
        let mut command = sandbox.command("unshare");
        let run = command.args(["--map-root-user", "--mount", "sh", "-c", &script, env!("CARGO_BIN_EXE_adl")]).output();
        let run = run.map(Run::from);
        if sandbox.path("before").exists() {
            fs::remove_dir_all(sandbox.path("before")).unwrap();
        }
        match run.as_ref().map(|run| run.status) {
            Ok(Some(78)) => assert_eq!(free, "8M", "{run:?}"),
            Ok(Some(79)) => assert_ne!(free, "8M", "{run:?}"),
            Ok(Some(80)) => panic!("{free}: {run:?}"),
            _ => {
                println!("skipped: cannot mount a disk: {run:?}");
                return;
            }
        }
    }
}

#[test]
fn regenerating_completes_a_merge_of_branches() {
    let sandbox = Sandbox::with_manifest();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "init.defaultBranch=main"];
        sandbox.command("git").args(identity).args(arguments).output().map(Run::from)
    };
    if git(&["init", "-q"]).is_err() {
        println!("skipped: git not found");
        return;
    }
    let generate_and_commit = |from: &str, to: &str| {
        let manifest = fs::read_to_string(sandbox.path("agent.yaml")).unwrap();
        fs::write(sandbox.path("agent.yaml"), manifest.replace(from, to)).unwrap();
        sandbox.run(&["generate", "-o", "out"]).exits(0);
        git(&["add", "-A"]).unwrap().exits(0);
        git(&["commit", "-qm", "x"]).unwrap().exits(0);
    };
    generate_and_commit("", "");
    git(&["checkout", "-qb", "other"]).unwrap().exits(0);
    generate_and_commit("port: 8080", "port: 8081");
    git(&["checkout", "-q", "main"]).unwrap().exits(0);
    generate_and_commit("Weather of a place", "Weather of a town");
    let merge = git(&["merge", "other"]).unwrap().exits(1);
    assert!(merge.stdout.contains("base.tar.gz") && merge.stdout.contains("lock.json"), "{merge:?}");
    assert!(!fs::read_to_string(sandbox.path("out/.adl/lock.json")).unwrap().contains("<<<<<<<"));
    // Git has also merged the manifest.
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    sandbox.run(&["generate", "-o", "alone"]).exits(0);
    let project = |folder: &str| {
        let mut files = sandbox.snapshot(folder);
        files.remove(std::path::Path::new(".adl/lock.json"));
        files.remove(std::path::Path::new("tools/get_weather.go"));
        files
    };
    assert_eq!(project("out"), project("alone"));
    sandbox.run(&["generate", "-o", "out", "--check"]).exits(0);
}
