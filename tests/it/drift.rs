//! `adl generate --diff` and `--check`: print the changes without writing.
#![expect(clippy::disallowed_methods, reason = "these tests prepare folders")]

use std::fs;

use crate::support::{MANIFEST, Sandbox};

#[test]
fn up_to_date_project_passes() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    let before = sandbox.snapshot(".");
    let run = sandbox.run(&["generate", "-o", "out", "--check"]).exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("weather-agent (Go) in ./out is up to date\n", ""));
    let run = sandbox.run(&["generate", "-o", "out", "--diff"]).exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    assert_eq!(sandbox.snapshot("."), before);
}

#[test]
fn outdated_project_fails_with_an_applicable_diff() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    let whole = sandbox.snapshot("out");
    fs::remove_file(sandbox.path("out/main.go")).unwrap();
    let before = sandbox.snapshot(".");
    let check = sandbox.run(&["generate", "-o", "out", "--check"]).exits(1);
    assert!(check.stdout.starts_with("--- /dev/null\n+++ b/main.go\n@@ -0,0 +1,"), "{check:#?}");
    insta::assert_snapshot!(check.stderr, @r"
    error[ADL0608]: project in `out` is out of date: 1 file would change
     |
     = help: run `adl generate --output out`, and commit the changes
    ");
    let diff = sandbox.run(&["generate", "-o", "out", "--diff"]).exits(0);
    assert_eq!((&diff.stdout, diff.stderr.as_str()), (&check.stdout, ""));
    assert_eq!(sandbox.snapshot("."), before);
    fs::write(sandbox.path("patch"), &diff.stdout).unwrap();
    let patch = sandbox.command("patch").args(["-s", "-p1", "-d", "out", "-i", "../patch"]).status();
    if patch.is_ok_and(|status| status.success()) {
        assert_eq!(sandbox.snapshot("out"), whole);
    }
}

#[test]
fn diff_is_coloured_only_on_terminals() {
    let sandbox = Sandbox::with_manifest();
    let run = |variables: &[(&str, &str)]| {
        let mut command = sandbox.adl(&["generate", "-o", "out", "--diff"]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(!run(&[]).contains('\x1b'));
    let forced = run(&[("CLICOLOR_FORCE", "1")]);
    assert!(forced.contains("\x1b[32m+package main\x1b[0m\n"), "{forced}");
    assert!(!run(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).contains('\x1b'));
}

#[test]
fn diff_and_check_exclude_each_other() {
    let sandbox = Sandbox::with_manifest();
    let views = [["--dry-run"].as_slice(), &["--diff"], &["--check"], &["--stdout", "main.go"]];
    for (index, first) in views.iter().enumerate() {
        for second in &views[index + 1..] {
            let run = sandbox.run(&[&["generate", "-o", "out"], *first, second].concat()).exits(2);
            assert!(run.stderr.contains("cannot be used with"), "{run:#?}");
        }
        for other in [["--run-hooks"].as_slice(), &["--adopt", "--yes"]] {
            let run = sandbox.run(&[&["generate", "-o", "out"], *first, other].concat()).exits(2);
            assert!(run.stderr.contains("cannot be used with"), "{run:#?}");
        }
    }
    for wrong in
        [["--check", "--on-conflict", "keep"].as_slice(), &["--check", "--adopt"], &["--yes"], &["--on-conflict", "x"]]
    {
        sandbox.run(&[&["generate", "-o", "out"], wrong].concat()).exits(2);
    }
    assert!(!sandbox.path("out").exists());
}

#[test]
fn conflicts_are_not_reported_as_drift() {
    let sandbox = Sandbox::with_manifest().file("out/Dockerfile", "mine");
    let run = sandbox.run(&["generate", "-o", "out", "--check"]).exits(1);
    assert!(run.stderr.contains("ADL0601") && !run.stderr.contains("ADL0608"), "{run:#?}");
    let manifest = MANIFEST.replace("port: 8080", "port: eighty");
    let run = Sandbox::new().file("agent.yaml", &manifest).run(&["generate", "-o", "out", "--check"]).exits(1);
    assert!(run.stdout.is_empty() && !run.stderr.contains("ADL0608"), "{run:#?}");
}
