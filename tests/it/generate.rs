//! The `adl generate` command: output, and that it writes everything or nothing.
#![expect(clippy::disallowed_methods, reason = "these tests start real processes and prepare folders")]

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::support::{FOLDER, MANIFEST, Run, Sandbox};

/// The paths of a project's files, without folders and `.adl`.
fn files(sandbox: &Sandbox, output: &str) -> Vec<String> {
    let files = sandbox.snapshot(output).into_iter().filter(|(_, text)| text != FOLDER);
    files.map(|(path, _)| path.display().to_string()).filter(|path| !path.starts_with(".adl/")).collect()
}

#[test]
fn prints_result_and_next_steps() {
    let sandbox = Sandbox::with_manifest();
    let run = sandbox.run(&["generate", "--output", "my agent"]).exits(0);
    let count = files(&sandbox, "my agent").len();
    let lines: Vec<_> = run.stdout.lines().collect();
    assert_eq!(lines[0], format!("Generated weather-agent (Go) in ./my agent: {count} files written, 0 unchanged"));
    assert_eq!(
        lines[lines.len() - 4..],
        ["  cd 'my agent'", "  go test ./...", "  export OPENAI_API_KEY=...", "  go run ."]
    );
    assert_eq!(run.stderr, "");
}

#[test]
fn second_run_changes_nothing() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    let modified = || fs::metadata(sandbox.path("out/Dockerfile")).unwrap().modified().unwrap();
    let (before, time) = (sandbox.snapshot("out"), modified());
    let run = sandbox.run(&["generate", "-o", "out"]).exits(0);
    assert!(run.stdout.contains(": 0 files written, "), "{run:?}");
    assert_eq!((sandbox.snapshot("out"), modified()), (before, time));
}

#[test]
fn dry_run_lists_everything_and_writes_nothing() {
    let sandbox = Sandbox::with_manifest();
    let run = sandbox.run(&["generate", "-o", "deep/out", "--dry-run"]).exits(0);
    let line = "  create        seeded     tools/get_weather.go  (does not exist yet)\n";
    assert!(run.stdout.contains(line), "{run:?}");
    assert!(!sandbox.path("deep").exists());
    assert!(run.stdout.starts_with("Would generate weather-agent (Go) in ./deep/out: "), "{run:?}");
    sandbox.run(&["generate", "-o", "deep/out"]).exits(0);
    let written = files(&sandbox, "deep/out");
    let mut listed: Vec<_> =
        run.stdout.lines().skip(1).map(|line| line.split_whitespace().nth(2).unwrap().to_owned()).collect();
    listed.sort();
    let mut sorted = written;
    sorted.sort();
    assert_eq!(listed, sorted);
}

#[test]
fn rejects_invalid_manifests() {
    let sandbox = Sandbox::new().file("agent.yaml", &MANIFEST.replace("port: 8080", "port: eighty"));
    let run = sandbox.run(&["generate", "-o", "out"]).exits(1);
    let validate = sandbox.run(&["validate"]).exits(1);
    assert_eq!((run.stdout.as_str(), run.stderr), ("", validate.stderr));
    assert!(!sandbox.path("out").exists());
}

#[test]
fn a_missing_manifest_exits_2() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["generate", "-o", "out"]).exits(2);
    assert!(run.stderr.contains("ADL0901") && run.stderr.contains("--file"), "{run:?}");
    assert!(!sandbox.path("out").exists());
}

#[test]
fn lists_files_that_would_be_overwritten() {
    let sandbox = Sandbox::with_manifest()
        .file("out/Dockerfile", "mine")
        .file("out/.gitignore", "/mine")
        .file("out/go.mod", "module example.com/mine\n")
        .file("out/.adl", "a file")
        .file("out/notes", "x");
    let before = sandbox.snapshot("out");
    let run = sandbox.run(&["generate", "-o", "out"]).exits(1);
    assert!(run.stderr.contains("error[ADL0601]: 3 files in `out` would be overwritten"), "{run:?}");
    // A shared file conflicts if one of its lines would have to change.
    assert!(run.stderr.contains("`go.mod` differs") && !run.stderr.contains("gitignore"), "{run:?}");
    assert!(run.stderr.contains("`Dockerfile` differs") && run.stderr.contains("`.adl` is not a folder"), "{run:?}");
    assert_eq!((run.stdout.as_str(), sandbox.snapshot("out")), ("", before));
}

