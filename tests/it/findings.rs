//! Findings about manifests: a snapshot for each fixture in `tests/fixtures/validate` and `generation`; the fixtures in
//! `valid` have no findings.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use adl::diagnostics::{Code, Diagnostic, FileId, Sources, Style, render_text, sort};
use adl::document::{Document, parse};
use adl::manifest::{check_extensions, check_schema, decode};
use adl::ops::{GenerateMode, GenerateOptions, Input, PlanOptions, Policy, Scope, ValidateOptions, generate, validate};
use adl::{rules, secrets};
use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::support::Sandbox;

/// The dummy secrets in the fixtures.
const SECRETS: [&str; 3] = ["opensesame", "4711", "12345678"];

struct Findings {
    sources: Sources,
    document: Document,
    diagnostics: Vec<Diagnostic>,
}

impl Findings {
    /// All findings of `validate`.
    fn of(name: &str, text: &str) -> Self {
        let parsed = parse(FileId::default(), text);
        let document = parsed.document.expect("the fixtures are YAML");
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(check_schema(&document));
        diagnostics.extend(rules::check(&document));
        sort(&mut diagnostics);
        let mut sources = Sources::new();
        sources.add(name, text);
        for span in secrets::in_manifest(&document, text) {
            sources.conceal(span);
        }
        for (key, _) in secrets::in_keys(document.root()) {
            for finding in &mut diagnostics {
                finding.conceal(key, secrets::MASK);
            }
        }
        if !diagnostics.iter().any(Diagnostic::is_error) {
            decode(&document).expect("a manifest without errors decodes");
        }
        Self { sources, document, diagnostics }
    }

    fn render(&self, diagnostics: &[Diagnostic]) -> String {
        let texts = diagnostics.iter().map(|finding| render_text(finding, &self.sources, Style::Plain));
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// The fixtures of a folder: name without extension, and contents.
fn fixtures(folder: &str) -> Vec<(String, String)> {
    manifests(&format!("tests/fixtures/{folder}"))
}

fn manifests(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = WalkDir::new(folder).sort_by_file_name().into_iter().map(|entry| entry.unwrap());
    let files = files.filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| {
            let name = entry.file_name().to_str().unwrap().trim_end_matches(".yaml").to_owned();
            (name, fs::read_to_string(entry.path()).unwrap())
        })
        .collect()
}

#[test]
fn every_error_has_message_location_and_help() {
    for (name, text) in fixtures("validate") {
        let findings = Findings::of(&format!("{name}.yaml"), &text);
        assert!(!findings.diagnostics.is_empty(), "{name} has no findings");
        for finding in &findings.diagnostics {
            assert!(finding.primary.is_some(), "{name}: {finding:?} has no location");
            assert!(finding.help.is_some(), "{name}: {finding:?} has no help");
        }
        let report = findings.render(&findings.diagnostics);
        assert!(SECRETS.iter().all(|secret| !report.contains(secret)), "{name} shows a secret:\n{report}");
        insta::assert_snapshot!(format!("validate-{name}"), report);
    }
}

#[test]
fn valid_manifests_have_no_findings() {
    for (name, text) in fixtures("valid") {
        let findings = Findings::of(&format!("{name}.yaml"), &text);
        assert!(findings.diagnostics.is_empty(), "{}", findings.render(&findings.diagnostics));
    }
}

#[test]
fn examples_have_no_findings() {
    let examples = manifests("examples");
    assert!(examples.len() >= 5, "only {} examples were found", examples.len());
    for (name, text) in examples {
        assert!(text.starts_with("# "), "{name} has no description");
        let findings = Findings::of(&format!("{name}.yaml"), &text);
        assert!(findings.diagnostics.is_empty(), "{}", findings.render(&findings.diagnostics));
        let sandbox = Sandbox::new().file("agent.yaml", &text);
        assert_eq!(sandbox.run(&["generate", "--dry-run"]).exits(0).stderr, "", "{name}");
    }
}

#[test]
fn generation_warns_about_ignored_parts() {
    for (name, text) in fixtures("generation") {
        let findings = Findings::of(&format!("{name}.yaml"), &text);
        let warnings = rules::check_generation(&findings.document);
        assert!(!warnings.iter().chain(&findings.diagnostics).any(Diagnostic::is_error), "{name}");
        insta::assert_snapshot!(format!("generation-{name}"), findings.render(&warnings));
    }
}

#[test]
fn every_manifest_code_has_a_fixture() {
    let mut shown = BTreeSet::new();
    for (name, text) in ["validate", "generation", "portable"].into_iter().flat_map(fixtures) {
        let Findings { document, diagnostics, .. } = Findings::of(&name, &text);
        let more = rules::check_generation(&document).into_iter().chain(check_extensions(&document));
        shown.extend(diagnostics.into_iter().chain(more).map(|finding| finding.code));
    }
    let missing: Vec<_> =
        Code::ALL.iter().filter(|code| (101..500).contains(&(**code as u16)) && !shown.contains(code)).collect();
    assert!(missing.is_empty(), "codes without a fixture: {missing:?}");
}

/// The JSON pointers of all parts of a value.
fn pointers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(entries) => entries.iter().map(|(key, child)| (key.replace('/', "~1"), child)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, child)| (index.to_string(), child)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for (key, child) in children {
        found.push(format!("{pointer}/{key}"));
        pointers(child, &format!("{pointer}/{key}"), found);
    }
}

