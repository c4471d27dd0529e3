//! The `adl fix` command: output, exit status and the resulting file.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use super::support::{MANIFEST, Run, Sandbox};

fn outdated() -> String {
    MANIFEST.replace("adl.inference-gateway.com/v1", "adl.dev/v1 # old")
}

fn fixed() -> String {
    MANIFEST.replace("adl.inference-gateway.com/v1", "adl.inference-gateway.com/v1 # old")
}

#[test]
fn fixes_a_manifest_in_place() {
    let sandbox = Sandbox::new().file("agent.yaml", &outdated());
    let run = sandbox.run(&["fix"]).exits(0);
    assert_eq!(
        run.stdout,
        "agent.yaml: 1 fix applied\n  ADL0112  `apiVersion: adl.dev/v1` is outdated: \
         write `adl.inference-gateway.com/v1`\n"
    );
    assert_eq!(run.stderr, "");
    assert_eq!(fs::read_to_string(sandbox.path("agent.yaml")).unwrap(), fixed());
    let names: Vec<_> =
        sandbox.snapshot("").into_keys().filter(|path| path.to_str().unwrap().contains("yaml")).collect();
    assert_eq!(names.len(), 1, "unexpected files: {names:?}");
    assert_eq!(sandbox.run(&["fix"]).exits(0).stdout, "agent.yaml: nothing to fix\n");
    sandbox.run(&["validate"]).exits(0);
}

#[test]
fn remaining_errors_are_listed_and_exit_1() {
    let sandbox = Sandbox::new().file("a.yaml", &outdated().replace("  server:\n    port: 8080\n", ""));
    let run = sandbox.run(&["fix", "a.yaml"]).exits(1);
    assert!(run.stdout.starts_with("a.yaml: 1 fix applied\n"), "{run:#?}");
    assert!(run.stderr.contains("error[ADL0102]: missing key `server` in `spec`"), "{run:#?}");
    assert!(run.stderr.contains("--> a.yaml:7:1"), "{run:#?}");
    assert!(run.stderr.ends_with("a.yaml: 1 error\n"), "{run:#?}");
}

#[test]
fn diff_and_check_write_nothing() {
    let sandbox = Sandbox::new().file("agent.yaml", &outdated());
    let run = sandbox.run(&["fix", "--diff"]).exits(0);
    assert_eq!(
        run.stdout,
        "--- agent.yaml (before)\n+++ agent.yaml (after)\n@@ -1,4 +1,4 @@\n-apiVersion: adl.dev/v1 # old\n\
         +apiVersion: adl.inference-gateway.com/v1 # old\n kind: Agent\n metadata:\n   name: weather-agent\n"
    );
    let run = sandbox.run(&["fix", "--check"]).exits(1);
    assert!(run.stdout.starts_with("agent.yaml: 1 fix available\n"), "{run:#?}");
    let run = sandbox.run(&["fix", "--check", "--diff"]).exits(1);
    assert!(run.stdout.starts_with("--- agent.yaml"), "{run:#?}");
    assert_eq!(fs::read_to_string(sandbox.path("agent.yaml")).unwrap(), outdated());

    let sandbox = Sandbox::with_manifest();
    assert_eq!(sandbox.run(&["fix", "--check"]).exits(0).stdout, "agent.yaml: nothing to fix\n");
    assert_eq!(sandbox.run(&["fix", "--diff"]).exits(0).stdout, "");
}

#[test]
fn diff_hides_credentials() {
    let server = "    model: gpt-4o\n    mcp:\n      enabled: true\n      servers:\n        - name: s\n          transport: http\n          \
                  url: https://example.com\n          headers: {Authorization: Bearer opensesame}\n";
    let manifest = MANIFEST
        .replace("    model: gpt-4o\n", server)
        .replace("    - id: get_weather\n      name", "    # password=opensesame\n    - name");
    let sandbox = Sandbox::new().file("agent.yaml", &manifest);
    let run = sandbox.run(&["fix", "--diff"]).exits(0);
    assert!(run.stdout.contains("+    - id: get_weather\n+      name: get_weather\n"), "{run:#?}");
    assert!(run.stdout.contains("headers: {Authorization: <hidden>}"), "{run:#?}");
    assert!(!run.stdout.contains("opensesame") && !run.stderr.contains("opensesame"), "{run:#?}");
    sandbox.run(&["fix"]).exits(0);
    assert!(fs::read_to_string(sandbox.path("agent.yaml")).unwrap().contains("Bearer opensesame"));
}

#[test]
fn unwritable_file_exits_2() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["fix"]).exits(2);
    assert!(run.stderr.contains("error[ADL0901]: file `agent.yaml` not found"), "{run:#?}");
    let sandbox = Sandbox::new().file("agent.yaml", "a: b: c\n");
    sandbox.run(&["fix"]).exits(1);
    assert_eq!(fs::read_to_string(sandbox.path("agent.yaml")).unwrap(), "a: b: c\n");
}

