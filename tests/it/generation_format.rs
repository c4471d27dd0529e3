//! `adl generate --format json`: every output is valid against its schema.
#![expect(clippy::disallowed_methods, reason = "these tests prepare folders")]

use std::fs;

use serde_json::{Value, json};

use crate::support::{MANIFEST, Run, Sandbox};

fn schema(name: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(name);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The document that a run printed. Checks that it is valid and the only output.
#[track_caller]
fn document(run: &Run) -> Value {
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let contract = jsonschema::validator_for(&schema("generation.schema.json")).unwrap();
    let faults: Vec<_> =
        contract.iter_errors(&document).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:#?}\n{document:#}");
    assert_eq!(run.stderr, "");
    document
}

#[test]
fn every_outcome_prints_json() {
    let sandbox = Sandbox::with_manifest();
    let run = |arguments: &[&str]| sandbox.run(&[&["generate", "-o", "out", "--format", "json"], arguments].concat());
    let planned = document(&run(&["--dry-run"]).exits(0));
    assert_eq!((&planned["result"], &planned["agent"]), (&json!("planned"), &json!("weather-agent")));
    assert!(!sandbox.path("out").exists());
    let written = document(&run(&[]).exits(0));
    assert_eq!((&written["result"], &written["changes"]), (&json!("written"), &planned["changes"]));
    assert_eq!(written["next"], json!(["cd out", "go test ./...", "export OPENAI_API_KEY=...", "go run ."]));
    assert_eq!(document(&run(&["--check"]).exits(0))["result"], "current");
    fs::remove_file(sandbox.path("out/main.go")).unwrap();
    let drifted = document(&run(&["--check"]).exits(1));
    assert_eq!((&drifted["result"], &drifted["findings"][0]["code"]), (&json!("planned"), &json!("ADL0608")));
    let changes = drifted["changes"].as_array().unwrap();
    let main = changes.iter().find(|change| change["path"] == "main.go").unwrap();
    assert!(main["diff"].as_str().unwrap().starts_with("--- /dev/null\n+++ b/main.go\n"), "{main:#}");
    fs::write(sandbox.path("out/main.go"), "mine").unwrap();
    fs::remove_dir_all(sandbox.path("out/.adl")).unwrap();
    assert_eq!(document(&run(&[]).exits(1))["result"], "blocked");
}

#[test]
fn json_contains_errors_and_failed_hooks() {
    let sandbox = Sandbox::new().file("agent.yaml", &MANIFEST.replace("port: 8080", "port: eighty"));
    let failed = document(&sandbox.run(&["generate", "--json"]).exits(1));
    assert_eq!((&failed["result"], &failed["changes"]), (&json!("failed"), &json!([])));
    assert_eq!(failed["findings"][0]["place"]["start"]["line"], 26);
    let failed = document(&sandbox.run(&["generate", "--json", "-f", "missing.yaml"]).exits(2));
    assert_eq!(failed["findings"][0]["code"], "ADL0901");

    let manifest = format!("{MANIFEST}  hooks: {{post: [\"sh -c 'echo heard; exit 1'\"]}}\n");
    let sandbox = Sandbox::new().file("agent.yaml", &manifest);
    let shown = document(&sandbox.run(&["generate", "--json", "-o", "out"]).exits(0));
    assert_eq!(shown["hooks"], json!(["sh -c 'echo heard; exit 1'"]));
    let run = sandbox.run(&["generate", "--json", "-o", "out", "--run-hooks"]).exits(2);
    assert_eq!(run.stderr, "Running hook `sh -c 'echo heard; exit 1'`\nheard\n");
    let failed = document(&Run { stderr: String::new(), ..run });
    assert_eq!((&failed["result"], &failed["findings"][0]["code"]), (&json!("written"), &json!("ADL0918")));
}

#[test]
fn json_contains_conflicts_and_decisions() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    let dockerfile = fs::read_to_string(sandbox.path("out/Dockerfile")).unwrap();
    fs::write(sandbox.path("out/Dockerfile"), dockerfile.replace("EXPOSE 8080", "EXPOSE 8080 9090")).unwrap();
    fs::write(sandbox.path("agent.yaml"), MANIFEST.replace("8080", "8081").replace("Weather of", "Clouds over"))
        .unwrap();
    let run = |flags: &[&str]| sandbox.run(&[&["generate", "-o", "out", "--json"], flags].concat());
    let change = |document: &Value, path: &str| {
        let changes = document["changes"].as_array().unwrap();
        changes.iter().find(|change| change["path"] == path).unwrap().clone()
    };
    let blocked = document(&run(&[]).exits(1));
    assert_eq!((&blocked["result"], &blocked["findings"][0]["code"]), (&json!("blocked"), &json!("ADL0603")));
    let conflict = change(&blocked, "Dockerfile");
    assert_eq!((&conflict["action"], &conflict["notes"][0]["line"]), (&json!("conflict"), &json!(12)));
    let shown = document(&run(&["--diff", "--on-conflict", "overwrite"]).exits(0));
    let overwrite = change(&shown, "Dockerfile");
    assert_eq!((&overwrite["action"], &overwrite["backup"]), (&json!("overwrite"), &json!("Dockerfile.orig")));
    let written = document(&run(&["--on-conflict", "markers"]).exits(1));
    let codes: Vec<_> = written["findings"].as_array().unwrap().iter().map(|finding| finding["code"].clone()).collect();
    assert_eq!((&written["result"], json!(codes)), (&json!("written"), json!(["ADL0605", "ADL0609"])));
    assert_eq!(change(&written, "Dockerfile")["action"], "markers");
    // The project is up to date, but contains conflict markers.
    let checked = document(&run(&["--check"]).exits(1));
    assert_eq!((&checked["result"], &checked["findings"][0]["code"]), (&json!("current"), &json!("ADL0609")));
}

#[test]
fn finding_schemas_agree() {
    let (generation, findings) = (schema("generation.schema.json"), schema("findings.schema.json"));
    for definition in ["finding", "place", "point", "suggestion", "edit"] {
        assert_eq!(generation["$defs"][definition], findings["$defs"][definition], "{definition}");
    }
    for (what, contract) in [("generation", generation), ("lock", schema("lock.schema.json"))] {
        let printed = Sandbox::new().run(&["schema", what]).exits(0).stdout;
        assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), contract);
    }
}
