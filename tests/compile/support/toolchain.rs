//! The tools that the tests need in addition to Rust.

use std::{
    env,
    io::{Write, stderr},
    process::Command,
    thread,
};

/// A tool that may not be installed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tool {
    /// Builds the agents in Rust.
    Cargo,
    /// Builds the agents in Go.
    Go,
    /// Runs `server-everything`.
    Node,
    /// Installs and builds the agents in TypeScript.
    Npm,
    /// Runs the official Python client.
    Python,
}

impl Tool {
    fn command(self) -> (&'static str, &'static str) {
        match self {
            Self::Cargo => ("cargo", "--version"),
            Self::Go => ("go", "version"),
            Self::Node => ("node", "--version"),
            Self::Npm => ("npm", "--version"),
            Self::Python => ("python3", "--version"),
        }
    }

    fn found(self) -> bool {
        let (program, argument) = self.command();
        Command::new(program).arg(argument).output().is_ok_and(|output| output.status.success())
    }
}

/// Whether all tools are installed. If not, prints a message to standard error, and the test must return. With
/// `ADL_REQUIRE_TOOLCHAINS=1`, the test fails instead.
#[track_caller]
pub(crate) fn present(tools: &[Tool]) -> bool {
    let missing: Vec<_> = tools.iter().filter(|tool| !tool.found()).collect();
    if missing.is_empty() {
        return true;
    }
    let required = env::var("ADL_REQUIRE_TOOLCHAINS").is_ok_and(|value| value == "1");
    assert!(!required, "missing: {missing:?}, and ADL_REQUIRE_TOOLCHAINS=1");
    let test = thread::current().name().unwrap_or_default().to_owned();
    let notice = format!("skipped {test}, missing: {missing:?}\n");
    stderr().write_all(notice.as_bytes()).unwrap(); // the test runner would hold back what eprintln! prints
    false
}

/// Returns from the test if one of these tools is missing.
macro_rules! needs {
    ($($tool:ident),+) => {
        if !$crate::support::present(&[$($crate::support::Tool::$tool),+]) {
            return;
        }
    };
}

pub(crate) use needs;
