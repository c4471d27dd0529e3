//! The official A2A clients for Go, Python and TypeScript, each driven over its standard input and output.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::LazyLock,
};

use serde_json::Value;

use super::{
    Agent, Answer, Client, Protocol,
    project::{build, go, workshop},
    typescript,
};

static GO_CLIENT: LazyLock<PathBuf> = LazyLock::new(|| {
    let binary = workshop().join("a2a-client");
    build(go(&source("go")).args(["build", "-o"]).arg(&binary).arg("."));
    binary
});

/// The Python interpreter of a virtual environment with the pinned packages.
static PYTHON: LazyLock<PathBuf> = LazyLock::new(|| {
    let environment = workshop().join("python");
    let (interpreter, installed) = (environment.join("bin/python"), environment.join("installed.txt"));
    let requirements = source("python").join("requirements.txt");
    let wanted = fs::read(&requirements).unwrap();
    if fs::read(&installed).ok().as_ref() != Some(&wanted) {
        build(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment));
        build(Command::new(&interpreter).args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(&requirements));
        fs::write(&installed, &wanted).unwrap();
    }
    interpreter
});

/// The TypeScript client beside the packages of the run-time code, which has it as a dependency.
static TYPESCRIPT_CLIENT: LazyLock<PathBuf> = LazyLock::new(|| {
    let client = typescript::packages().join("client.ts");
    fs::copy(source("typescript").join("client.ts"), &client).unwrap();
    client
});

fn source(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join(language)
}

/// A running client, killed when dropped.
#[derive(Debug)]
pub(crate) struct OfficialClient {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl OfficialClient {
    /// The Go client, which connects with the agent card.
    pub(crate) fn go(agent: &Agent, protocol: Protocol) -> Self {
        Self::start(&mut Command::new(&*GO_CLIENT), agent, protocol)
    }

    /// The Python client, which connects with the agent card.
    pub(crate) fn python(agent: &Agent, protocol: Protocol) -> Self {
        Self::start(Command::new(&*PYTHON).arg("-B").arg(source("python").join("client.py")), agent, protocol)
    }

    /// The TypeScript client, connected by the agent's card.
    pub(crate) fn typescript(agent: &Agent, protocol: Protocol) -> Self {
        Self::start(Command::new(typescript::node()).arg(&*TYPESCRIPT_CLIENT), agent, protocol)
    }

    fn start(command: &mut Command, agent: &Agent, protocol: Protocol) -> Self {
        command.arg(agent.url()).arg(protocol.version()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }
}

impl Client for OfficialClient {
    fn ask(&mut self, command: &Value) -> Answer {
        writeln!(self.input, "{command}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("the client answered {line:?}: {error}"))
    }
}

impl Drop for OfficialClient {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
