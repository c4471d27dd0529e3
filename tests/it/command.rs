//! The `adl` command: output streams, exit status and unreadable files.
#![expect(clippy::disallowed_methods, reason = "these tests start the real process and write its input")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use super::support::MANIFEST;

fn adl(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adl"));
    command.current_dir(folder).env_clear();
    command
}

fn validate(file: &str, bytes: &[u8]) -> (i32, String, String) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(file), bytes).unwrap();
    outcome(&adl(folder.path()).args(["validate", file]).output().unwrap())
}

/// Returns exit status, standard output and standard error.
fn outcome(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn reports_valid_manifest_on_stdout() {
    let (status, stdout, stderr) = validate("mine.yaml", MANIFEST.as_bytes());
    assert_eq!((status, stdout.as_str(), stderr.as_str()), (0, "mine.yaml is valid\n", ""));
}

#[test]
fn reads_agent_yaml_by_default() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("agent.yaml"), MANIFEST).unwrap();
    let (status, stdout, _) = outcome(&adl(folder.path()).arg("validate").output().unwrap());
    assert_eq!((status, stdout.as_str()), (0, "agent.yaml is valid\n"));
}

#[test]
fn encoding_errors_exit_1_on_stderr() {
    for bytes in [&b""[..], b"# nothing\n", b"a: \xff\n", b"a: 1\n---\nb: 2\n", b"a: [", b"\0", b"a: 1\na: 2\n"] {
        let (status, stdout, stderr) = validate("bad.yaml", bytes);
        assert_eq!((status, stdout.as_str()), (1, ""), "{bytes:?}: {stderr}");
        assert!(stderr.contains("--> bad.yaml:"), "{stderr}");
        assert!(stderr.contains("= help: "), "{stderr}");
        assert!(stderr.lines().last().unwrap().starts_with("bad.yaml: "), "{stderr}");
        assert!(!stderr.contains('\u{1b}'), "colour without a terminal: {stderr}");
    }
}

#[test]
fn unreadable_files_exit_2_with_path_and_help() {
    let folder = TempDir::new().unwrap();
    for (file, code) in [("missing.yaml", "ADL0901"), (".", "ADL0905"), ("missing/agent.yaml", "ADL0901")] {
        let (status, stdout, stderr) = outcome(&adl(folder.path()).args(["validate", file]).output().unwrap());
        assert_eq!((status, stdout.as_str()), (2, ""));
        assert!(stderr.contains(code) && stderr.contains(&format!("`{file}`")), "{stderr}");
        assert!(stderr.contains("= help: "), "{stderr}");
    }
}

#[test]
fn invalid_arguments_exit_2_and_help_exits_0() {
    let folder = TempDir::new().unwrap();
    let run = |arguments: &[&str]| outcome(&adl(folder.path()).args(arguments).output().unwrap());
    assert_eq!(run(&["validat"]).0, 2);
    assert_eq!(run(&["validate", "--format", "xml"]).0, 2);
    assert_eq!(run(&["--version"]), (0, format!("adl {}\n", env!("CARGO_PKG_VERSION")), String::new()));
    let (status, stdout, stderr) = run(&["validate", "--help"]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(stdout.lines().all(|line| line.len() <= 100), "{stdout}");
}

#[test]
fn colour_follows_terminal_and_environment() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("agent.yaml"), "a: 1\na: 2\n").unwrap();
    let coloured = |variables: &[(&str, &str)]| {
        let output = adl(folder.path()).arg("validate").envs(variables.iter().copied()).output().unwrap();
        outcome(&output).2.contains('\u{1b}')
    };
    assert!(!coloured(&[]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("CLICOLOR", "0")]));
    assert!(!coloured(&[("NO_COLOR", "1")]));
}

#[test]
fn broken_pipe_is_not_an_error() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("agent.yaml"), MANIFEST).unwrap();
    for arguments in [&["validate"][..], &["--help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = adl(folder.path()).args(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let (status, _, stderr) = outcome(&output);
        assert_eq!((status, stderr.as_str()), (0, ""));
    }
}

#[test]
fn syntax_errors_are_reported_once() {
    let text = MANIFEST.replace("port: 8080", "port: .inf").replace("capabilities:", "capabilities: *nope\n  x-other:");
    let (status, _, stderr) = validate("once.yaml", text.as_bytes());
    assert_eq!(status, 1);
    assert!(stderr.ends_with("once.yaml: 2 errors\n"), "{stderr}");
}

#[test]
fn hides_secrets_in_invalid_yaml() {
    for text in [
        "headers:\n  Authorization: Bearer s3cr3t-value: x\n",
        "headers:\n  Authorization: \"Bearer s3cr3t-value\n",
        "env: {API_TOKEN: s3cr3t-value\n",
        "env:\n  - API_TOKEN: s3cr3t-value\n\tb: 1\n",
    ] {
        let (status, _, stderr) = validate("secret.yaml", text.as_bytes());
        assert_eq!(status, 1);
        assert!(!stderr.contains("s3cr3t"), "{stderr}");
    }
}