#[test]
fn keeps_existing_files_of_a_new_repository() {
    let sandbox = Sandbox::with_manifest()
        .file("out/.git/HEAD", "ref: refs/heads/main\n")
        .file("out/.gitignore", "# mine\n*.log\n")
        .file("out/README.md", "# My agent\n\nNotes.\n")
        .file("out/LICENSE", "mine\n");
    let run = sandbox.run(&["generate", "-o", "out"]).exits(0);
    let merged = "  merge         shared     .gitignore  (your text and the generated changes are merged)\n    \
                  the file existed before; entries of adl are added\n";
    assert!(run.stdout.contains(merged), "{run:#?}");
    let read = |path: &str| fs::read_to_string(sandbox.path("out").join(path)).unwrap();
    assert!(read(".gitignore").starts_with("# mine\n*.log\n") && read(".gitignore").contains("\n.env\n"));
    assert!(read("README.md").starts_with("# My agent\n\nNotes.\n\n<!-- adl:begin about -->\n"));
    assert_eq!(read("LICENSE"), "mine\n");
    sandbox.run(&["generate", "-o", "out", "--check"]).exits(0);
    for path in ["out/.adl", "out/.git/agent"] {
        let run = sandbox.run(&["generate", "-o", path]).exits(2);
        assert!(run.stderr.contains("ADL0911") && run.stderr.contains("which is reserved"), "{run:#?}");
    }
}

#[test]
fn denied_warnings_prevent_writing() {
    let server = "    model: gpt-4o\n    mcp:\n      enabled: true\n      servers:\n        - {name: one, transport: stdio, command: x}\n";
    let sandbox = Sandbox::new().file("agent.yaml", &MANIFEST.replace("    model: gpt-4o\n", server));
    for command in [["validate"].as_slice(), &["generate", "-o", "out"], &["generate", "--stdout", "main.go"]] {
        let with = |flags: &[&str]| sandbox.run(&[command, flags].concat());
        let run = with(&["--deny", "warnings"]).exits(1);
        assert!(run.stderr.contains("this warning is denied by `--deny`"), "{run:#?}");
        assert!(run.stdout.is_empty() && !sandbox.path("out").exists(), "{run:#?}");
        let codes: Vec<_> = run.stderr.split("error[").skip(1).map(|rest| rest.split(']').next().unwrap()).collect();
        let flags: Vec<_> = codes.iter().flat_map(|code| ["--allow", code]).chain(["--deny", "warnings"]).collect();
        let run = with(&flags).exits(0);
        assert!(!run.stderr.contains("warning"), "{run:#?}");
        fs::remove_dir_all(sandbox.path("out")).ok();
    }
}

#[cfg(unix)]
#[test]
fn never_writes_through_outside_links() {
    let sandbox = Sandbox::with_manifest().file("outside/keep", "x").file("out/keep", "x");
    std::os::unix::fs::symlink(sandbox.path("outside"), sandbox.path("out/.adl")).unwrap();
    let before = (sandbox.snapshot("outside"), sandbox.snapshot("out"));
    let run = sandbox.run(&["generate", "-o", "out"]).exits(1);
    assert!(run.stderr.contains("`.adl` is a symbolic link"), "{run:?}");
    assert_eq!((sandbox.snapshot("outside"), sandbox.snapshot("out")), before);
}

