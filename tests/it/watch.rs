//! `adl generate --watch`: the project follows its manifest, regardless of how an editor saves the file.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "these tests start real processes and simulate an editor")]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::{MANIFEST, Run, Sandbox};

/// A running `adl generate --watch`, which is killed when dropped.
struct Watching<'s> {
    sandbox: &'s Sandbox,
    child: Option<Child>,
    log: PathBuf,
}

impl<'s> Watching<'s> {
    fn start(sandbox: &'s Sandbox, arguments: &[&str]) -> Self {
        let log = sandbox.path("log");
        let mut command = sandbox.adl(&[&["generate", "-o", "out", "--watch"], arguments].concat());
        let child = command.stdout(Stdio::null()).stderr(fs::File::create(&log).unwrap()).spawn().unwrap();
        let watching = Self { sandbox, child: Some(child), log };
        watching.says("Watching agent.yaml; press Ctrl-C to stop\n");
        watching
    }

    fn wait(&self, what: &str, done: impl Fn() -> bool) {
        let begin = Instant::now();
        while !done() {
            let log = fs::read_to_string(&self.log).unwrap();
            assert!(begin.elapsed() < Duration::from_mins(1), "{what} did not happen:\n{log}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[track_caller]
    fn says(&self, text: &str) {
        self.wait(text, || fs::read_to_string(&self.log).unwrap().contains(text));
    }

    /// Waits until the project uses `port`.
    fn generates(&self, port: u16) {
        let dockerfile = self.sandbox.path("out/Dockerfile");
        let line = format!("EXPOSE {port}\n");
        self.wait(&line, || fs::read_to_string(&dockerfile).is_ok_and(|text| text.contains(&line)));
    }

    fn signal(&self, signal: &str) {
        let id = self.child.as_ref().unwrap().id().to_string();
        self.sandbox.command("kill").args([signal, &id]).status().unwrap();
    }

    /// Sends a signal and waits for the process to exit.
    fn end(mut self, signal: &str) -> Run {
        self.signal(signal);
        let output = self.child.take().unwrap().wait_with_output().unwrap();
        Run { stderr: fs::read_to_string(&self.log).unwrap(), ..Run::from(output) }
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

fn manifest(port: u16) -> String {
    MANIFEST.replace("port: 8080", &format!("port: {port}"))
}

#[test]
fn notices_every_way_of_saving() {
    let sandbox = Sandbox::with_manifest();
    let watching = Watching::start(&sandbox, &[]);
    watching.generates(8080);
    // In-place write in two steps.
    fs::write(sandbox.path("agent.yaml"), "").unwrap();
    fs::write(sandbox.path("agent.yaml"), manifest(8081)).unwrap();
    watching.generates(8081);
    // Replacement by rename.
    fs::write(sandbox.path("agent.yaml.swp"), manifest(8082)).unwrap();
    fs::rename(sandbox.path("agent.yaml.swp"), sandbox.path("agent.yaml")).unwrap();
    watching.generates(8082);
    // The old file is renamed first.
    fs::rename(sandbox.path("agent.yaml"), sandbox.path("agent.yaml~")).unwrap();
    fs::write(sandbox.path("agent.yaml"), manifest(8083)).unwrap();
    watching.generates(8083);
    // The file is replaced by a symbolic link.
    fs::write(sandbox.path("other.yaml"), manifest(8084)).unwrap();
    fs::remove_file(sandbox.path("agent.yaml")).unwrap();
    std::os::unix::fs::symlink("other.yaml", sandbox.path("agent.yaml")).unwrap();
    watching.generates(8084);
    fs::write(sandbox.path("other.yaml"), manifest(8085)).unwrap();
    watching.generates(8085);
    let run = watching.end("-INT").exits(0);
    assert!(run.stderr.ends_with("Stopped watching\n"), "{run:#?}");
}

#[test]
fn invalid_manifest_keeps_the_last_project() {
    let sandbox = Sandbox::with_manifest();
    let watching = Watching::start(&sandbox, &[]);
    let before = sandbox.snapshot("out");
    fs::write(sandbox.path("agent.yaml"), MANIFEST.replace("port: 8080", "port: eighty")).unwrap();
    watching.says("error[ADL0101]");
    fs::remove_file(sandbox.path("agent.yaml")).unwrap();
    watching.says("error[ADL0901]");
    assert_eq!(sandbox.snapshot("out"), before);
    fs::write(sandbox.path("agent.yaml"), manifest(8081)).unwrap();
    watching.generates(8081);
    watching.end("-TERM").exits(0);
}

#[test]
fn reports_conflicts_until_they_are_resolved() {
    let sandbox = Sandbox::with_manifest().file("out/Dockerfile", "mine");
    let watching = Watching::start(&sandbox, &[]);
    watching.says("error[ADL0601]");
    assert!(!sandbox.path("out/main.go").exists());
    fs::remove_file(sandbox.path("out/Dockerfile")).unwrap();
    fs::write(sandbox.path("agent.yaml"), manifest(8081)).unwrap();
    watching.generates(8081);
    watching.end("-TERM").exits(0);
}

#[test]
fn hooks_run_after_changes() {
    let hooks = "  hooks: {post: [\"sh -c 'echo x >> count'\"]}\n";
    let sandbox = Sandbox::new().file("agent.yaml", &format!("{MANIFEST}{hooks}"));
    let watching = Watching::start(&sandbox, &["--run-hooks"]);
    let count = || fs::read_to_string(sandbox.path("out/count")).unwrap_or_default().lines().count();
    watching.wait("the first hook", || count() == 1);
    fs::write(sandbox.path("agent.yaml"), format!("{}{hooks}", manifest(8081))).unwrap();
    watching.wait("the second hook", || count() == 2);
    watching.end("-HUP").exits(0);
}

#[test]
fn unrecoverable_errors_end_the_watch() {
    let run = Sandbox::new().run(&["generate", "--watch"]).exits(2);
    assert!(run.stderr.contains("ADL0901"), "{run:#?}");
    let sandbox = Sandbox::with_manifest();
    for other in [["--dry-run"].as_slice(), &["--json"], &["--stdout", "main.go"], &["--check"], &["--adopt"]] {
        let run = sandbox.run(&[&["generate", "--watch"], other].concat()).exits(2);
        assert!(run.stderr.contains("cannot be used with"), "{run:#?}");
    }
}