#[test]
fn hides_secrets_of_invalid_manifests_in_every_format() {
    let block =
        "  agent:\n    mcp:\n      enabled: true\n      servers:\n        - name: s\n          transport: http\n";
    let servers = [
        "url: user:s3cr3t-value@h",
        "url: //user:s3cr3t-value@h",
        "url: https://h\n          headers:\n            Authorization: [s3cr3t-value]",
        "url: https://h\n          headers: \"Authorization: Bearer s3cr3t-value\"",
        "url: https://h\n          env: \"TOKEN=s3cr3t-value\"",
        "url: https://h\n          headers:\n            Authorization: s3cr3t-value\n            Authorization: s3cr3t-value2",
        "url: https://h\n          headers:\n            Authorization:\n            - s3cr3t-value\n            Authorization: x",
        "url: https://h\n          token: s3cr3t-value",
        "url: https://h\n          headers: {X-Creds: s3cr3t-value}\n          Headers: {X-Creds: s3cr3t-value}",
        "url: https://h\n          command: npx --token=s3cr3t-value",
    ];
    let mut texts: Vec<_> = servers
        .iter()
        .map(|server| MANIFEST.replacen("spec:\n", &format!("spec:\n{block}          {server}\n"), 1))
        .collect();
    texts.push(MANIFEST.replacen("spec:\n", "spec:\n  agent:\n    apiKey: s3cr3t-value\n", 1));
    texts.push(MANIFEST.replacen("spec:\n", "spec:\n  config:\n    db:\n      password: s3cr3t-value\n", 1));
    for address in ["https://s3cr3t-value:x@h", "https://h/?key=s3cr3t-value", "HTTPS://s3cr3t-value@h"] {
        texts.push(MANIFEST.replacen("spec:\n", &format!("spec:\n  card:\n    documentationUrl: {address}\n"), 1));
    }
    let folder = TempDir::new().unwrap();
    for text in texts {
        assert!(text.contains("s3cr3t"));
        fs::write(folder.path().join("agent.yaml"), &text).unwrap();
        for format in ["text", "json", "sarif", "github", "gitlab", "junit"] {
            let output = adl(folder.path()).args(["validate", "--format", format]).output().unwrap();
            let (_, stdout, stderr) = outcome(&output);
            assert!(stdout.contains("ADL") || stderr.contains("ADL"), "{text}\n{stdout}{stderr}");
            assert!(!stdout.contains("s3cr3t") && !stderr.contains("s3cr3t"), "{text}\n{stdout}{stderr}");
        }
    }
}

#[test]
fn limits_and_counts_repeated_findings() {
    let text = "k: 1\n".repeat(1_001);
    let (status, _, stderr) = validate("many.yaml", text.as_bytes());
    assert_eq!(status, 1);
    assert_eq!(stderr.matches("error[ADL0005]").count(), 100);
    assert!(stderr.contains("900 more findings of ADL0005"), "{stderr}");
    assert!(stderr.contains("many.yaml: 1004 errors"), "{stderr}");
}

/// Creates a named pipe.
#[cfg(unix)]
fn pipe(folder: &Path, name: &str) {
    assert!(Command::new("mkfifo").arg(folder.join(name)).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn reads_pipes_like_files() {
    let folder = TempDir::new().unwrap();
    pipe(folder.path(), "pipe.yaml");
    let child =
        adl(folder.path()).args(["validate", "pipe.yaml"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    fs::write(folder.path().join("pipe.yaml"), MANIFEST).unwrap();
    let (status, stdout, _) = outcome(&child.unwrap().wait_with_output().unwrap());
    assert_eq!((status, stdout.as_str()), (0, "pipe.yaml is valid\n"));

    fs::write(folder.path().join("agent.yaml"), MANIFEST).unwrap();
    let script = format!("'{}' validate <(cat agent.yaml)", env!("CARGO_BIN_EXE_adl"));
    let Ok(output) = Command::new("bash").args(["-c", &script]).current_dir(folder.path()).output() else {
        println!("skipped the rest: no bash");
        return;
    };
    let (status, stdout, stderr) = outcome(&output);
    assert!(status == 0 && stdout.ends_with(" is valid\n"), "{stdout}{stderr}");
}

#[cfg(unix)]
#[test]
fn gives_up_on_pipes_without_a_writer() {
    let folder = TempDir::new().unwrap();
    pipe(folder.path(), "agent.yaml");
    let (status, _, stderr) = outcome(&adl(folder.path()).arg("validate").output().unwrap());
    assert_eq!(status, 2);
    assert!(stderr.contains("error[ADL0903]: `agent.yaml` is a pipe without a writer"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn rejects_devices() {
    let folder = TempDir::new().unwrap();
    let (status, _, stderr) = outcome(&adl(folder.path()).args(["validate", "/dev/zero"]).output().unwrap());
    assert_eq!(status, 2);
    assert!(stderr.contains("error[ADL0903]: `/dev/zero` is not a regular file"), "{stderr}");

    let mut endless = adl(folder.path());
    let zero = fs::File::open("/dev/zero").unwrap();
    let (status, _, stderr) = outcome(&endless.args(["validate", "-"]).stdin(zero).output().unwrap());
    assert_eq!(status, 2);
    assert!(stderr.contains("error[ADL0904]: `<stdin>` is larger than 64 MiB"), "{stderr}");
}
