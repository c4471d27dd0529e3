//! Generated TypeScript projects pass the formatter, the linter, the compiler and their tests.

use std::{fs, path::Path, process::Command};

use adl::targets::typescript::runtime::FILES;

use super::{
    generated::corpus,
    runtime::variants,
    support::{Language, adl, build, manifests, needs, repository, typescript, workshop},
};

/// Generates the project of a manifest and checks it with everything that its author would run first.
fn check(name: &str, manifest: &str) {
    let folder = workshop().join("clean").join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("agent.yaml");
    fs::write(&file, manifest).unwrap();
    let project = folder.join("project");
    build(adl().arg("generate").arg("-f").arg(&file).arg("-o").arg(&project));
    typescript::install(&project);
    run_scripts(&project);
}

fn run_scripts(project: &Path) {
    for script in ["check", "lint", "test"] {
        build(typescript::npm(project).args(["run", script]));
    }
}

/// The manifest with its one line about Go turned into one about TypeScript.
fn in_typescript(manifest: &str) -> String {
    let block = "    typescript: {packageName: shape, nodeVersion: \"22\"}";
    let lines = manifest.lines().map(|line| if line.starts_with("    go: {") { block } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn runtime_passes_its_checks() {
    needs!(Npm);
    let source = repository().join("templates/typescript/runtime");
    // The tests read the contracts where they are, so the packages come to the code.
    let folder = workshop().join("in-place/templates/typescript/runtime");
    let contracts = workshop().join("in-place/contracts");
    drop(fs::remove_dir_all(workshop().join("in-place")));
    for (from, to) in [(source, &folder), (repository().join("contracts"), &contracts)] {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        build(Command::new("cp").arg("-R").arg(from).arg(to));
    }
    drop(fs::remove_dir_all(folder.join("node_modules")));
    typescript::install(&folder);
    run_scripts(&folder);
}

#[test]
fn runtime_is_formatted_for_all_combinations_of_features() {
    needs!(Npm);
    let folder = workshop().join("variants");
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(folder.join("src")).unwrap();
    typescript::install(&folder);
    for (index, file) in FILES.iter().enumerate() {
        if Path::new(file.path).extension().is_none_or(|extension| extension != "ts") {
            fs::write(folder.join(file.path), file.source.text).unwrap();
            continue;
        }
        for (on, text) in variants(file.source.text) {
            fs::write(folder.join(format!("src/{index}-{on}.ts")), text).unwrap();
        }
    }
    build(typescript::npm(&folder).args(["exec", "--", "prettier", "--check", "src"]));
}

#[test]
fn example_passes_its_checks_with_and_without_mcp() {
    needs!(Npm);
    let example = fs::read_to_string(repository().join("examples/typescript.yaml")).unwrap();
    check("example", &example);
    check("ignored", &example.replace("      transports: [http]\n", ""));
}

#[test]
fn combinations_of_features_pass_their_checks() {
    needs!(Npm);
    for (name, manifest) in manifests::combinations() {
        check(&name, &in_typescript(&manifest));
    }
}

#[test]
fn naming_obstacle_course_passes_its_checks() {
    needs!(Npm);
    check("naming-obstacle-course", &Language::TypeScript.manifest(&manifests::obstacle_course()));
}

#[test]
fn valid_corpus_manifests_pass_their_checks() {
    needs!(Npm);
    for manifest in corpus("typescript") {
        check(manifest.file_stem().unwrap().to_str().unwrap(), &fs::read_to_string(&manifest).unwrap());
    }
}
