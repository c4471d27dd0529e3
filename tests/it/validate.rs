//! `adl validate` with several inputs: which files are found, their order, counts and the exit status.

use crate::support::{MANIFEST, Run, Sandbox};

/// A manifest without errors and with one warning, ADL0314 on line 22.
fn with_warning(comment: &str) -> String {
    let block = format!(
        "    model: gpt-4o\n    mcp:\n      enabled: true\n      servers:\n        - name: one\n          transport: http\n          \
         url: https://example.com/mcp\n          command: serve{comment}\n"
    );
    MANIFEST.replace("    model: gpt-4o\n", &block)
}

const FAULTY: &str = "a: 1\n";

fn sandbox() -> Sandbox {
    Sandbox::new().file("good.yaml", MANIFEST).file("bad.yaml", FAULTY).file("warned.yaml", &with_warning(""))
}

#[test]
fn files_are_checked_in_command_line_order() {
    let run = sandbox().run(&["validate", "warned.yaml", "good.yaml", "bad.yaml"]).exits(1);
    let warned = run.stderr.find("warned.yaml: 1 warning").unwrap();
    let bad = run.stderr.find("bad.yaml: ").unwrap();
    assert!(warned < bad && !run.stderr.contains("good.yaml"), "{}", run.stderr);
    assert!(run.stderr.lines().last().unwrap().starts_with("3 manifests: 2 valid, 1 invalid; "), "{}", run.stderr);
    assert_eq!(run.stdout, "");
}

#[test]
fn exit_status_is_that_of_the_worst_file() {
    let sandbox = sandbox();
    let run = sandbox.run(&["validate", "good.yaml", "warned.yaml"]).exits(0);
    assert_eq!(run.stdout, "2 manifests are valid\n");
    sandbox.run(&["validate", "good.yaml", "bad.yaml"]).exits(1);
    let run = sandbox.run(&["validate", "missing.yaml", "bad.yaml", "good.yaml"]).exits(2);
    assert!(run.stderr.contains("error[ADL0901]: file `missing.yaml` not found"), "{}", run.stderr);
    assert!(run.stderr.contains("3 manifests: 1 valid, 1 invalid, 1 unreadable; "), "{}", run.stderr);
}

#[test]
fn duplicate_paths_count_once() {
    let run = sandbox().run(&["validate", "good.yaml", "./good.yaml", "."]).exits(0);
    assert_eq!(run.stdout, "2 manifests are valid\n");
}

