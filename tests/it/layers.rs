//! Which module may use which. A lower layer knows nothing of a higher one, so each can be read, tested and changed alone.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use walkdir::WalkDir;

/// Layer, module, and the modules it may use.
const MODULES: &[(u8, &str, &[&str])] = &[
    (0, "diagnostics", &[]),
    (0, "names", &[]),
    (1, "document", &["diagnostics", "names"]),
    (1, "files", &["diagnostics", "names"]),
    (1, "host", &["diagnostics", "names"]),
    (2, "manifest", &["diagnostics", "names", "document"]),
    (3, "mcp", &["diagnostics", "names", "document", "files", "host", "manifest"]),
    (3, "rules", &["diagnostics", "names", "document", "manifest", "mcp"]),
    (3, "project", &["diagnostics", "names", "manifest", "mcp"]),
    (3, "render", &["diagnostics", "names", "files"]),
    (4, "targets", &["diagnostics", "names", "mcp", "project", "render", "files"]),
    (
        5,
        "ops",
        &[
            "diagnostics",
            "names",
            "document",
            "files",
            "host",
            "manifest",
            "mcp",
            "rules",
            "project",
            "render",
            "targets",
        ],
    ),
    (6, "cli", &["ops", "diagnostics", "host"]),
];

/// Modules of one layer that may know each other, all in one direction.
const SIBLINGS: &[(&str, &str)] = &[("rules", "mcp"), ("project", "mcp")];

fn source() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn the_table_points_downwards() {
    for (layer, module, uses) in MODULES {
        for used in *uses {
            let (below, ..) = MODULES.iter().find(|(_, name, _)| name == used).unwrap();
            assert!(below < layer || SIBLINGS.contains(&(module, used)), "{module} may not use {used}");
        }
    }
}

#[test]
fn every_module_stands_in_the_table() {
    for entry in fs::read_dir(source()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            assert!(MODULES.iter().any(|(_, module, _)| *module == name), "src/{name} has no layer");
        }
    }
}

#[test]
fn modules_use_only_what_their_layer_may() {
    let mut faults = String::new();
    for (_, module, uses) in MODULES {
        for entry in WalkDir::new(source().join(module)).sort_by_file_name() {
            let Ok(entry) = entry else { continue };
            let name = entry.file_name().to_string_lossy();
            if entry.path().extension().is_none_or(|extension| extension != "rs") || name.ends_with("tests.rs") {
                continue;
            }
            let text = fs::read_to_string(entry.path()).unwrap();
            for (number, line) in product_lines(&text) {
                for used in crate_paths(line) {
                    if used != *module && !uses.contains(&used) {
                        let path = entry.path().strip_prefix(source()).unwrap().display();
                        writeln!(faults, "src/{path}:{number}: `{module}` may not use `crate::{used}`").unwrap();
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// The numbered lines of a file that are code of the product: no comments, nothing from the unit tests on.
fn product_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..)
        .zip(text.lines())
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// The names behind each `crate::` of a line. A `crate::{` gives an empty name, which no table holds: one path a line.
fn crate_paths(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}
