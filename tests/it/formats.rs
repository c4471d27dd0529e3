//! Machine-readable formats: JSON and SARIF snapshots of every fixture, validated against schemas, and the output of
//! the command in all other formats.
#![expect(clippy::disallowed_methods, reason = "these tests read fixtures and run cargo to download the SARIF schema")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use adl::diagnostics::{FINDINGS_SCHEMA, FileReport, render_json, render_sarif};
use adl::ops::{Input, Policy, Scope, ValidateOptions, validate};
use jsonschema::Validator;
use serde_json::Value;

use crate::support::{MANIFEST, Sandbox};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The findings of `adl validate --portable` for each fixture, by name.
fn fixtures() -> Vec<(String, FileReport)> {
    let mut paths = Vec::new();
    for folder in ["reading", "validate", "portable", "comments"] {
        let entries = fs::read_dir(root().join("tests/fixtures").join(folder)).unwrap();
        paths.extend(entries.map(|entry| entry.unwrap().path()));
    }
    paths.sort();
    let inputs = paths.iter().cloned().map(Input::Path).collect();
    let options = ValidateOptions { inputs, scope: Scope::Portable, policy: Policy::default() };
    let files = validate(&options, &mut |_, _| {}).files;
    let reports = files.into_iter().map(|file| {
        let findings = file.result.unwrap();
        let name = Path::new(&file.name).file_name().unwrap().to_str().unwrap().to_owned();
        (name.clone(), FileReport::read(name, findings.sources, findings.diagnostics))
    });
    paths
        .iter()
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .zip(reports.map(|(_, report)| report))
        .collect()
}

fn schema(text: &str) -> Validator {
    jsonschema::options().should_validate_formats(true).build(&serde_json::from_str(text).unwrap()).unwrap()
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[track_caller]
fn assert_valid(schema: &Validator, document: &Value) {
    let errors: Vec<_> =
        schema.iter_errors(document).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
}

#[test]
fn every_finding_renders_in_machine_formats() {
    let findings_schema = schema(FINDINGS_SCHEMA);
    let mut snapshots = BTreeSet::new();
    for (name, report) in fixtures() {
        let reports = [report];
        let json = parsed(&render_json(&reports));
        assert_valid(&findings_schema, &json);
        let sarif = parsed(&render_sarif(&reports));
        let run = &sarif["runs"][0];
        let both = format!(
            "{}\n{}\n",
            serde_json::to_string_pretty(&json["files"][0]).unwrap(),
            serde_json::to_string_pretty(&run["results"]).unwrap()
        );
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "snapshots/machines" }, {
            insta::assert_snapshot!(name.as_str(), both);
        });
        snapshots.insert(format!("{name}.snap"));
    }
    for entry in fs::read_dir(root().join("tests/it/snapshots/machines")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(snapshots.contains(&name), "{name} belongs to no fixture");
    }
}

#[test]
fn sarif_results_refer_to_their_rules() {
    let (_, reports): (Vec<_>, Vec<_>) = fixtures().into_iter().unzip();
    let sarif = parsed(&render_sarif(&reports));
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(rules.len() > 50 && results.len() > 100, "{} rules, {} results", rules.len(), results.len());
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(rules[index]["help"]["markdown"].as_str().unwrap().contains("## Instead"), "{}", rules[index]);
    }
    let mut fingerprints: Vec<_> = results.iter().map(|result| result["partialFingerprints"].to_string()).collect();
    let count = fingerprints.len();
    fingerprints.sort();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), count, "duplicate fingerprints");
}

/// The SARIF 2.1.0 schema published by OASIS, from a crate that cargo downloads. Without a network, the test that needs
/// it is skipped, or fails if `ADL_REQUIRE_TOOLCHAINS` is set.
fn published_sarif_schema() -> Option<String> {
    let project = root().join("target/tmp/sarif-schema");
    fs::create_dir_all(project.join("src")).unwrap();
    fs::write(project.join("src/lib.rs"), "").unwrap();
    let manifest = "[package]\nname = \"sarif-schema\"\nedition = \"2024\"\n\n[dependencies]\nserde-sarif = \"=0.8.0\"\n\n[workspace]\n";
    fs::write(project.join("Cargo.toml"), manifest).unwrap();
    let output =
        Command::new(env!("CARGO")).args(["metadata", "--format-version", "1"]).current_dir(project).output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).ok()?;
    let package = metadata.get("packages")?.as_array()?.iter().find(|package| package["name"] == "serde-sarif")?;
    let folder = PathBuf::from(package["manifest_path"].as_str()?);
    fs::read_to_string(folder.with_file_name("src").join("schema.json")).ok()
}

