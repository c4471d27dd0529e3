//! Servers that are commands.

use std::{
    env, io,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use rmcp::{
    RoleClient,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    select,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    sdk::{Failure, Signals},
    session::Options,
};
use crate::log::Redactor;

/// The variables that a command gets from the agent's environment. The others may be secrets that are none of its business; what it
/// needs is to be declared.
const INHERITED: [&str; 10] = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

/// Given to a command to end by itself, and once more after it was told to. Both fit into the time that an agent has to stop.
const PATIENCE: Duration = Duration::from_millis(700);

/// Bounds one line of a command's log, in bytes.
const MAX_LINE: u64 = 4096;

/// A running command, which ends when this is dropped.
pub struct CommandTransport {
    pipes: AsyncRwTransport<RoleClient, ChildStdout, ChildStdin>,
    /// What it wrote last on its standard error.
    last_line: Arc<Mutex<String>>,
    signals: Arc<Signals>,
    unused: CancellationToken,
}

impl CommandTransport {
    /// Runs the command. Its standard error goes to the log, at level debug.
    pub fn spawn(options: &Options, signals: &Arc<Signals>) -> Result<Self, Failure> {
        let server = &options.server;
        let mut command = Command::new(&server.command);
        command.args(&server.args).env_clear();
        command.envs(INHERITED.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        command.envs(server.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        let failure = |error| Failure::new(format!("cannot start {:?}: {error}", server.command));
        let mut child = command.spawn().map_err(failure)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            return Err(failure(io::ErrorKind::BrokenPipe.into()));
        };
        let last_line = Arc::<Mutex<String>>::default();
        drop(tokio::spawn(log_lines(stderr, server.name.clone(), options.redactor.clone(), last_line.clone())));
        // The agent waits for this task, whatever becomes of the session: no command outlives it.
        let unused = CancellationToken::new();
        options.tasks.spawn(end(child, unused.clone()));
        Ok(Self { pipes: AsyncRwTransport::new(stdout, stdin), last_line, signals: signals.clone(), unused })
    }
}

impl Drop for CommandTransport {
    fn drop(&mut self) {
        self.unused.cancel();
    }
}

/// Waits for a command, and ends it with all that it started when it is not used any more and does not end by itself.
async fn end(mut child: Child, unused: CancellationToken) {
    let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
    select! {
        _ = child.wait() => return,
        () = unused.cancelled() => {}
    }
    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        if timeout(PATIENCE, child.wait()).await.is_ok() {
            return;
        }
        let _ = group.map(|group| killpg(group, signal)); // it may have ended just now
    }
    let _ = child.wait().await;
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
        self.pipes.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.pipes.receive().await;
        if message.is_none() {
            let last_line = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
            let colon = if last_line.is_empty() { "" } else { ": " };
            self.signals.lose(Failure::new(format!("the command ended{colon}{last_line}")));
        }
        message
    }

    /// Closes the command's input, even if the command does not read it any more.
    async fn close(&mut self) -> io::Result<()> {
        self.unused.cancel();
        self.pipes.close().await
    }
}
