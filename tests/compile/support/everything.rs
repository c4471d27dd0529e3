//! The npm package `@modelcontextprotocol/server-everything`, the reference server of MCP.

use std::{
    fs,
    io::{BufRead, BufReader, copy, sink},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
    thread,
};

use super::project::{build, workshop};

/// The folder it is installed in, made by `npm ci` from the committed lock file.
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
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile/everything")
}

/// A running `server-everything` over streamable HTTP; killed when dropped.
#[derive(Debug)]
pub(crate) struct EverythingServer {
    child: Child,
    port: u16,
}

impl EverythingServer {
    /// Starts it on a free port.
    pub(crate) fn start() -> Self {
        Self::on(0)
    }

    /// Kills it and starts a new one on the same port.
    pub(crate) fn restart(&mut self) {
        let port = self.port;
        self.kill();
        *self = Self::on(port);
    }

    /// Kills it.
    pub(crate) fn kill(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }

    /// `http://127.0.0.1:PORT`, without the endpoint `/mcp`.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn on(port: u16) -> Self {
        let server = INSTALLED.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
        let mut command = Command::new("node");
        command.arg("--import").arg(source().join("loopback.mjs")).arg(server).arg("streamableHttp");
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
        Self { child, port }
    }
}

impl Drop for EverythingServer {
    fn drop(&mut self) {
        self.kill();
    }
}
