//! The npm package `@modelcontextprotocol/server-everything`, the reference server of MCP.

use std::{
    env, fs,
    io::{BufRead, BufReader, copy, sink},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
    thread,
};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;

use super::{
    Launch,
    project::{build, workshop},
};

/// The installation folder, created by `npm ci` from the committed lock file.
static INSTALLED: LazyLock<PathBuf> = LazyLock::new(|| {
    let (source, folder) = (source(), workshop().join("everything"));
    let (lock_file, installed) = (source.join("package-lock.json"), folder.join("installed.json"));
    let wanted = fs::read(&lock_file).unwrap();
    if fs::read(&installed).ok().as_ref() != Some(&wanted) {
        fs::create_dir_all(&folder).unwrap();
        for name in ["package.json", "package-lock.json"] {
            fs::copy(source.join(name), folder.join(name)).unwrap();
        }
        let quiet = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"];
        build(Command::new("npm").args(quiet).current_dir(&folder));
        fs::write(&installed, &wanted).unwrap();
    }
    folder
});

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("everything")
}

/// The server's program. Its only argument is the transport.
fn program() -> PathBuf {
    INSTALLED.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js")
}

/// A running `server-everything` with a URL, killed when dropped.
#[derive(Debug)]
pub(crate) struct EverythingServer {
    child: Child,
    transport: &'static str,
    port: u16,
}

impl EverythingServer {
    /// Starts the server on a free port with streamable HTTP.
    pub(crate) fn start() -> Self {
        Self::on(0, "streamableHttp")
    }

    /// Starts the server on a free port with server-sent events.
    pub(crate) fn start_sse() -> Self {
        Self::on(0, "sse")
    }

    /// Kills the server and starts a new one on the same port.
    pub(crate) fn restart(&mut self) {
        let (port, transport) = (self.port, self.transport);
        self.kill();
        *self = Self::on(port, transport);
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }

    /// `http://127.0.0.1:PORT`, without the path `/mcp` or `/sse`.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn on(port: u16, transport: &'static str) -> Self {
        let mut command = Command::new("node");
        command.arg("--import").arg(source().join("loopback.mjs")).arg(program()).arg(transport);
        command.env("PORT", port.to_string()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        let port = loop {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "server-everything ended early");
            if let Some(port) = line.strip_prefix("listening on ") {
                break port.trim().parse().unwrap();
            }
        };
        thread::spawn(move || copy(&mut output, &mut sink()));
        Self { child, transport, port }
    }
}

impl Drop for EverythingServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A `server-everything` that an agent starts as a command, any number of times. Running processes are killed when this
/// is dropped.
#[derive(Debug)]
pub(crate) struct EverythingCommand {
    folder: TempDir,
}

impl EverythingCommand {
    /// Creates a command that has not been started.
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Sets the variables that the manifest [`three_transports`](super::manifests::three_transports) uses to start the
    /// command.
    pub(crate) fn provide(&self, launch: Launch) -> Launch {
        launch
            .env("PATH", env::var_os("PATH").unwrap())
            .env("EVERYTHING_PRELUDE", source().join("process-id.mjs"))
            .env("EVERYTHING_PROGRAM", program())
            .env("EVERYTHING_STARTED", self.started())
    }

    /// All processes that were started.
    pub(crate) fn processes(&self) -> Vec<Pid> {
        let started = fs::read_to_string(self.started()).unwrap_or_default();
        started.lines().map(|line| Pid::from_raw(line.parse().unwrap()).unwrap()).collect()
    }

    /// The processes that are still running.
    pub(crate) fn running(&self) -> Vec<Pid> {
        self.processes().into_iter().filter(|process| test_kill_process(*process).is_ok()).collect()
    }

    /// Kills the running processes.
    pub(crate) fn kill(&self) {
        for process in self.running() {
            kill_process(process, Signal::KILL).ok(); // it may have ended since
        }
    }

    fn started(&self) -> PathBuf {
        self.folder.path().join("started")
    }
}

impl Drop for EverythingCommand {
    fn drop(&mut self) {
        self.kill();
    }
}
