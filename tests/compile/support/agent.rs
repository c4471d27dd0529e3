//! A running agent.

use std::{
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

pub(crate) use rustix::process::Signal;
use rustix::process::{Pid, kill_process};
use serde_json::Value;

use super::{
    Client, ModelServer, Project, Protocol, RawClient,
    local::{lock, unlocked},
    wait::eventually,
};

/// The end of an agent.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit status; `None` if a signal terminated it.
    pub(crate) code: Option<i32>,
    /// Everything that it wrote to standard error.
    pub(crate) log: String,
    /// How long it took, measured from the signal or the start.
    pub(crate) took: Duration,
}

impl Ended {
    /// Asserts that the agent exited with status 1 and an error message that contains all of these names.
    #[track_caller]
    pub(crate) fn refused_naming(&self, names: &[&str]) {
        assert_eq!(self.code, Some(1), "{}", self.log);
        let error = self.log.lines().find(|line| line.contains("\"ERROR\"")).unwrap_or_default();
        for name in names {
            assert!(error.contains(name), "{name} is not named in: {}", self.log);
        }
    }
}

/// The command of an agent. Only the variables that are set here are in its environment.
#[derive(Debug)]
pub(crate) struct Launch {
    command: Command,
}

impl Launch {
    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets several variables.
    pub(crate) fn envs(mut self, variables: &[(&str, &str)]) -> Self {
        self.command.envs(variables.iter().copied());
        self
    }

    /// Unsets a variable.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Adds an argument.
    pub(crate) fn argument(mut self, argument: &str) -> Self {
        self.command.arg(argument);
        self
    }

    /// Configures the model.
    pub(crate) fn model(self, model: &ModelServer) -> Self {
        self.env("A2A_AGENT_CLIENT_BASE_URL", model.url())
            .env("A2A_AGENT_CLIENT_MODEL", "scripted")
            .env("A2A_AGENT_CLIENT_API_KEY", "scripted-key")
    }

    /// Starts the agent and waits until it listens.
    #[track_caller]
    pub(crate) fn start(self) -> Agent {
        let agent = self.spawn();
        let begun = Instant::now();
        while agent.address().is_none() {
            let alive = lock(&agent.child).try_wait().unwrap().is_none();
            assert!(alive && begun.elapsed() < Duration::from_secs(20), "the agent does not listen:\n{}", agent.log());
            thread::sleep(Duration::from_millis(5));
        }
        agent
    }

    /// Starts the agent and waits until it exits.
    #[track_caller]
    pub(crate) fn end(self) -> Ended {
        self.spawn().wait()
    }

    fn spawn(mut self) -> Agent {
        let mut child = self.command.stderr(Stdio::piped()).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (output, heard) = (BufReader::new(child.stderr.take().unwrap()), lines.clone());
        let reader = thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                lock(&heard).push(line);
            }
        });
        Agent { child: Mutex::new(child), lines, reader: Mutex::new(Some(reader)) }
    }
}

/// A running agent, killed when dropped. Its log is printed if the test fails.
#[derive(Debug)]
pub(crate) struct Agent {
    child: Mutex<Child>,
    lines: Arc<Mutex<Vec<String>>>,
    reader: Mutex<Option<JoinHandle<()>>>,
}

impl Agent {
    /// The command of a project's agent, on a free port of 127.0.0.1.
    pub(crate) fn of(project: &Project) -> Launch {
        let (program, arguments) = project.command.split_first().unwrap();
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("A2A_SERVER_HOST", "127.0.0.1").env("A2A_SERVER_PORT", "0");
        Launch { command }
    }

    /// The base URL.
    #[track_caller]
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address().expect("a started agent listens"))
    }

    fn address(&self) -> Option<String> {
        let listening = self.entries("agent listening").pop()?;
        listening["address"].as_str().map(str::to_owned)
    }

    /// A raw JSON-RPC client.
    pub(crate) fn raw(&self, protocol: Protocol) -> RawClient {
        RawClient::new(&self.url(), protocol)
    }

    /// The tools that the model is currently offered.
    pub(crate) fn offered(&self, model: &ModelServer) -> Vec<String> {
        self.raw(Protocol::V1_0).send(ModelServer::ROLL_CALL).completed_with(ModelServer::ROLL_CALL);
        model.offered()
    }

    /// Waits until the model is offered this tool.
    #[track_caller]
    pub(crate) fn wait_for_tool(&self, model: &ModelServer, tool: &str) {
        eventually(&format!("the model is offered {tool}"), || self.offered(model).iter().any(|name| name == tool));
    }

    /// Requests a path, and returns the status and the JSON of the response.
    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        let mut response =
            ureq::get(format!("{}{path}", self.url())).config().http_status_as_error(false).build().call().unwrap();
        (response.status().as_u16(), response.body_mut().read_json().unwrap())
    }

    /// Everything that was written to standard error so far.
    pub(crate) fn log(&self) -> String {
        lock(&self.lines).join("\n")
    }

    /// The log entries with this message.
    pub(crate) fn entries(&self, message: &str) -> Vec<Value> {
        let lines = lock(&self.lines);
        let entries = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        entries.filter(|entry| entry["msg"] == message).collect()
    }

    /// The peak memory usage so far, in MiB.
    pub(crate) fn peak_memory(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", lock(&self.child).id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() / 1024
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&lock(&self.child)), signal).unwrap();
    }

    /// Waits up to 30 seconds until the agent exits.
    #[track_caller]
    pub(crate) fn wait(&self) -> Ended {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = lock(&self.child).try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "the agent does not end:\n{}", self.log());
            thread::sleep(Duration::from_millis(5));
        };
        let took = begun.elapsed();
        if let Some(reader) = lock(&self.reader).take() {
            reader.join().unwrap();
        }
        Ended { code: status.code(), log: self.log(), took }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let child = unlocked(&mut self.child);
        drop(child.kill());
        drop(child.wait());
        if thread::panicking() {
            eprintln!("the agent's log:\n{}", self.log());
        }
    }
}
