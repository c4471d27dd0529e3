//! Golden trees of the examples: `tests/golden/<example>.sha256` contains the SHA-256 and the path of each file. They
//! show whether a change of the source changes the output.
//!
//! `SNAPSHOTS=overwrite cargo test --test it golden` updates them.
#![expect(clippy::disallowed_methods, reason = "the test reads and updates its own files")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::support::{FOLDER, Sandbox};

#[test]
fn examples_match_their_golden_trees() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut examples: Vec<_> =
        fs::read_dir(root.join("examples")).unwrap().map(|entry| entry.unwrap().path()).collect();
    examples.sort();
    let mut faults = String::new();
    let mut expected_files = Vec::new();
    for example in examples {
        let name = example.file_stem().unwrap().to_str().unwrap();
        let made = tree(&example);
        let golden = root.join("tests/golden").join(format!("{name}.sha256"));
        expected_files.push(golden.clone());
        if std::env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite") {
            fs::write(&golden, &made).unwrap();
        }
        let kept = fs::read_to_string(&golden).unwrap_or_default();
        let lines = |side: &str, text: &str, other: &str| {
            let changed = text.lines().filter(|line| !other.lines().any(|other| other == *line));
            changed.map(|line| format!("{name}: {side}{line}\n")).collect::<String>()
        };
        faults += &lines("-", &kept, &made);
        faults += &lines("+", &made, &kept);
    }
    for entry in fs::read_dir(root.join("tests/golden")).unwrap() {
        let path = entry.unwrap().path();
        if !expected_files.contains(&path) {
            writeln!(faults, "{} belongs to no example", path.display()).unwrap();
        }
    }
    assert!(faults.is_empty(), "the output changed (SNAPSHOTS=overwrite accepts it):\n{faults}");
}

/// The files generated from `example`, sorted by path.
fn tree(example: &Path) -> String {
    let sandbox = Sandbox::new();
    sandbox.run(&["generate", "-f", example.to_str().unwrap(), "-o", "out"]).exits(0);
    let files = sandbox.snapshot("out").into_iter().filter(|(path, text)| text != FOLDER && !path.starts_with(".adl"));
    files.map(|(path, text)| format!("{}  {}\n", sha256(&text), path.display())).collect()
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
