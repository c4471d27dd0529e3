//! What projects in Rust are built with: one target folder for all of them, so that the crates that they stand on compile once.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

use super::{
    local::lock,
    project::{build, repository, workshop},
};

/// What the user writes into a project, by path; only where `adl` has put a file for it.
pub(crate) const WRITTEN_BY_THE_USER: [(&str, &str); 2] =
    [("src/tools/word_count.rs", WORD_COUNT), ("src/handler.rs", HANDLER)];

const WORD_COUNT: &str = r#"use super::{Toolbox, WordCountArguments};
use crate::tool::BoxError;

impl Toolbox {
    /// Counts the words of a text.
    pub async fn word_count(&self, arguments: WordCountArguments) -> Result<String, BoxError> {
        Ok(format!("{} words", arguments.text.split_whitespace().count()))
    }
}
"#;

/// Asks back when told `ask`, fails when told `fail`, panics when told `panic`, and otherwise repeats what it heard.
const HANDLER: &str = r#"use async_trait::async_trait;

use crate::{
    agent::executor::{Failure, Output, Reply, Request, Responder},
    config::Config,
};

/// Has nothing at hand.
pub struct Handler {}

impl Handler {
    /// Is called once, when the agent starts.
    pub fn new(_config: &Config) -> Result<Self, Box<dyn std::error::Error>> {
        Ok(Self {})
    }
}

#[async_trait]
impl Responder for Handler {
    /// Answers one message.
    async fn respond(&self, request: &Request, output: &mut Output) -> Result<Reply, Failure> {
        match request.text.as_str() {
            "ask" => return Ok(Reply::question("what?")),
            "fail" => return Err(Failure::new("no luck today")),
            "panic" => panic!("the user's mistake"),
            _ => output.write(&format!("heard {}", request.text)),
        }
        Ok(Reply::default())
    }
}
"#;

/// `cargo` in a folder, with the one target folder. Nobody debugs these agents, and what would be for that fills disks.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(folder).env("CARGO_TARGET_DIR", target());
    // Not the configuration of the repository.
    command.env("CLIPPY_CONF_DIR", repository().join("templates/rust/crate"));
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0");
    command
}

fn target() -> PathBuf {
    workshop().join("rust")
}

/// Every project builds the same file of that folder.
static TARGET: Mutex<()> = Mutex::new(());

/// Builds an agent and returns its program.
pub(crate) fn build_agent(project: &Path, folder: &Path) -> PathBuf {
    let turn = lock(&TARGET);
    // Projects of one name are one to cargo, which goes by the times of their files: these are to be newer than what was built last.
    for file in ["src/lib.rs", "src/main.rs"] {
        let path = project.join(file);
        fs::write(&path, fs::read(&path).unwrap()).unwrap();
    }
    build(cargo(project).args(["build", "--locked"]));
    let program = folder.join("agent");
    fs::copy(target().join("debug/agent"), &program).unwrap();
    drop(turn);
    program
}
