//! The module table `src/targets/go/modules.txt` matches the result of `go mod tidy` for every kind of agent.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use super::support::{adl, build, go, manifests, needs, repository, workshop};

/// If this variable is set, the table is updated instead of checked.
const RENEW: &str = "ADL_RENEW_MODULES";

fn table() -> PathBuf {
    repository().join("src/targets/go/modules.txt")
}

/// The `go.mod` and `go.sum` of a project after `go mod tidy`, as lines of the table without marks.
fn tidied(name: &str, manifest: &str) -> Vec<(&'static str, String)> {
    let directory = workshop().join("modules").join(name);
    drop(fs::remove_dir_all(&directory));
    let file = workshop().join(format!("modules-{name}.yaml"));
    fs::write(&file, manifest).unwrap();
    build(adl().arg("generate").arg("-f").arg(&file).arg("-o").arg(&directory));
    build(go(&directory).args(["mod", "tidy"]));

    let modules = fs::read_to_string(directory.join("go.mod")).unwrap();
    let requirements = modules.lines().map(str::trim).map(|line| line.strip_prefix("require ").unwrap_or(line));
    let mut lines: Vec<_> = requirements
        .filter(|line| line.split(' ').nth(1).is_some_and(|version| version.starts_with('v')))
        .map(|line| (if line.ends_with("// indirect") { "indirect" } else { "direct" }, line.to_owned()))
        .collect();
    let sums = fs::read_to_string(directory.join("go.sum")).unwrap();
    lines.extend(sums.lines().map(|line| ("sum", line.to_owned())));
    lines
}

#[test]
fn module_table_matches_go_mod_tidy() {
    needs!(Go);
    let shapes = manifests::shapes();
    // The lines have the order of go.mod and go.sum, which are sorted by module.
    let mut marks: BTreeMap<(&str, String), String> = BTreeMap::new();
    for (column, (name, manifest)) in shapes.iter().enumerate() {
        for line in tidied(name, manifest) {
            let marks = marks.entry(line).or_insert_with(|| "-".repeat(shapes.len()));
            marks.replace_range(column..=column, "x");
        }
    }
    let written = fs::read_to_string(table()).unwrap();
    let head = written.lines().take_while(|line| line.starts_with('#')).map(str::to_owned);
    let rows = marks.iter().map(|((kind, text), marks)| format!("{kind} {marks} {text}"));
    let renewed = head.chain(rows).collect::<Vec<_>>().join("\n") + "\n";
    if env::var_os(RENEW).is_some() {
        fs::write(table(), renewed).unwrap();
    } else {
        assert!(renewed == written, "{} is out of date; its head says how to renew it", table().display());
    }
}
