//! A sandbox that runs the real binary, isolated from the user's environment.
#![expect(clippy::disallowed_methods, reason = "tests prepare folders and start real processes")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;
use walkdir::WalkDir;

/// A small valid manifest.
pub(crate) const MANIFEST: &str = "\
apiVersion: adl.inference-gateway.com/v1
kind: Agent
metadata:
  name: weather-agent
  description: Tells the weather
  version: 0.1.0
spec:
  capabilities:
    streaming: true
    pushNotifications: false
    stateTransitionHistory: false
  agent:
    provider: openai
    model: gpt-4o
  tools:
    - id: get_weather
      name: get_weather
      description: Weather of a place
      tags: [weather]
      schema:
        type: object
        properties:
          place:
            type: string
  server:
    port: 8080
  language:
    go:
      module: example.com/weather-agent
      version: \"1.25\"
";

/// The value of folders in a snapshot.
pub(crate) const FOLDER: &str = "folder";

/// A temporary folder in which all commands run, with its own HOME and an otherwise empty environment except PATH.
pub(crate) struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    /// An empty sandbox.
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    /// A sandbox with `agent.yaml`.
    pub(crate) fn with_manifest() -> Self {
        Self::new().file("agent.yaml", MANIFEST)
    }

    /// Adds a file and its parent folders.
    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// The full path of a file in the sandbox.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(path)
    }

    /// A command for a program, with the sandbox's environment.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env_clear().env("HOME", self.path("home"));
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command
    }

    /// A command for `adl` with arguments.
    pub(crate) fn adl(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_adl"));
        command.args(arguments);
        command
    }

    /// Runs `adl`.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::from(self.adl(arguments).output().unwrap())
    }

    /// Runs `adl` with `input` on standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Run {
        let mut command = self.adl(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_ref()).unwrap();
        Run::from(child.wait_with_output().unwrap())
    }

    /// Every path below `path` with the contents of files, the target of links, or [`FOLDER`]. Empty if `path` does not
    /// exist.
    pub(crate) fn snapshot(&self, path: &str) -> BTreeMap<PathBuf, String> {
        let root = self.path(path);
        let mut entries = BTreeMap::new();
        for entry in WalkDir::new(&root).into_iter().filter_map(Result::ok) {
            let kind = entry.file_type();
            let contents = if kind.is_file() {
                let bytes = fs::read(entry.path()).unwrap();
                // Bytes that are not UTF-8 are converted one by one.
                String::from_utf8(bytes)
                    .unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect())
            } else if kind.is_symlink() {
                format!("link to {}", fs::read_link(entry.path()).unwrap().display())
            } else {
                FOLDER.to_owned()
            };
            entries.insert(entry.path().strip_prefix(&root).unwrap().to_owned(), contents);
        }
        entries
    }
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    /// Exit status; `None` after a signal.
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// Asserts the exit status.
    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self:#?}");
        self
    }
}