#[cfg(unix)]
#[test]
fn quotes_names_for_the_shell() {
    let sandbox = Sandbox::with_manifest();
    for name in ["it's \"mine\" $HOME `id`", "-dash", "\u{fc}n\u{ef}", "a;b", "#x", "~", "two\nlines", "sub/.."] {
        let run = sandbox.run(&["generate", &format!("--output={name}/x")]);
        if name == "sub/.." {
            assert_eq!(run.status, Some(2), "{run:?}");
            continue;
        }
        let run = run.exits(0);
        let start = run.stdout.find("  cd ").unwrap();
        let command = &run.stdout[start..run.stdout.find("\n  go test").unwrap()];
        let there = sandbox.command("sh").args(["-ec", &format!("{command}\ntest -f Dockerfile")]).status().unwrap();
        assert!(there.success(), "{command}");
    }
}

/// Runs `adl` without permission to write everywhere, by dropping the capabilities of the superuser if necessary.
///
/// The program is not copied for that: a file that this process has open for writing cannot be executed, and a process
/// started by another test thread at that moment would inherit the open file.
#[cfg(unix)]
fn run_without_privileges(sandbox: &Sandbox, arguments: &[&str]) -> Option<Run> {
    use std::os::unix::fs::MetadataExt;
    if fs::metadata(sandbox.path(".")).unwrap().uid() != 0 {
        return Some(sandbox.run(arguments));
    }
    let unprivileged = ["--bounding-set=-all", "--inh-caps=-all"];
    let probe = sandbox.command("setpriv").args(unprivileged).arg("true").status();
    if !probe.is_ok_and(|status| status.success()) {
        return None;
    }
    let mut command = sandbox.command("setpriv");
    Some(Run::from(command.args(unprivileged).arg(env!("CARGO_BIN_EXE_adl")).args(arguments).output().unwrap()))
}

#[cfg(unix)]
#[test]
fn read_only_folder_is_unchanged() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::with_manifest().file("out/a/keep", "x");
    for path in ["out", "out/a"] {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(0o555)).unwrap();
    }
    let before = sandbox.snapshot("out");
    for output in ["out", "out/new", "out/a/new/er"] {
        let Some(run) = run_without_privileges(&sandbox, &["generate", "-o", output]) else {
            println!("skipped: setpriv not found");
            return;
        };
        let run = run.exits(2);
        assert!(run.stderr.contains("ADL0911") || run.stderr.contains("ADL0914"), "{run:?}");
        assert_eq!(sandbox.snapshot("out"), before);
    }
    for path in ["out", "out/a"] {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn read_only_subfolder_leaves_the_project_unchanged() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    let sandbox = sandbox.file("agent.yaml", &MANIFEST.replace("Tells the weather", "Tells the tide"));
    for folder in ["internal/card", ".adl"] {
        let set = |mode| {
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(sandbox.path("out").join(folder), permissions).unwrap();
        };
        let before = sandbox.snapshot("out");
        set(0o555);
        let Some(run) = run_without_privileges(&sandbox, &["generate", "-o", "out"]) else {
            println!("skipped: setpriv not found");
            return;
        };
        let run = run.exits(2);
        set(0o755);
        assert!(run.stderr.contains("ADL0914"), "{run:?}");
        assert_eq!(sandbox.snapshot("out"), before);
    }
}

#[cfg(unix)]
#[test]
fn full_disk_leaves_no_trace() {
    let sandbox = Sandbox::with_manifest().file("out/keep", "x");
    let before = sandbox.snapshot(".");
    // Simulates a full disk: no file may exceed this number of blocks.
    for blocks in [0, 1] {
        for output in ["out", "new/er"] {
            let script = format!("ulimit -f {blocks}; exec \"$0\" generate -o {output}");
            let run =
                Run::from(sandbox.command("sh").args(["-c", &script, env!("CARGO_BIN_EXE_adl")]).output().unwrap());
            let run = run.exits(2);
            assert!(run.stderr.contains("ADL0914") && run.stderr.contains("free some disk space"), "{run:?}");
            assert_eq!(sandbox.snapshot("."), before);
        }
    }
}

