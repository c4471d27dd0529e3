//! Rules of the house that no compiler checks.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// Lines of a source file, before its unit tests, at which it must be split.
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
fn source_files_stay_readable() {
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
fn every_module_says_what_it_is_for() {
    for (path, text) in rust_files("src").into_iter().filter(|(path, _)| path.ends_with("mod.rs")) {
        assert!(text.starts_with("//! "), "{} begins without a word on what it is for", path.display());
    }
}
