//! Servers that are commands.

use std::{
    env, io,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use rmcp::{
    RoleClient,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{TokioChildProcess, Transport},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{ChildStderr, Command},
    time::sleep,
};

use super::{
    sdk::{Failure, Signals},
    session::Options,
};
use crate::log::Redactor;

/// The variables that a command gets from the agent's environment. The others may be secrets that are none of its business; what it
/// needs is to be declared.
const INHERITED: [&str; 10] = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

/// Given to a command to end by itself, and once more after it was told to; the library waits longer than an agent that is to stop.
const PATIENCE: Duration = Duration::from_millis(700);

/// Bounds one line of a command's log, in bytes.
const MAX_LINE: u64 = 4096;

/// A running command.
pub struct CommandTransport {
    child: TokioChildProcess,
    /// What it wrote last on its standard error.
    last_line: Arc<Mutex<String>>,
    signals: Arc<Signals>,
}

impl CommandTransport {
    /// Runs the command. Its standard error goes to the log, at level debug.
    pub fn spawn(options: &Options, signals: &Arc<Signals>) -> Result<Self, Failure> {
        let server = &options.server;
        let mut command = Command::new(&server.command);
        command.args(&server.args).kill_on_drop(true).env_clear();
        command.envs(INHERITED.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        command.envs(server.env.iter().map(|(name, value)| (name, value)));
        let spawned = TokioChildProcess::builder(command).stderr(Stdio::piped()).spawn();
        let (child, stderr) =
            spawned.map_err(|error| Failure::new(format!("cannot start {:?}: {error}", server.command)))?;
        let last_line = Arc::<Mutex<String>>::default();
        if let Some(stderr) = stderr {
            let (server, redactor) = (server.name.clone(), options.redactor.clone());
            drop(tokio::spawn(log_lines(stderr, server, redactor, last_line.clone())));
        }
        Ok(Self { child, last_line, signals: signals.clone() })
    }

    /// None when the command has ended.
    fn pid(&self) -> Option<Pid> {
        self.child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw)
    }
}

impl Drop for CommandTransport {
    fn drop(&mut self) {
        // The library kills in a task, which the end of the agent overtakes.
        if let Some(pid) = self.pid() {
            let _ = kill(pid, Signal::SIGKILL);
        }
    }
}

/// Logs what a command writes, line by line, and keeps the last one.
async fn log_lines(stderr: ChildStderr, server: String, redactor: Redactor, last_line: Arc<Mutex<String>>) {
    let mut lines = BufReader::new(stderr);
    let mut line = Vec::new();
    while (&mut lines).take(MAX_LINE).read_until(b'\n', &mut line).await.is_ok_and(|read| read > 0) {
        let text = redactor.redact(String::from_utf8_lossy(&line).trim());
        if !text.is_empty() {
            tracing::debug!(server, text, "MCP server wrote");
            *last_line.lock().unwrap_or_else(PoisonError::into_inner) = text;
        }
        line.clear();
    }
}

impl Transport<RoleClient> for CommandTransport {
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleClient>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.child.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.child.receive().await;
        if message.is_none() {
            let last_line = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
            let colon = if last_line.is_empty() { "" } else { ": " };
            self.signals.lose(Failure::new(format!("the command ended{colon}{last_line}")));
        }
        message
    }

    /// Closes the command's input, and ends a command that does not end by itself.
    async fn close(&mut self) -> io::Result<()> {
        let pid = self.pid();
        let ended = self.child.close();
        tokio::select! {
            ended = ended => ended,
            () = end(pid) => Ok(()),
        }
    }
}

async fn end(pid: Option<Pid>) {
    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        sleep(PATIENCE).await;
        if let Some(pid) = pid {
            let _ = kill(pid, signal); // it may have ended just now
        }
    }
    std::future::pending().await
}
