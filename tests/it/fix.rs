//! `adl fix`: upgrades of each outdated format compared byte by byte, and the whole corpus.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use adl::diagnostics::{Diagnostic, FileId};
use adl::document::parse;
use adl::manifest::check_schema;
use adl::ops::{Repaired, repair};
use adl::rules;

use super::corpus::{corpus, manifests};
use super::support::MANIFEST;

fn is_valid(repaired: &Repaired) -> bool {
    !repaired.checked.diagnostics.iter().any(Diagnostic::is_error)
}

/// Repairs a text and checks that a second run changes nothing.
#[track_caller]
fn repaired(text: &str) -> Repaired {
    let repaired = repair("agent.yaml", text);
    let again = repair("agent.yaml", &repaired.text);
    assert!(again.applied.is_empty(), "fixed again: {:#?}\n{}", again.applied, repaired.text);
    assert_eq!(again.text, repaired.text);
    assert_eq!(again.checked.diagnostics, repaired.checked.diagnostics);
    repaired
}

/// The applied fixes and the remaining findings, for a snapshot.
fn summary(repaired: &Repaired) -> String {
    let mut summary = repaired.text.clone();
    if !summary.ends_with('\n') {
        summary.push_str("(no line break)\n");
    }
    summary.push_str("======== done\n");
    for fix in &repaired.applied {
        writeln!(summary, "{} {}: {}", fix.code, fix.headline, fix.text).unwrap();
    }
    summary.push_str("======== left\n");
    for finding in &repaired.checked.diagnostics {
        writeln!(summary, "{} {:?}: {}", finding.code, finding.severity, finding.headline).unwrap();
        for note in &finding.notes {
            writeln!(summary, "    {note}").unwrap();
        }
    }
    summary
}

#[test]
fn upgrades_older_manifests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fix");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let repaired = repaired(&fs::read_to_string(&file).unwrap());
        let left_to_a_person = matches!(name, "needs-a-decision" | "anchors" | "tools-without-id");
        assert_eq!(is_valid(&repaired), !left_to_a_person, "{name}\n{}", summary(&repaired));
        insta::assert_snapshot!(format!("fix-{name}"), summary(&repaired));
    }
}

#[test]
fn preserves_line_endings_and_byte_order_mark() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fix");
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let plain = repaired(&text).text;
        let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_eq!(repaired(&windows).text, format!("\u{feff}{}", plain.replace('\n', "\r\n")));
        let open = repaired(text.trim_end()).text;
        assert_eq!(open, plain.trim_end());
        assert!(!open.ends_with('\n'), "{open}");
    }
}

#[test]
fn valid_manifests_are_not_changed() {
    for text in [MANIFEST.to_owned(), MANIFEST.replace('\n', "\r\n"), format!("\u{feff}---\n{MANIFEST}...\n# end")] {
        assert_eq!(repaired(&text).text, text);
    }
}

#[test]
fn invalid_yaml_is_not_changed() {
    for text in ["apiVersion: adl.dev/v1\nkind: a: b\n", "apiVersion: adl.dev/v1\napiVersion: adl.dev/v1\n", "", "\r\r"]
    {
        let repaired = repaired(text);
        assert_eq!(repaired.text, text);
        assert!(!is_valid(&repaired));
    }
}

/// The manifests of the corpus that need manual fixes, and their remaining findings.
const LEFT: [(&str, &[&str]); 4] = [
    ("inference-gateway__adl__docs__guide__introduction.md.block1.yaml", &["ADL0106"]),
    (
        "inference-gateway__adl__docs__reference__index.md.block1.yaml",
        &["ADL0108", "ADL0102", "ADL0102", "ADL0102", "ADL0102", "ADL0201"],
    ),
    ("inference-gateway__browser-agent__agent@0c5283db.yaml", &["ADL0101"]),
    ("inference-gateway__google-calendar-agent__agent@cf4974d4.yaml", &["ADL0002"]),
];

#[test]
fn corpus_becomes_valid_or_lists_decisions() {
    let Some(corpus) = corpus() else {
        println!("skipped: no corpus beside the repository");
        return;
    };
    let (mut before, mut after) = (0, 0);
    let all = ["valid", "invalid"].into_iter().flat_map(|verdict| manifests(&corpus, verdict));
    for (name, text) in all {
        before += usize::from(is_valid_unfixed(&text));
        let repaired = repaired(&text);
        after += usize::from(is_valid(&repaired));
        let left: Vec<_> = repaired.checked.diagnostics.iter().filter(|finding| finding.is_error()).collect();
        let codes: Vec<_> = left.iter().map(|finding| finding.code.to_string()).collect();
        let expected = LEFT.iter().find(|(left, _)| *left == name).map_or(&[][..], |(_, codes)| codes);
        assert_eq!(codes, expected, "{name}\n{}", summary(&repaired));
        assert!(left.iter().all(|finding| finding.primary.is_some() && finding.help.is_some()));
    }
    println!("valid before: {before}, after: {after}");
    assert_eq!((before, after), (23, 39));
}

/// Whether a text is valid without fixes.
fn is_valid_unfixed(text: &str) -> bool {
    let parsed = parse(FileId::default(), text);
    let document = parsed.document.as_ref();
    let findings = document.into_iter().flat_map(|document| [check_schema(document), rules::check(document)].concat());
    !parsed.diagnostics.iter().chain(&findings.collect::<Vec<_>>()).any(Diagnostic::is_error)
}