#[test]
fn fixes_files_and_folders_once() {
    let sandbox =
        Sandbox::new().file("old.yaml", &outdated()).file("new.yaml", MANIFEST).file("all/agent.yaml", &outdated());
    let arguments = ["fix", "old.yaml", "new.yaml", "./old.yaml", "all"];
    let run = sandbox.run(&[arguments.as_slice(), &["--check"]].concat()).exits(1);
    assert!(run.stdout.ends_with("3 manifests: 2 fixes available\n"), "{run:#?}");
    let run = sandbox.run(&[arguments.as_slice(), &["--diff"]].concat()).exits(0);
    assert!(run.stdout.starts_with("--- old.yaml") && run.stdout.contains("--- all/agent.yaml"), "{run:#?}");
    assert_eq!(fs::read_to_string(sandbox.path("old.yaml")).unwrap(), outdated());

    let run = sandbox.run(&arguments).exits(0);
    let names: Vec<_> = run.stdout.lines().filter(|line| !line.starts_with(' ')).collect();
    let expected = [
        "old.yaml: 1 fix applied",
        "new.yaml: nothing to fix",
        "all/agent.yaml: 1 fix applied",
        "3 manifests: 2 fixes applied",
    ];
    assert_eq!((names, run.stderr.as_str()), (expected.to_vec(), ""));
    for file in ["old.yaml", "all/agent.yaml"] {
        assert_eq!(fs::read_to_string(sandbox.path(file)).unwrap(), fixed());
    }
    assert_eq!(fs::read_to_string(sandbox.path("new.yaml")).unwrap(), MANIFEST);
}

#[test]
fn unreadable_files_do_not_stop_the_others() {
    let sandbox =
        Sandbox::new().file("old.yaml", &outdated()).file("bad.yaml", "a: b: c\n").file("empty/notes.txt", "");
    let run = sandbox.run(&["fix", "missing.yaml", "empty", "bad.yaml", "old.yaml"]).exits(2);
    assert_eq!(fs::read_to_string(sandbox.path("old.yaml")).unwrap(), fixed());
    for finding in [
        "error[ADL0901]",
        "error[ADL0905]",
        "--> bad.yaml:1:5",
        "pass manifests or folders that contain manifests: `adl fix PATH...`",
    ] {
        assert!(run.stderr.contains(finding), "{finding} in {}", run.stderr);
    }
}

#[test]
fn fixes_standard_input() {
    let sandbox = Sandbox::new().file("agent.yaml", &outdated());
    let run = sandbox.run_with_input(&["fix", "-"], outdated()).exits(0);
    assert_eq!(run.stdout, fixed());
    assert!(run.stderr.starts_with("<stdin>: 1 fix applied\n  ADL0112"), "{run:#?}");
    assert_eq!(sandbox.run_with_input(&["fix", "-"], MANIFEST).exits(0).stdout, MANIFEST);
    let run = sandbox.run_with_input(&["fix", "--check", "-"], outdated()).exits(1);
    assert!(run.stdout.starts_with("<stdin>: 1 fix available\n"), "{run:#?}");
    let run = sandbox.run_with_input(&["fix", "--diff", "-"], outdated()).exits(0);
    assert!(run.stdout.starts_with("--- <stdin> (before)\n"), "{run:#?}");

    let run = sandbox.run_with_input(&["fix", "-", "agent.yaml"], outdated()).exits(0);
    assert_eq!(run.stdout, fixed(), "the list of fixes is on standard error");
    assert_eq!(fs::read_to_string(sandbox.path("agent.yaml")).unwrap(), fixed());
}

#[cfg(unix)]
#[test]
#[expect(clippy::disallowed_methods, reason = "the test writes the command's input")]
fn fixes_pipes_to_stdout() {
    use std::os::unix::fs::FileTypeExt as _;
    let sandbox = Sandbox::new();
    let pipe = sandbox.path("agent.yaml");
    assert!(sandbox.command("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = sandbox.adl(&["fix"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    fs::write(&pipe, outdated()).unwrap();
    let run = Run::from(child.wait_with_output().unwrap()).exits(0);
    assert_eq!(run.stdout, fixed());
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

#[test]
fn unfixable_standard_input_is_unchanged() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run_with_input(&["fix", "-"], "a: b: c\n").exits(1).stdout, "a: b: c\n");
    let mut child = sandbox.adl(&["fix", "-"]);
    let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.as_ref().unwrap().write_all(b"a: \xff\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), b"a: \xff\n".as_slice()));
}

#[cfg(unix)]
#[test]
fn read_only_files_are_not_changed() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new().file("agent.yaml", &outdated());
    fs::set_permissions(sandbox.path("agent.yaml"), fs::Permissions::from_mode(0o444)).unwrap();
    let run = sandbox.run(&["fix"]).exits(2);
    assert!(run.stderr.contains("error[ADL0917]: `agent.yaml` is read-only; nothing was written"), "{run:#?}");
    assert_eq!(run.stdout, "");
    assert_eq!(fs::read_to_string(sandbox.path("agent.yaml")).unwrap(), outdated());
    sandbox.run(&["fix", "--diff"]).exits(0);
}

#[cfg(unix)]
#[test]
fn preserves_mode_and_links() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new().file("real/agent.yaml", &outdated());
    fs::set_permissions(sandbox.path("real/agent.yaml"), fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real/agent.yaml", sandbox.path("agent.yaml")).unwrap();
    sandbox.run(&["fix"]).exits(0);
    assert!(fs::symlink_metadata(sandbox.path("agent.yaml")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(sandbox.path("real/agent.yaml")).unwrap(), fixed());
    assert_eq!(fs::metadata(sandbox.path("real/agent.yaml")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn number_instead_of_duration_needs_a_decision() {
    let mcp = "model: gpt-4o\n    mcp: {enabled: false, callTimeout: 30}";
    let sandbox = Sandbox::new().file("agent.yaml", &MANIFEST.replace("model: gpt-4o", mcp));
    let run = sandbox.run(&["validate"]).exits(1);
    assert!(run.stderr.contains("write `30s`"), "{run:#?}");
    let before = sandbox.snapshot(".");
    sandbox.run(&["fix"]).exits(1);
    assert_eq!(sandbox.snapshot("."), before);
}
