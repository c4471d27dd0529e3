//! Generated Go projects are complete: formatted, without findings of common linters, and their tests pass without
//! downloading unpinned modules.

use std::{fs, path::Path, path::PathBuf, process::Command};

use super::support::{STATICCHECK, adl, build, go, manifests, needs, repository, workshop};

/// Generates the project of a manifest.
fn generate(manifest: &Path, name: &str) -> PathBuf {
    let directory = workshop().join("generated").join(name);
    drop(fs::remove_dir_all(&directory));
    build(adl().arg("generate").arg("-f").arg(manifest).arg("-o").arg(&directory));
    directory
}

/// Runs the checks that the owner of a project would run first.
fn check(project: &Path) {
    let name = project.display();
    let unformatted = build(Command::new("gofmt").arg("-l").arg(project));
    assert_eq!(unformatted, "", "{name}: `gofmt -l` names files");
    // go.mod and go.sum must be complete and contain nothing unused.
    assert_eq!(build(go(project).args(["mod", "tidy", "-diff"])), "", "{name}: `go mod tidy` would change something");
    build(go(project).args(["build", "-mod=readonly", "./..."]));
    build(go(project).args(["vet", "./..."]));
    build(go(project).args(["run", STATICCHECK, "./..."]));
    build(go(project).args(["test", "./..."]));
}

#[test]
fn examples_are_complete_projects() {
    needs!(Go);
    let folder = repository().join("examples");
    let mut examples: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    examples.sort();
    for example in examples.iter().filter(|path| path.extension().is_some_and(|extension| extension == "yaml")) {
        let project = generate(example, example.file_stem().unwrap().to_str().unwrap());
        if project.join("go.mod").exists() {
            check(&project);
        }
    }
}

#[test]
fn unusual_names_and_texts_are_supported() {
    needs!(Go);
    let course = repository().join("tests/fixtures/naming-obstacle-course.yaml");
    check(&generate(&course, "naming-obstacle-course"));
}

#[test]
fn all_combinations_of_features_are_complete_projects() {
    needs!(Go);
    for (name, manifest) in [manifests::shapes(), manifests::combinations()].concat() {
        let file = workshop().join(format!("{name}.yaml"));
        fs::write(&file, manifest).unwrap();
        check(&generate(&file, &name));
    }
}

/// Valid manifests of a language from the corpus, if available: a folder `shared/corpus` next to the repository or in a folder
/// above it.
pub(crate) fn corpus(language: &str) -> Vec<PathBuf> {
    let folders = repository().ancestors().skip(1).map(|folder| folder.join("shared/corpus/manifests"));
    let files = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    if files.is_empty() {
        eprintln!("skipped: no corpus beside the repository");
    }
    let is_valid = |manifest: &Path| adl().arg("validate").arg(manifest).output().unwrap().status.success();
    let block = format!("\n    {language}:\n");
    files.retain(|manifest| fs::read_to_string(manifest).unwrap().contains(&block) && is_valid(manifest));
    files
}

#[test]
fn valid_corpus_manifests_build() {
    needs!(Go);
    let manifests = corpus("go");
    assert!(manifests.is_empty() || manifests.len() >= 15, "only {} valid Go manifests were found", manifests.len());
    for manifest in manifests {
        let project = generate(&manifest, manifest.file_stem().unwrap().to_str().unwrap());
        assert_eq!(build(Command::new("gofmt").arg("-l").arg(&project)), "", "{}", manifest.display());
        build(go(&project).args(["build", "./..."]));
    }
}