#[test]
fn handles_any_value_anywhere() {
    let examples = manifests("examples");
    let (_, text) = examples.iter().find(|(name, _)| name == "complete").unwrap();
    let whole = parse(FileId::default(), text.as_str()).document.unwrap().value().clone();
    let mut places = Vec::new();
    pointers(&whole, "", &mut places);
    for pointer in places {
        for strange in [json!(null), json!(-1.5), json!("${"), json!([[]]), json!({"": {"": null}})] {
            let mut mutated = whole.clone();
            *mutated.pointer_mut(&pointer).unwrap() = strange;
            let findings = Findings::of("mutated.json", &mutated.to_string());
            let warnings = rules::check_generation(&findings.document);
            assert!(warnings.iter().all(|warning| !warning.is_error()), "{pointer}");
        }
    }
}

#[test]
fn validate_reports_what_generate_reports() {
    let (output, mut compared) = (Sandbox::new(), 0);
    let folders = ["tests/fixtures", "examples"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let files = folders.into_iter().chain(crate::corpus::corpus()).flat_map(WalkDir::new).map(|entry| entry.unwrap());
    for file in files.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path) {
        let inputs = vec![Input::Path(file.clone())];
        let options = ValidateOptions { inputs, scope: Scope::Manifest, policy: Policy::default() };
        let validated = validate(&options, &mut |_, _| {}).files.remove(0).result.map(|found| found.diagnostics);
        let options = GenerateOptions {
            file: file.clone(),
            output: output.path("out"),
            mode: GenerateMode::Plan,
            plan: PlanOptions::default(),
            policy: Policy::default(),
        };
        let generated = generate(&options, &mut |_| {}).map(|outcome| outcome.diagnostics);
        let (Ok(validated), Ok(mut generated)) = (validated, generated) else { continue };
        // This finding depends on the output folder.
        generated.retain(|finding| finding.code != Code::ManifestNotCopied);
        assert_eq!(validated, generated, "{}", file.display());
        compared += usize::from(!generated.is_empty());
    }
    assert!(compared > 100, "only {compared} manifests have findings");
}

#[test]
fn every_concealed_credential_has_a_warning() {
    let mut compared = 0;
    let folders = ["validate", "valid", "generation", "portable"].into_iter().flat_map(fixtures);
    for (name, text) in folders.chain(manifests("examples")) {
        let Findings { document, diagnostics, .. } = Findings::of(&name, &text);
        // Disabled blocks have no warnings.
        if diagnostics.iter().any(Diagnostic::is_error) || name == "mcp-switched-off" {
            continue;
        }
        let warned = diagnostics.iter().filter(|finding| finding.code == Code::HardcodedCredential);
        let warned: BTreeSet<_> = warned.filter_map(|finding| Some(finding.primary.as_ref()?.span)).collect();
        for span in secrets::in_manifest(&document, &text) {
            let line = text[..span.start].rfind('\n').map_or(0, |last| last + 1);
            let is_comment = text[line..span.start].contains('#');
            assert!(is_comment || warned.contains(&span), "{name}: {}", &text[span.range()]);
            compared += 1;
        }
    }
    assert!(compared > 10, "only {compared} credentials were found");
}
