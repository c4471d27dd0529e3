//! The run-time code in the repository is formatted and has no linter findings, and its tests pass.

use std::process::Command;

use super::support::{STATICCHECK, build, go, needs, repository};

#[test]
fn go_runtime_passes_its_checks() {
    needs!(Go);
    let runtime = repository().join("templates/go/runtime");
    assert_eq!(build(Command::new("gofmt").arg("-l").arg(&runtime)), "", "`gofmt -l` names files");
    assert_eq!(build(go(&runtime).args(["mod", "tidy", "-diff"])), "", "`go mod tidy` would change something");
    build(go(&runtime).args(["vet", "./..."]));
    build(go(&runtime).args(["run", STATICCHECK, "./..."]));
    build(go(&runtime).args(["test", "-race", "./..."]));
}
