//! Projects in Rust: every shape is as the formatter and the linter want it, with a lock file that nothing changes, and passes its
//! tests.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use adl::{
    project::Feature,
    render::Adaptation,
    targets::{runtime::RuntimeFile, rust::runtime::FILES},
};

use super::{
    generated::corpus,
    support::{adl, build, needs, repository, rust::cargo, workshop},
};

/// Manifests that turn parts of an agent on and off.
fn manifests() -> Vec<(&'static str, String)> {
    let whole = fs::read_to_string(repository().join("examples/rust.yaml")).unwrap();
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
    let course = fs::read_to_string(repository().join("tests/fixtures/naming-obstacle-course.yaml")).unwrap();
    let (names, _) = course.split_once("  language:\n").unwrap();
    let language = "  language:\n    rust: {packageName: axum, version: \"1.88\", edition: \"2024\"}\n";
    vec![
        ("whole", whole.clone()),
        ("ignored", whole.replace("      transports: [http]\n", "")),
        ("wired", on(&whole).replace("transports: [http]", "transports: [http, sse, stdio]")),
        ("handler", handler.clone()),
        ("one", on(&handler).replace("  server:\n", card)),
        ("names", format!("{names}{language}")),
    ]
}

#[test]
fn the_run_time_code_is_clean_and_passes_its_tests() {
    needs!(Cargo);
    let folder = repository().join("templates/rust/crate");
    build(cargo(&folder).args(["fmt", "--check"]));
    build(cargo(&folder).args(["clippy", "--locked", "--all-targets", "--", "-D", "warnings"]));
    build(cargo(&folder).args(["test", "--locked"]));
}

#[test]
fn projects_are_clean_and_pass_their_tests() {
    needs!(Cargo);
    for (name, manifest) in manifests() {
        check(name, &manifest);
    }
}

/// Generates the project of a manifest and runs the checks that its owner would run first.
fn check(name: &str, manifest: &str) {
    let folder = workshop().join("rust-projects").join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("agent.yaml");
    fs::write(&file, manifest).unwrap();
    let project = folder.join("project");
    build(adl().arg("generate").arg("-f").arg(&file).arg("-o").arg(&project));
    build(cargo(&project).args(["fmt", "--check"]));
    build(cargo(&project).args(["clippy", "--locked", "--all-targets", "--", "-D", "warnings"]));
    build(cargo(&project).args(["test", "--locked"]));
}

#[test]
fn valid_corpus_manifests_pass_their_checks() {
    needs!(Cargo);
    for manifest in corpus("rust") {
        let name = manifest.file_stem().unwrap().to_str().unwrap().to_owned();
        check(&name, &fs::read_to_string(&manifest).unwrap());
    }
}

/// The features that the markers of a file name.
fn named(file: &RuntimeFile) -> Vec<&'static str> {
    let names = |name: &&str| {
        file.source.text.lines().any(|line| {
            let condition = line.trim().strip_prefix("//adl:if ").unwrap_or_default();
            condition.trim_start_matches('!') == *name
        })
    };
    Feature::ALL.into_iter().map(Feature::name).filter(names).collect()
}

#[test]
fn every_combination_of_features_is_formatted() {
    needs!(Cargo);
    let folder = tempfile::tempdir().unwrap();
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024", "--check", "--config-path"]);
    rustfmt.arg(repository().join("templates/rust/runtime/rustfmt.toml"));
    for (index, file) in FILES
        .iter()
        .enumerate()
        .filter(|(_, file)| Path::new(file.path).extension().is_some_and(|extension| extension == "rs"))
    {
        let names = named(file);
        for combination in 0..1_u32 << names.len() {
            let switched = (0..).zip(&names).map(|(bit, name)| (*name, combination >> bit & 1 == 1));
            let others = Feature::ALL.into_iter().map(|feature| (feature.name(), true));
            let features: BTreeMap<_, _> = others.chain(switched).collect();
            let text = Adaptation { features, module: None }.apply(file.source.text).unwrap();
            let path = folder.path().join(format!("{index}-{combination}.rs"));
            fs::write(&path, text).unwrap();
            rustfmt.arg(path);
        }
    }
    build(&mut rustfmt);
}