#[test]
fn concurrent_runs_leave_one_complete_project() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["generate", "-o", "alone"]).exits(0);
    for round in 0..5 {
        let output = format!("out{round}");
        let start = || {
            let mut command = sandbox.adl(&["generate", "-o", &output]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let children: Vec<_> = (0..6).map(|_| start()).collect();
        let runs: Vec<Run> = children.into_iter().map(|child| child.wait_with_output().unwrap().into()).collect();
        assert!(runs.iter().any(|run| run.status == Some(0)), "{runs:#?}");
        for run in &runs {
            assert!(run.status == Some(0) || run.stderr.contains("ADL0912"), "{run:#?}");
        }
        assert_eq!(sandbox.snapshot(&output), sandbox.snapshot("alone"));
    }
}

/// Runs `generate`, each time with `signal` after a longer delay, and calls `check` with each run.
#[cfg(unix)]
fn signal_at_every_moment(sandbox: &Sandbox, signal: &str, check: impl Fn(&Run)) {
    for delay in (0..30).map(|step| Duration::from_micros(step * 700)) {
        let child =
            sandbox.adl(&["generate", "-o", "deep/out"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(delay);
        sandbox.command("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
        check(&Run::from(child.wait_with_output().unwrap()));
        if sandbox.path("deep").exists() {
            fs::remove_dir_all(sandbox.path("deep")).unwrap();
        }
    }
}

#[cfg(unix)]
#[test]
fn signal_leaves_everything_or_nothing() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["generate", "-o", "alone"]).exits(0);
    let whole = sandbox.snapshot("alone");
    for signal in ["-INT", "-TERM", "-HUP"] {
        signal_at_every_moment(&sandbox, signal, |run| {
            if run.status == Some(0) {
                assert_eq!(sandbox.snapshot("deep/out"), whole);
            } else {
                assert!(run.status.is_none() || run.stderr.contains("ADL0915"), "{run:?}");
                assert!(!sandbox.path("deep").exists(), "{run:?}");
            }
        });
    }
}

#[cfg(unix)]
#[test]
fn run_after_a_kill_completes_the_new_project() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["generate", "-o", "alone"]).exits(0);
    let whole = sandbox.snapshot("alone");
    signal_at_every_moment(&sandbox, "-KILL", |_| {
        sandbox.run(&["generate", "-o", "deep/out"]).exits(0);
        assert_eq!(sandbox.snapshot("deep/out"), whole);
    });
}

