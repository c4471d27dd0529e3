//! Generated TypeScript projects: all examples and kinds of agents pass the formatter, the linter, the compiler and
//! their tests.

use std::{fs, process::Command};

use super::support::{adl, build, needs, repository, typescript, workshop};

/// Manifests with different features enabled.
fn manifests() -> Vec<(String, String)> {
    let whole = fs::read_to_string(repository().join("examples/typescript.yaml")).unwrap();
    let (before, agent) = whole.split_once("  agent:\n").unwrap();
    let (_, server) = agent.split_once("  server:\n").unwrap();
    let handler = format!("{before}  server:\n{server}");
    let card = "  card:
    protocolVersion: 1.0.0
    securitySchemes:
      key: {type: apiKey, in: header, name: X-Key, description: 'A \"key\"'}
    security: [{key: []}]
  server:\n";
    let on = |manifest: &str| manifest.replace("pushNotifications: false", "pushNotifications: true");
    let on = |manifest: &str| on(manifest).replace("stateTransitionHistory: false", "stateTransitionHistory: true");
    [
        ("whole", whole.clone()),
        ("ignored", whole.replace("      transports: [http]\n", "")),
        ("wired", on(&whole).replace("transports: [http]", "transports: [http, sse, stdio]")),
        ("handler", handler.clone()),
        ("one", on(&handler).replace("  server:\n", card)),
    ]
    .map(|(name, manifest)| (name.to_owned(), manifest))
    .into()
}

#[test]
fn runtime_passes_its_checks() {
    needs!(Npm);
    let source = repository().join("templates/typescript/runtime");
    // The tests read `contracts/` by a relative path, so the code and the contracts are copied together.
    let folder = workshop().join("in-place/templates/typescript/runtime");
    let contracts = workshop().join("in-place/contracts");
    drop(fs::remove_dir_all(workshop().join("in-place")));
    for (from, to) in [(source, &folder), (repository().join("contracts"), &contracts)] {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        build(Command::new("cp").arg("-R").arg(from).arg(to));
    }
    drop(fs::remove_dir_all(folder.join("node_modules")));
    typescript::install(&folder);
    for script in ["check", "lint", "test"] {
        build(typescript::npm(&folder).args(["run", script]));
    }
}

#[test]
fn projects_pass_their_checks() {
    needs!(Npm);
    for (name, manifest) in manifests() {
        let folder = workshop().join("clean").join(&name);
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("agent.yaml");
        fs::write(&file, manifest).unwrap();
        let project = folder.join("project");
        build(adl().arg("generate").arg("-f").arg(&file).arg("-o").arg(&project));
        typescript::install(&project);
        for script in ["check", "lint", "test"] {
            build(typescript::npm(&project).args(["run", script]));
        }
    }
}