#[test]
fn sarif_matches_its_schema() {
    let Some(text) = published_sarif_schema() else {
        assert!(std::env::var_os("ADL_REQUIRE_TOOLCHAINS").is_none(), "cannot download the SARIF schema");
        println!("skipped: cannot download the SARIF schema");
        return;
    };
    // The schema's pattern for language tags is not a valid regular expression.
    let schema = schema(&text.replace("^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$", ""));
    let (_, reports): (Vec<_>, Vec<_>) = fixtures().into_iter().unzip();
    assert_valid(&schema, &parsed(&render_sarif(&reports)));
    assert_valid(&schema, &parsed(&render_sarif(&[])));
    let sandbox = Sandbox::new().file("a b/ü.yaml", "a: [\n");
    let run = sandbox.run(&["validate", "--format", "sarif", "missing.yaml", "a b/ü.yaml"]).exits(2);
    let document = parsed(&run.stdout);
    assert_valid(&schema, &document);
    let sarif = &document["runs"][0];
    assert_eq!(sarif["invocations"][0]["executionSuccessful"], false);
    let location = &sarif["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "a%20b/%C3%BC.yaml");
}

/// Three inputs: a valid manifest, an invalid one with special characters in its path, and a missing one.
fn sandbox() -> Sandbox {
    let faulty = MANIFEST.replace("port: 8080", "port: \"😀 100%, <a:b>\" # 😀\n    prot: 1");
    assert!(faulty.contains("prot: 1"), "the manifest has a port to replace");
    Sandbox::new().file("agent.yaml", MANIFEST).file("a,b.yaml", &faulty)
}

fn printed(format: &str) -> String {
    let run = sandbox().run(&["validate", "--format", format, "agent.yaml", "a,b.yaml", "missing.yaml"]).exits(2);
    assert_eq!(run.stderr, "", "machine-readable formats do not use standard error");
    run.stdout.replace(env!("CARGO_PKG_VERSION"), "[version]")
}

#[test]
fn prints_json() {
    let json = printed("json");
    assert_valid(&schema(FINDINGS_SCHEMA), &parsed(&json));
    insta::assert_snapshot!("json", json);
    let short = sandbox().run(&["validate", "--json", "agent.yaml"]).exits(0).stdout;
    assert_eq!(short, sandbox().run(&["validate", "--format", "json", "agent.yaml"]).exits(0).stdout);
    sandbox().run(&["validate", "--json", "--format", "text", "agent.yaml"]).exits(2);
}

#[test]
fn json_columns_are_characters_sarif_columns_utf_16() {
    let sandbox = Sandbox::new().file("agent.yaml", "\"😀\": 1\n\"😀\": 2 # b\n? \"a😀\"\n: [\"😀\", &a *b]\n");
    let json = parsed(&sandbox.run(&["validate", "--json"]).exits(1).stdout);
    let sarif = parsed(&sandbox.run(&["validate", "--format", "sarif"]).exits(1).stdout);
    let json = &json["files"][0]["findings"][0]["place"]["end"];
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    let units = region["endColumn"].as_u64().unwrap();
    assert!(json["column"].as_u64().unwrap() < units, "{json} {region}");
    assert_eq!(sarif["runs"][0]["columnKind"], "utf16CodeUnits");
}

#[test]
fn prints_sarif() {
    insta::assert_snapshot!("sarif", printed("sarif"));
}

#[test]
fn prints_github_annotations() {
    insta::assert_snapshot!("github", printed("github"));
}

#[test]
fn prints_gitlab_report() {
    let report = printed("gitlab");
    insta::assert_snapshot!("gitlab", report);
    // Fingerprints do not depend on line numbers.
    let moved = sandbox().file("a,b.yaml", &format!("# a line\n{}", MANIFEST.replace("port: 8080", "port: none")));
    let still = sandbox().file("a,b.yaml", &MANIFEST.replace("port: 8080", "port: none"));
    let fingerprint = |sandbox: Sandbox| {
        let run = sandbox.run(&["validate", "--format", "gitlab", "a,b.yaml"]).exits(1);
        parsed(&run.stdout)[0]["fingerprint"].as_str().unwrap().to_owned()
    };
    assert_eq!(fingerprint(moved), fingerprint(still));
}

#[test]
fn prints_junit() {
    insta::assert_snapshot!("junit", printed("junit"));
}

#[test]
fn junit_contains_no_control_characters() {
    let sandbox = Sandbox::new().file("agent.yaml", "a: \"\u{1b}[31m\"\n").file("b.yaml", "a: \"\\x1B\\0\"\nb: [\n");
    let run = sandbox.run(&["validate", "--format", "junit", "agent.yaml", "b.yaml"]).exits(1);
    assert!(run.stdout.chars().all(|character| character == '\n' || !character.is_control()), "{:?}", run.stdout);
}