#[cfg(unix)]
#[test]
fn kill_during_regeneration_keeps_edits() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["generate", "-o", "before"]).exits(0);
    for (path, line) in [("Dockerfile", "# mine\n"), (".gitignore", "/mine\n"), ("tools/get_weather.go", "// mine\n")] {
        let path = sandbox.path("before").join(path);
        fs::write(&path, fs::read_to_string(&path).unwrap() + line).unwrap();
    }
    let sandbox = sandbox.file("agent.yaml", &MANIFEST.replace("8080", "8081"));
    let start_from_before = |folder: &str| {
        let copied =
            sandbox.command("cp").args(["-r", "before", folder]).current_dir(sandbox.path("")).status().unwrap();
        assert!(copied.success());
    };
    start_from_before("alone");
    sandbox.run(&["generate", "-o", "alone"]).exits(0);
    let whole = sandbox.snapshot("alone");
    for delay in (0..30).map(|step| Duration::from_millis(step * 3)) {
        start_from_before("out");
        let mut run =
            sandbox.adl(&["generate", "-o", "out"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(delay);
        run.kill().unwrap();
        run.wait().unwrap();
        sandbox.run(&["generate", "-o", "out"]).exits(0);
        assert_eq!(sandbox.snapshot("out"), whole, "{delay:?}");
        fs::remove_dir_all(sandbox.path("out")).unwrap();
    }
}

#[test]
fn raises_too_old_go_versions_everywhere() {
    for (written, directive, image) in [
        ("1.24.9", "1.25.0", "1.25"),
        ("1.24rc1", "1.25.0", "1.25"),
        ("1.25rc1", "1.25.0", "1.25"),
        ("1.25", "1.25.0", "1.25"),
        ("1.25.3", "1.25.3", "1.25.3"),
        ("1.26rc1", "1.26rc1", "1.26rc1"),
    ] {
        let manifest = MANIFEST.replace("version: \"1.25\"", &format!("version: \"{written}\""));
        let sandbox = Sandbox::new().file("agent.yaml", &manifest);
        let run = sandbox.run(&["generate", "-o", "out"]).exits(0);
        let is_raised = !directive.starts_with(written);
        assert_eq!(run.stderr.contains("ADL0403"), is_raised, "{run:?}");
        let file = |name: &str| fs::read_to_string(sandbox.path("out").join(name)).unwrap();
        assert!(file("go.mod").contains(&format!("\ngo {directive}\n")), "{written}: {}", file("go.mod"));
        assert!(file("Dockerfile").contains(&format!("FROM golang:{image}-alpine AS build\n")), "{written}");
    }
}

#[test]
fn every_valid_id_names_a_file() {
    let long = "a".repeat(240);
    for id in ["com2", "LPT9", "nul", "run_test", "_", &long] {
        let sandbox = Sandbox::new().file("agent.yaml", &MANIFEST.replace("id: get_weather", &format!("id: {id}")));
        sandbox.run(&["validate"]).exits(0);
        let run = sandbox.run(&["generate", "-o", "out"]).exits(0);
        assert_eq!(run.stderr, "", "{id}");
    }
    for (id, code) in [("caf\u{e9}", "ADL0108"), ("\u{212a}ey", "ADL0108"), ("a-b", "ADL0108"), ("a/b", "ADL0108")] {
        let sandbox = Sandbox::new().file("agent.yaml", &MANIFEST.replace("id: get_weather", &format!("id: {id}")));
        let run = sandbox.run(&["validate"]).exits(1);
        assert!(run.stderr.contains(code) && run.stderr.contains("agent.yaml:16:11"), "{run:?}");
    }
    let tool = "    - id: get_weather\n      name: get_weather\n      description: Weather of a place\n      \
                tags: [weather]\n      schema: {type: object}\n";
    let twin = tool.replace("get_weather", "Get_Weather");
    let twins = MANIFEST.replace("  server:\n", &format!("{twin}  server:\n"));
    let run = Sandbox::new().file("agent.yaml", &twins).run(&["validate"]).exits(1);
    assert!(run.stderr.contains("ADL0208") && run.stderr.contains("agent.yaml:25:11"), "{run:?}");
}

#[test]
fn output_depends_only_on_the_manifest() {
    let sandbox = Sandbox::with_manifest().file("elsewhere/x", "");
    sandbox.run(&["generate", "-o", "one"]).exits(0);
    let (file, output) = (sandbox.path("agent.yaml"), sandbox.path("two"));
    let run = sandbox
        .adl(&["generate", "-f", file.to_str().unwrap(), "-o", output.to_str().unwrap()])
        .current_dir(sandbox.path("elsewhere"))
        .envs([("TZ", "Pacific/Kiritimati"), ("LANG", "tr_TR.UTF-8"), ("LC_ALL", "C"), ("SOURCE_DATE_EPOCH", "1")])
        .output();
    Run::from(run.unwrap()).exits(0);
    assert_eq!(sandbox.snapshot("one"), sandbox.snapshot("two"));
}

#[cfg(target_os = "linux")]
#[test]
fn printing_error_mentions_the_written_project() {
    let sandbox = Sandbox::with_manifest();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = sandbox.adl(&["generate", "-o", "out"]).stdout(full).output().unwrap();
    let run = Run::from(output).exits(2);
    assert!(run.stderr.starts_with("error: cannot print: No space left on device"), "{run:?}");
    assert!(run.stderr.ends_with("; the project in `out` was written\n"), "{run:?}");
    sandbox.run(&["generate", "-o", "alone"]).exits(0);
    assert_eq!(sandbox.snapshot("out"), sandbox.snapshot("alone"));
}
