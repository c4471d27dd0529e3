//! `adl mcp list`: the registries of the user and of a project.

use serde_json::{Value, json};

use super::support::{Run, Sandbox};

/// A value that must not be printed.
const SECRET: &str = "opensesame4711";

const USER: &str = r#"{
  "schemaVersion": 1,
  "servers": {
    "docs": { "transport": "stdio", "command": "npx", "args": ["-y", "docs"], "environment": { "MODE": { "literal": "safe" }, "KEY": { "fromEnv": "DOCS_KEY" } } },
    "search": { "transport": "http", "url": "https://search/mcp?team=1", "headers": { "Authorization": { "fromEnv": "T", "scheme": "Bearer" } }, "targets": ["codex", "grok"] }
  }
}"#;

const PROJECT: &str = r#"{"schemaVersion": 1, "servers": {"search": {"inherits": "user", "enabled": false}, "local": {"transport": "stdio", "command": "x", "cwd": "sub"}}}"#;

fn list(sandbox: &Sandbox, arguments: &[&str], status: i32) -> Value {
    let run = sandbox.run(&[&["mcp", "list", "--format", "json"], arguments].concat()).exits(status);
    assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run:#?}");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn lists_the_effective_servers() {
    let sandbox = Sandbox::new().file("home/.adl/mcp/user.json", USER).file(".adl/mcp.json", PROJECT);
    let before = sandbox.snapshot(".");
    let listed = list(&sandbox, &[], 0);
    let rows: Vec<_> = listed["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| json!([it["name"], it["scope"], it["enabled"], it["overridden"]]))
        .collect();
    let expected = [
        json!(["docs", "user", true, false]),
        json!(["local", "project", true, false]),
        json!(["search", "user", false, true]),
    ];
    assert_eq!(rows, expected);
    let docs = &listed["servers"][0];
    assert_eq!(docs["environment"], json!([{"name": "MODE", "fromEnv": null}, {"name": "KEY", "fromEnv": "DOCS_KEY"}]));
    assert_eq!(listed["servers"][2]["url"], "https://search/mcp?<hidden>");
    assert_eq!(listed["servers"][2]["targets"], json!(["codex", "grok"]));

    assert_eq!(list(&sandbox, &["--scope", "user"], 0)["servers"][1]["enabled"], true);
    let project = list(&sandbox, &["--scope", "project"], 0);
    assert_eq!(project["servers"].as_array().unwrap().len(), 1);
    let table = sandbox.run(&["mcp", "list"]).exits(0).stdout;
    assert!(table.contains("search  user     http       disabled in the project  codex, grok\n"), "{table}");
    assert_eq!(sandbox.snapshot("."), before);
}

#[test]
fn another_folder_can_be_set() {
    let sandbox = Sandbox::new().file("other/mcp/user.json", USER).file("home/.adl/mcp/user.json", "{");
    let mut command = sandbox.adl(&["mcp", "list", "--scope", "user"]);
    let run = Run::from(command.env("ADL_HOME", sandbox.path("other")).output().unwrap()).exits(0);
    assert!(run.stdout.contains("docs"), "{run:#?}");
    let run = Sandbox::new().run(&["mcp", "list"]).exits(0);
    assert_eq!(run.stdout, "no MCP servers in the registries\n");
}

#[test]
fn faults_have_a_place_and_leave_other_entries() {
    let rows = [
        (r#"{"transport": "stdio"}"#, "servers.x.command", "is missing"),
        (
            r#"{"transport": "stdio", "command": "npx -y"}"#,
            "servers.x.command",
            "contains spaces; put arguments into `args`",
        ),
        (r#"{"transport": "stdio", "command": "a\u0000"}"#, "servers.x.command", "contains a NUL character"),
        (r#"{"transport": "stdio", "command": "x", "url": "y"}"#, "servers.x.url", "is an unknown key"),
        (r#"{"transport": "stdio", "command": "x", "cwd": "../y"}"#, "servers.x.cwd", "leads out of the project"),
        (r#"{"transport": "stdio", "command": "x", "cwd": "/y"}"#, "servers.x.cwd", "leads out of the project"),
        (
            r#"{"transport": "stdio", "command": "x", "environment": {"API_KEY": {"literal": "opensesame4711"}}}"#,
            "servers.x.environment.API_KEY",
            "contains a credential; use `fromEnv`",
        ),
        (
            r#"{"transport": "stdio", "command": "x", "environment": {"A": "opensesame4711"}}"#,
            "servers.x.environment.A",
            "is not `{\"literal\": ...}` or `{\"fromEnv\": ...}`",
        ),
        (
            r#"{"transport": "stdio", "command": "x", "args": ["--token", "opensesame4711"]}"#,
            "servers.x.args",
            "contains a credential; use `fromEnv`",
        ),
        (
            r#"{"transport": "stdio", "command": "x", "targets": ["opensesame4711"]}"#,
            "servers.x.targets",
            "names an unknown coding agent",
        ),
        (
            r#"{"transport": "http", "url": "ftp://opensesame4711"}"#,
            "servers.x.url",
            "is not a valid HTTP or HTTPS URL",
        ),
        (r#"{"transport": "sse", "url": "http://h"}"#, "servers.x.transport", "is not `stdio` or `http`"),
        (r#"{"inherits": "user", "enabled": true, "command": "x"}"#, "servers.x.command", "is an unknown key"),
        (r#"{"inherits": "user", "enabled": true}"#, "servers.x", "inherits a server that the user does not have"),
        ("[]", "servers.x", "is not a table"),
    ];
    for (entry, field, problem) in rows {
        let text = format!(
            "{{\"schemaVersion\": 1, \"servers\": {{\"ok\": {{\"transport\": \"stdio\", \"command\": \"x\"}},\n \"x\": {entry}}}}}"
        );
        let listed = list(&Sandbox::new().file(".adl/mcp.json", &text), &[], 1);
        let problems = listed["problems"].as_array().unwrap();
        assert_eq!(problems.len(), 1, "{entry}: {problems:#?}");
        assert_eq!((&problems[0]["field"], &problems[0]["problem"]), (&json!(field), &json!(problem)), "{entry}");
        assert!(problems[0]["line"] == 2 || problem.starts_with("inherits"), "{entry}: {problems:#?}");
        assert_eq!(listed["servers"].as_array().unwrap().len(), 1, "{entry}");
    }
    for (text, problem) in [
        ("{\"servers\": {}}", "is missing"),
        ("{\"schemaVersion\": 2, \"servers\": {}}", "is not 1, the only version that this program knows"),
        ("{\"schemaVersion\": 1, // c\n\"servers\": {}}", "comments are not allowed"),
    ] {
        let listed = list(&Sandbox::new().file(".adl/mcp.json", text), &[], 1);
        assert_eq!(listed["problems"][0]["problem"], problem, "{text}");
    }
}

#[test]
fn schema_agrees_with_the_program() {
    let schema = Sandbox::new().run(&["schema", "mcp-registry"]).exits(0).stdout;
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    for valid in [USER, PROJECT] {
        assert!(validator.is_valid(&serde_json::from_str(valid).unwrap()), "{valid}");
    }
    for invalid in [
        r#"{"servers": {}}"#,
        r#"{"schemaVersion": 1, "servers": {"A": {"transport": "stdio", "command": "x"}}}"#,
        r#"{"schemaVersion": 1, "servers": {"a": {"transport": "stdio"}}}"#,
        r#"{"schemaVersion": 1, "servers": {"a": {"transport": "stdio", "command": "x", "url": "y"}}}"#,
        r#"{"schemaVersion": 1, "servers": {"a": {"inherits": "user"}}}"#,
    ] {
        assert!(!validator.is_valid(&serde_json::from_str(invalid).unwrap()), "{invalid}");
        list(&Sandbox::new().file(".adl/mcp.json", invalid), &[], 1);
    }
}
