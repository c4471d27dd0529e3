//! Real manifests, if available: a folder `shared/corpus` next to the repository or its worktrees.

use std::fs;
use std::path::{Path, PathBuf};

use adl::diagnostics::{Diagnostic, FileId, Sources, Style, render_text};
use adl::document::parse;
use adl::manifest::{check_schema, decode};
use adl::rules;

pub(crate) fn corpus() -> Option<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    repository.ancestors().skip(1).map(|folder| folder.join("shared/corpus")).find(|corpus| corpus.is_dir())
}

fn check(text: &str) -> Vec<Diagnostic> {
    let parsed = parse(FileId::default(), text);
    let mut diagnostics = parsed.diagnostics;
    if let Some(document) = parsed.document {
        diagnostics.extend(check_schema(&document));
        diagnostics.extend(rules::check(&document));
        if !diagnostics.iter().any(Diagnostic::is_error) {
            decode(&document).expect("a valid manifest decodes");
        }
    }
    diagnostics
}

/// The files that the corpus lists as valid or invalid, with their contents.
pub(crate) fn manifests(corpus: &Path, verdict: &str) -> Vec<(String, String)> {
    let readme = fs::read_to_string(corpus.join("README.md")).unwrap();
    let rows = readme.lines().filter_map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        cells.get(7).filter(|cell| cell.starts_with(verdict)).and(cells.get(1)).map(|&name| name.to_owned())
    });
    let texts = rows.map(|name| (name.clone(), fs::read_to_string(corpus.join("manifests").join(name))));
    texts.filter_map(|(name, text)| Some((name, text.ok()?))).collect()
}

fn report(name: &str, text: &str, diagnostics: &[Diagnostic]) -> String {
    let mut sources = Sources::new();
    sources.add(name, text);
    diagnostics.iter().map(|finding| render_text(finding, &sources, Style::Plain)).collect()
}

#[test]
fn accepts_valid_manifests() {
    let Some(corpus) = corpus() else {
        println!("skipped: no corpus beside the repository");
        return;
    };
    let manifests = manifests(&corpus, "valid");
    assert!(manifests.len() >= 20, "only {} manifests were found", manifests.len());
    for (name, text) in manifests {
        let diagnostics = check(&text);
        let report = report(&name, &text, &diagnostics);
        println!("{report}");
        assert!(!diagnostics.iter().any(Diagnostic::is_error), "{report}");
    }
}

#[test]
fn rejects_invalid_manifests() {
    let Some(corpus) = corpus() else {
        println!("skipped: no corpus beside the repository");
        return;
    };
    let manifests = manifests(&corpus, "invalid");
    assert!(manifests.len() >= 15, "only {} manifests were found", manifests.len());
    for (name, text) in manifests {
        let diagnostics = check(&text);
        println!("{}", report(&name, &text, &diagnostics));
        assert!(diagnostics.iter().any(Diagnostic::is_error), "{name} is accepted");
    }
}
