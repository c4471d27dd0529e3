//! Findings about invalid files: one fixture in `tests/fixtures/reading` and one snapshot per fault.

use std::fs;
use std::path::Path;

use adl::diagnostics::{Diagnostic, FileId, Sources, Style, render_text};
use adl::document::{decode_utf8, parse};
use walkdir::WalkDir;

/// Parses bytes like a command does and renders all findings.
fn report(name: &str, bytes: Vec<u8>) -> String {
    let mut sources = Sources::new();
    let (text, diagnostics): (String, Vec<Diagnostic>) = match decode_utf8(FileId::default(), bytes) {
        Ok(text) => {
            let diagnostics = parse(FileId::default(), &*text).diagnostics;
            (text, diagnostics)
        }
        Err(undecodable) => (undecodable.text, vec![*undecodable.diagnostic]),
    };
    sources.add(name, text);
    diagnostics.iter().map(|finding| render_text(finding, &sources, Style::Plain)).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_invalid_file_has_message_location_and_help() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/reading");
    let mut names = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let name = entry.file_name().to_str().unwrap();
            let report = report(name, fs::read(entry.path()).unwrap());
            assert!(report.contains("= help: "), "{name} has no help");
            let name = name.trim_end_matches(".yaml");
            insta::assert_snapshot!(name, report);
            names.push(format!("it__reading__{name}.snap"));
        }
    }
    let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots");
    for entry in fs::read_dir(snapshots).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.starts_with("it__reading__") || names.contains(&name), "{name} belongs to no fixture");
    }
}
