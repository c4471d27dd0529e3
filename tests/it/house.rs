//! Project rules that the compiler does not check.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use adl::diagnostics::Code;
use walkdir::WalkDir;

/// The maximum number of lines of a source file, without its unit tests.
const LIMIT: usize = 600;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Rust files below `folder`, with their text.
fn rust_files(folder: &str) -> Vec<(PathBuf, String)> {
    WalkDir::new(root().join(folder))
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "rs"))
        .map(|entry| {
            let text = fs::read_to_string(entry.path()).unwrap();
            (entry.path().strip_prefix(root()).unwrap().to_owned(), text)
        })
        .collect()
}

#[test]
fn source_files_are_short() {
    let mut faults = String::new();
    for (path, text) in rust_files("src") {
        let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count();
        if lines > LIMIT {
            writeln!(faults, "{} has {lines} lines, more than {LIMIT}", path.display()).unwrap();
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn every_module_is_documented() {
    for (path, text) in rust_files("src").into_iter().filter(|(path, _)| path.ends_with("mod.rs")) {
        assert!(text.starts_with("//! "), "{} has no documentation", path.display());
    }
}

#[test]
fn every_code_is_reported_somewhere() {
    let table = Path::new("src/diagnostics/codes.rs");
    let sources: String =
        rust_files("src").into_iter().filter(|(path, _)| path != table).map(|(_, text)| text).collect();
    for code in Code::ALL {
        let variant = format!("{code:?}");
        let used = sources.match_indices(&format!("Code::{variant}")).any(|(place, found)| {
            let next = sources[place + found.len()..].chars().next();
            !next.is_some_and(char::is_alphanumeric)
        });
        assert!(used, "{code} ({}) is never reported", code.name());
    }
}

#[test]
fn every_fuzz_target_is_built_and_documented() {
    let [manifest, page] =
        ["fuzz/Cargo.toml", "CONTRIBUTING.md"].map(|file| fs::read_to_string(root().join(file)).unwrap());
    let targets = rust_files("fuzz/fuzz_targets");
    assert!(targets.len() >= 3);
    for (path, _) in targets {
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name} is not built");
        assert!(page.split("for target in").nth(1).is_some_and(|list| list.split(';').next().unwrap().contains(name)));
    }
}

#[test]
fn paths_in_the_documentation_exist() {
    let folders =
        ["src/", "tests/", "templates/", "schema/", "examples/", "contracts/", "docs/", "bench/", "benches/", ".ci/"];
    let mut faults = String::new();
    let pages = ["README.md", "CONTRIBUTING.md", "docs"].map(|page| WalkDir::new(root().join(page)));
    for entry in pages.into_iter().flatten().filter_map(Result::ok) {
        if entry.path().extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap();
        for quoted in text.split('`').skip(1).step_by(2) {
            let plain = quoted.chars().all(|character| character.is_alphanumeric() || "/._-".contains(character));
            if plain && folders.iter().any(|folder| quoted.starts_with(folder)) && !root().join(quoted).exists() {
                let page = entry.path().strip_prefix(root()).unwrap().display();
                writeln!(faults, "{page} names `{quoted}`, which does not exist").unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}
