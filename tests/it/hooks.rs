//! `spec.hooks.post`: hooks are printed, and only run on request.
#![expect(clippy::disallowed_methods, reason = "these tests start real processes")]

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{MANIFEST, Run, Sandbox};

/// A sandbox with a manifest with these hooks.
fn with_hooks(hooks: &[&str]) -> Sandbox {
    let hooks = serde_json::to_string(hooks).unwrap();
    Sandbox::new().file("agent.yaml", &format!("{MANIFEST}  hooks: {{post: {hooks}}}\n"))
}

#[test]
fn hooks_are_printed_and_not_run_by_default() {
    let sandbox = with_hooks(&["touch ran", "echo $HOME `id`", "sh -c \"touch 'also ran'\""]);
    let run = sandbox.run(&["generate", "-o", "out"]).exits(0);
    insta::assert_snapshot!(run.stdout.split_once('\n').unwrap().1, @r"

    Hooks of the manifest, to run in the project (`--run-hooks` runs them):
      touch ran
      echo '$HOME' '`id`'
      sh -c 'touch '\''also ran'\'''

    Next:
      cd out
      go test ./...
      export OPENAI_API_KEY=...
      go run .
    ");
    assert!(!sandbox.path("out/ran").exists() && !sandbox.path("out/also ran").exists());
    assert!(!run.stderr.contains("ADL0404"), "{run:?}");
}

#[test]
fn printed_hooks_hide_credentials() {
    let hooks = ["sh -c 'echo done; exit 3' -- --token opensesame", "TOKEN=opensesame"];
    let sandbox = with_hooks(&hooks);
    for flags in [&["--dry-run"][..], &["--json"], &["--run-hooks"], &["--run-hooks", "--json"]] {
        let run = sandbox.run(&[&["generate", "-o", "out"], flags].concat());
        assert!(!run.stdout.contains("opensesame") && !run.stderr.contains("opensesame"), "{run:#?}");
        let is_shown = run.stdout.contains("<hidden>") || run.stderr.contains("<hidden>");
        assert_eq!(is_shown, flags != ["--dry-run"], "{run:#?}");
    }
    // The hook itself receives the credential.
    let sandbox = with_hooks(&[
        "sh -c 'test \"$1\" = --token && test \"$2\" = opensesame' -- --token opensesame",
        "A_TOKEN=opensesame",
    ]);
    let run = sandbox.run(&["generate", "-o", "out", "--run-hooks"]).exits(2);
    assert!(run.stderr.contains("program `A_TOKEN=<hidden>` not found"), "{run:#?}");
}

#[test]
fn hooks_run_in_order_without_a_shell() {
    let sandbox =
        with_hooks(&["mkdir 'a b'", "touch 'a b/$HOME' 'a b/x;y'", "sh -c 'echo heard && echo said >&2'", "./go-on"]);
    let sandbox = sandbox.file("out/go-on", "#!/bin/sh\npwd > where\n");
    make_executable(&sandbox.path("out/go-on"));
    let run = sandbox.run(&["generate", "-o", "out", "--run-hooks"]).exits(0);
    assert!(sandbox.path("out/a b/$HOME").exists() && sandbox.path("out/a b/x;y").exists());
    let place = std::fs::read_to_string(sandbox.path("out/where")).unwrap();
    assert_eq!(place.trim(), sandbox.path("out").canonicalize().unwrap().to_str().unwrap());
    // The output of hooks is not part of standard output.
    assert!(run.stderr.contains("Running hook `sh -c 'echo heard && echo said >&2'`\nheard\nsaid\n"), "{run:?}");
    assert!(!run.stdout.contains("heard") && run.stdout.ends_with("  go run .\n"), "{run:?}");
}

#[cfg(unix)]
fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn failed_hook_ends_the_run() {
    let sandbox = with_hooks(&["touch first", "sh -c 'exit 3'", "touch second", "touch third"]);
    let run = sandbox.run(&["generate", "-o", "out", "--run-hooks"]).exits(2);
    assert!(sandbox.path("out/first").exists() && sandbox.path("out/main.go").exists());
    assert!(!sandbox.path("out/second").exists() && !sandbox.path("out/third").exists());
    let finding = run.stderr.split_once("error[").unwrap().1;
    insta::assert_snapshot!(finding, @r"
    ADL0918]: hook `sh -c 'exit 3'` exited with status 3
     |
     = note: the project in `out` was written
     = note: 2 later hooks were not run
     = help: run it in the output folder, fix what it reports, and run the command again
    ");
    assert!(!run.stdout.contains("Next:"), "{run:?}");
}

#[test]
fn reports_hooks_that_cannot_run() {
    for (hook, says) in [
        ("no-such-program --x", "program `no-such-program` not found"),
        ("./no-such-script", "program `./no-such-script` not found"),
        ("./main.go", "cannot start hook `./main.go`"),
        ("sh -c 'kill -9 $$'", "was terminated by signal 9"),
    ] {
        let sandbox = with_hooks(&[hook, "touch behind"]);
        let run = sandbox.run(&["generate", "-o", "out", "--run-hooks"]).exits(2);
        assert!(run.stderr.contains("ADL0918") && run.stderr.contains(says), "{run:#?}");
        assert!(run.stderr.contains("1 later hook was not run"), "{run:#?}");
        assert!(!sandbox.path("out/behind").exists());
    }
}

#[test]
fn invalid_hooks_are_reported_and_skipped() {
    let sandbox = with_hooks(&["", "echo 'open", "touch ran"]);
    let run = sandbox.run(&["generate", "-o", "out", "--run-hooks"]).exits(0);
    assert_eq!(run.stderr.matches("warning[ADL0238]").count(), 2, "{run:#?}");
    assert!(sandbox.path("out/ran").exists());
}

#[test]
fn only_generate_runs_hooks() {
    let sandbox = with_hooks(&["touch ran"]);
    for other in [["--dry-run"].as_slice(), &["--stdout", "main.go"]] {
        let run = sandbox.run(&[&["generate", "--run-hooks"], other].concat()).exits(2);
        assert!(run.stderr.contains("cannot be used with"), "{run:#?}");
    }
    sandbox.run(&["generate", "--dry-run"]).exits(0);
    assert!(!sandbox.path("ran").exists());
}

#[cfg(unix)]
#[test]
fn signal_stops_the_hook_and_the_run() {
    let sandbox = with_hooks(&[
        "sh -c 'trap \"touch told; exit 0\" TERM; touch started; i=0; while test $i -lt 600; do i=$((i+1)); sleep 0.05; done'",
        "touch behind",
    ]);
    let mut command = sandbox.adl(&["generate", "-o", "out", "--run-hooks"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while !sandbox.path("out/started").exists() {
        assert!(begin.elapsed() < Duration::from_mins(1), "the hook did not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    sandbox.command("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    let run = Run::from(child.wait_with_output().unwrap()).exits(2);
    assert!(run.stderr.contains("ADL0918") && run.stderr.contains("interrupted during hook"), "{run:#?}");
    assert!(sandbox.path("out/told").exists() && !sandbox.path("out/behind").exists());
}
