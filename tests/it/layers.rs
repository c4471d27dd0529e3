//! Which module may use which. A lower layer knows nothing of a higher one, so each can be read, tested and changed alone.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use walkdir::WalkDir;

/// Layer, module, and the modules it may use.
const MODULES: &[(u8, &str, &[&str])] = &[
    (0, "diagnostics", &[]),
    (0, "dotenv", &[]),
    (0, "names", &[]),
    (1, "document", &["diagnostics", "names"]),
    (1, "host", &["diagnostics", "names"]),
    (1, "merge", &["dotenv", "names"]),
    (2, "files", &["diagnostics", "names", "merge"]),
    (2, "manifest", &["diagnostics", "names", "document"]),
    (3, "mcp", &["diagnostics", "names", "document", "files", "host", "manifest"]),
    (3, "rules", &["diagnostics", "names", "document", "manifest", "mcp"]),
    (3, "project", &["diagnostics", "names", "manifest", "mcp"]),
    (3, "render", &["diagnostics", "names", "merge", "files"]),
    (4, "targets", &["diagnostics", "names", "mcp", "project", "render", "merge", "files"]),
    (
        5,
        "ops",
        &[
            "diagnostics",
            "names",
            "document",
            "dotenv",
            "files",
            "host",
            "merge",
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
            for (number, used) in crate_uses(&product(&text)) {
                if used != *module && !uses.contains(&used.as_str()) {
                    let path = entry.path().strip_prefix(source()).unwrap().display();
                    writeln!(faults, "src/{path}:{number}: `{module}` may not use `crate::{used}`").unwrap();
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// The part of a file that is code of the product: no comments, nothing from the unit tests on. Lines keep their numbers.
fn product(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    lines.map(|line| if line.trim_start().starts_with("//") { "" } else { line }).collect::<Vec<_>>().join("\n")
}

/// Every module named behind `crate::`, alone or in braces, with its line.
fn crate_uses(text: &str) -> Vec<(usize, String)> {
    let mut uses = Vec::new();
    for (place, found) in text.match_indices("crate::") {
        let number = text[..place].lines().count().max(1);
        let rest = &text[place + found.len()..];
        let name = |text: &str| -> String {
            text.trim_start().chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
        };
        let Some(group) = rest.strip_prefix('{') else {
            uses.push((number, name(rest)));
            continue;
        };
        let mut depth = 0;
        let mut start = 0;
        for (end, character) in group.char_indices() {
            match character {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    uses.push((number, name(&group[start..end])));
                    start = end + 1;
                    if character == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    uses.retain(|(_, name)| !name.is_empty());
    uses
}

#[test]
fn paths_in_braces_are_found_one_by_one() {
    let text = "use crate::a::b;\nuse crate::{\n    c::{D, E},\n    f,\n};\n";
    let uses: Vec<_> = crate_uses(text).into_iter().map(|(line, name)| format!("{line}{name}")).collect();
    assert_eq!(uses, ["1a", "2c", "2f"]);
}