#[test]
fn finds_manifests_by_name_and_api_version() {
    let sandbox = Sandbox::new()
        .file("all/agent.yaml", "not: one\n")
        .file("all/b/weather.agent.yml", "not: one\n")
        .file("all/b/unnamed.yaml", MANIFEST)
        .file("all/c/old.yaml", "kind: Agent\napiVersion: adl.dev/v1\n")
        .file("all/c/older.json", "{\"kind\": \"Agent\", \"apiVersion\": \"a2a.dev/v1\"}")
        .file("all/c/deployment.yaml", "apiVersion: apps/v1\n")
        .file("all/c/notes.md", "apiVersion: adl.dev/v1\n")
        .file("all/.hidden/agent.yaml", MANIFEST)
        .file("all/.gitignore", "node_modules\n/generated/\n")
        .file("all/node_modules/x/agent.yaml", MANIFEST)
        .file("all/generated/agent.yaml", MANIFEST);
    let run = sandbox.run(&["validate", "--json", "all"]).exits(1);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let paths: Vec<_> =
        document["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    let expected =
        ["all/agent.yaml", "all/b/unnamed.yaml", "all/b/weather.agent.yml", "all/c/old.yaml", "all/c/older.json"];
    assert_eq!(paths, expected);
    let run = sandbox.run(&["validate", "all/generated/agent.yaml"]).exits(0);
    assert_eq!(run.stdout, "all/generated/agent.yaml is valid\n");
}

#[test]
fn folder_without_manifests_exits_2() {
    let sandbox = sandbox().file("empty/notes.txt", "");
    let run = sandbox.run(&["validate", "empty"]).exits(2);
    assert!(run.stderr.contains("error[ADL0905]: no manifest found in `empty`"), "{}", run.stderr);
    sandbox.run(&["validate", "good.yaml", "empty"]).exits(2);
}

#[test]
fn dash_reads_standard_input() {
    let sandbox = sandbox();
    let run = sandbox.run_with_input(&["validate", "-"], MANIFEST).exits(0);
    assert_eq!(run.stdout, "<stdin> is valid\n");
    let run = sandbox.run_with_input(&["validate", "good.yaml", "-"], FAULTY).exits(1);
    assert!(run.stderr.contains("--> <stdin>:1:1"), "{}", run.stderr);
}

#[test]
fn counts_fixable_findings_and_names_the_command() {
    let old = MANIFEST.replace("adl.inference-gateway.com/v1", "adl.dev/v1");
    let older = old.replace("    streaming: true\n", "").replace("  server:\n    port: 8080\n", "");
    let sandbox =
        sandbox().file("agent.yaml", &old).file("my agents/a.agent.yaml", &older).file("syntax.yaml", "a: b: c\n");
    let last = |arguments: &[&str]| {
        let run = sandbox.run(arguments).exits(1);
        assert_eq!(run.stdout, "");
        run.stderr.lines().last().unwrap().to_owned()
    };
    assert_eq!(last(&["validate"]), "run `adl fix` to fix 1 finding");
    assert_eq!(
        last(&["validate", "agent.yaml", "my agents"]),
        "run `adl fix agent.yaml 'my agents'` to fix 3 findings"
    );
    let nothing_to_fix = last(&["validate", "bad.yaml", "syntax.yaml"]);
    assert!(nothing_to_fix.starts_with("2 manifests: 2 invalid"), "{nothing_to_fix}");
    let quiet = sandbox.run(&["validate", "--quiet"]).exits(1);
    assert!(!quiet.stderr.contains("adl fix"), "{}", quiet.stderr);
    let fixed = sandbox.run(&["fix", "agent.yaml", "my agents"]).exits(1);
    assert!(fixed.stdout.ends_with("2 manifests: 3 fixes applied\n"), "{fixed:#?}");
}

#[test]
fn output_is_deterministic() {
    let mut sandbox = Sandbox::new();
    for number in 0..60 {
        sandbox = sandbox.file(&format!("all/{number:02}.agent.yaml"), if number % 3 == 0 { FAULTY } else { MANIFEST });
    }
    let first = sandbox.run(&["validate", "all"]).exits(1);
    let second = sandbox.run(&["validate", "all"]).exits(1);
    assert_eq!((first.stdout, &first.stderr), (second.stdout, &second.stderr));
    assert!(first.stderr.ends_with("60 manifests: 40 valid, 20 invalid; 80 errors, 20 warnings\n"), "{}", first.stderr);
}

#[test]
fn quiet_prints_only_findings() {
    let sandbox = sandbox();
    let run = sandbox.run(&["validate", "--quiet", "good.yaml"]).exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let run = sandbox.run(&["validate", "-q", "good.yaml", "warned.yaml"]).exits(0);
    assert!(run.stderr.contains("warning[ADL0314]") && !run.stderr.contains("manifests"), "{}", run.stderr);
    assert!(!run.stderr.contains("warned.yaml: 1 warning"), "{}", run.stderr);
}

#[test]
fn denied_warnings_are_errors() {
    let sandbox = sandbox();
    for word in ["warnings", "ADL0314", "unused-transport-field"] {
        let run = sandbox.run(&["validate", "--deny", word, "warned.yaml"]).exits(1);
        assert!(run.stderr.contains("error[ADL0314]"), "{}", run.stderr);
        assert!(run.stderr.contains("this warning is denied by `--deny`"), "{}", run.stderr);
    }
    sandbox.run(&["validate", "--deny", "ADL0309", "warned.yaml"]).exits(0);
    let run = sandbox.run(&["validate", "--deny", "warnings", "--allow", "ADL0314", "warned.yaml"]).exits(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn allow_ignores_warnings_but_not_errors() {
    let sandbox = sandbox();
    let run = sandbox.run(&["validate", "--allow", "unused-transport-field", "warned.yaml"]).exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("warned.yaml is valid\n", ""));
    let run = sandbox.run(&["validate", "--allow", "missing-field", "bad.yaml"]).exits(1);
    assert!(run.stderr.contains("error[ADL0102]"), "{}", run.stderr);
    assert!(
        run.stderr.ends_with("note: ADL0102 (missing-field) is an error and cannot be allowed\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn rejects_unknown_codes() {
    for flag in ["--allow", "--deny"] {
        let run = sandbox().run(&["validate", flag, "ADL9999", "good.yaml"]).exits(2);
        assert!(run.stderr.contains("'ADL9999'") && run.stderr.contains("unknown code"), "{}", run.stderr);
    }
}

#[test]
fn portable_reports_extensions() {
    let text = with_warning("").replace("          command: serve\n", "      transports: [http]\n");
    let sandbox = Sandbox::new().file("agent.yaml", &text);
    assert_eq!(sandbox.run(&["validate"]).exits(0).stderr, "");
    let run = sandbox.run(&["validate", "--portable"]).exits(0);
    assert!(run.stderr.contains("warning[ADL0114]: `spec.agent.mcp.transports` is not portable"), "{}", run.stderr);
    sandbox.run(&["validate", "--portable", "--deny", "non-portable-field"]).exits(1);
}

#[test]
fn allow_comments_apply_to_line_next_line_or_file() {
    let behind = with_warning("  # adl: allow ADL0314 kept for another tool");
    let above = with_warning("").replace(
        "          command: serve\n",
        "          # adl: allow unused-transport-field kept for another tool\n\n          # it reads the command\n          command: serve\n",
    );
    let top = format!("# adl: allow ADL0314 kept for another tool\n\n{}", with_warning(""));
    for text in [behind, above, top] {
        let sandbox = Sandbox::new().file("agent.yaml", &text);
        let run = sandbox.run(&["validate"]).exits(0);
        assert_eq!(run.stderr, "", "{text}");
        sandbox.run(&["validate", "--deny", "warnings"]).exits(0);
        let run = sandbox.run(&["generate", "--dry-run", "--output", "out"]);
        assert!(!run.stderr.contains("ADL0314"), "{}", run.stderr);
    }
}

#[test]
fn reports_useless_allow_comments() {
    for (comment, code, headline) in [
        (" # adl: allow ADL0314", "ADL0015", "the comment gives no reason to allow `ADL0314`"),
        (" # adl: allow", "ADL0015", "the comment names no code"),
        (" # adl: allow ADL9999 why", "ADL0015", "unknown code `ADL9999`"),
        (" # adl: allow ADL0309 why", "ADL0016", "no `ADL0309` (hardcoded-credential) to allow here"),
    ] {
        let sandbox = Sandbox::new().file("agent.yaml", &with_warning(comment));
        let run = sandbox.run(&["validate"]).exits(0);
        assert!(run.stderr.contains(&format!("warning[{code}]: {headline}")), "{}", run.stderr);
        assert!(run.stderr.contains("warning[ADL0314]"), "{}", run.stderr);
    }
}

#[test]
fn allow_comments_do_not_apply_to_errors() {
    let text = MANIFEST.replace("port: 8080", "port: none # adl: allow ADL0101 why not");
    let run = Sandbox::new().file("agent.yaml", &text).run(&["validate"]).exits(1);
    assert!(run.stderr.contains("error[ADL0101]"), "{}", run.stderr);
    assert!(
        run.stderr.contains("warning[ADL0017]: `ADL0101` (wrong-type) is an error and cannot be allowed"),
        "{}",
        run.stderr
    );
}

#[test]
fn allow_comments_may_name_findings_of_other_commands() {
    let text = format!(
        "# adl: allow feature-not-generated known\n# adl: allow non-portable-field wanted\n{}",
        with_warning("")
    )
    .replace("          command: serve\n", "      transports: [http]\n")
    .replace("  version: 0.1.0\n", "  version: 0.1.0\n  license: MIT\n");
    let sandbox = Sandbox::new().file("agent.yaml", &text);
    assert_eq!(sandbox.run(&["validate"]).exits(0).stderr, "");
    assert_eq!(sandbox.run(&["validate", "--portable"]).exits(0).stderr, "");
    let run = sandbox.run(&["generate", "--dry-run", "--output", "out"]);
    assert!(!run.stderr.contains("ADL0404") && !run.stderr.contains("ADL0016"), "{}", run.stderr);
}

#[test]
fn strings_are_not_allow_comments() {
    let text = MANIFEST
        .replace("Tells the weather", "\"Tells # adl: allow ADL0309 no\"")
        .replace("Weather of a place", "|\n        # adl: allow ADL0309 no\n        x # adl: allow");
    let run = Sandbox::new().file("agent.yaml", &text).run(&["validate"]).exits(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn prints_schemas() {
    let sandbox = Sandbox::new();
    for (arguments, file) in
        [(&["schema"][..], "schema/adl.schema.json"), (&["schema", "findings"], "schema/findings.schema.json")]
    {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        assert_eq!(sandbox.run(arguments).exits(0).stdout, std::fs::read_to_string(path).unwrap());
    }
}

#[test]
fn works_without_threads() {
    let sandbox = Sandbox::new().file("a.yaml", MANIFEST).file("b.yaml", MANIFEST);
    let mut command = sandbox.adl(&["validate", "a.yaml", "b.yaml"]);
    // No thread can start, because no system can allocate such a stack.
    let output = command.env("RUST_MIN_STACK", (1_u64 << 50).to_string()).output().unwrap();
    assert_eq!(Run::from(output).exits(0).stdout, "2 manifests are valid\n");
}
