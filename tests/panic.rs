//! The message of a panic, tested with a separate process.
//!
//! The program cannot panic on request, so this test, which has no test harness, starts itself: the child process runs
//! a command, which installs the panic hook, and then panics.
#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::expect_used,
    reason = "this test starts itself and panics"
)]

use std::process::Command;

/// If this variable is set, the process is the child process.
const CHILD: &str = "ADL_TEST_PANIC";

fn main() {
    if std::env::var_os(CHILD).is_some() {
        let _status = adl::cli::run();
        panic!("an index too far");
    }
    let itself = std::env::current_exe().expect("a test has a program");
    let output = Command::new(itself).arg("--version").env(CHILD, "1").output().expect("the test starts itself");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(stdout, format!("adl {version}\n"));
    assert_eq!(output.status.code(), Some(101), "{stderr}");
    let begins = format!("error: adl {version} stopped because of a bug: an index too far (tests/panic.rs:");
    assert!(stderr.starts_with(&begins), "{stderr}");
    assert!(stderr.contains("Please report it with the command you ran and this message."), "{stderr}");
    assert_eq!(stderr.lines().count(), 2, "the report of a bug is short: {stderr}");
}
