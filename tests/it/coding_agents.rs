//! `adl mcp`: the servers of coding agents.
#![expect(clippy::disallowed_methods, reason = "tests prepare files and inspect reports")]

use std::fs;

use serde_json::{Value, json};

use super::support::{Run, Sandbox};

/// A value that must not be printed.
const SECRET: &str = "opensesame4711";

/// The servers and problems of a project that is the folder `project`.
fn discover(sandbox: &Sandbox, arguments: &[&str], status: i32) -> Value {
    fs::create_dir_all(sandbox.path("project")).unwrap();
    let arguments = [&["mcp", "discover", "--project", "project", "--format", "json"], arguments].concat();
    let run = sandbox.run(&arguments).exits(status);
    assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run:#?}");
    serde_json::from_str(&run.stdout).unwrap()
}

/// The server with this name.
fn server<'a>(found: &'a Value, name: &str) -> &'a Value {
    let servers = found["servers"].as_array().unwrap();
    servers.iter().find(|server| server["name"] == name).expect(name)
}

/// An agent, its file, and the same two servers in it: `local` is a program, `remote` is a URL and disabled if the agent
/// has a switch in the entry.
const FILES: &[(&str, &str, &str)] = &[
    (
        "claude-code",
        "home/.claude.json",
        r#"{"numStartups": 3, "mcpServers": {"local": {"command": "npx", "args": ["-y"], "env": {"A": "${A_TOKEN}"}}, "remote": {"type": "http", "url": "http://h/mcp", "headers": {"Authorization": "Bearer ${B}"}}}}"#,
    ),
    (
        "codex",
        "home/.codex/config.toml",
        "model = \"m\"\n[mcp_servers.local]\ncommand = \"npx\"\nargs = [\"-y\"]\nenv_vars = [\"A\"]\n[mcp_servers.remote]\nurl = \"http://h/mcp\"\nbearer_token_env_var = \"B\"\nenabled = false\n",
    ),
    (
        "antigravity",
        "home/.gemini/config/mcp_config.json",
        r#"{"mcpServers": {"local": {"command": "npx", "args": ["-y"], "env": {"A": "x"}}, "remote": {"serverUrl": "http://h/mcp", "headers": {"X": "y"}, "disabled": true}}}"#,
    ),
    (
        "pi",
        "home/.pi/agent/mcp.json",
        r#"{"mcpServers": {"local": {"command": "npx", "args": ["-y"], "env": {"A": "${A_TOKEN}"}}, "remote": {"url": "http://h/mcp", "headers": {"Authorization": "Bearer ${B}"}, "enabled": false}}}"#,
    ),
    (
        "hermes",
        "home/.hermes/config.yaml",
        "model: {default: m}\nmcp_servers:\n  local:\n    command: npx\n    args: [\"-y\"]\n    env: {A: \"${env:A_TOKEN}\"}\n  remote: {url: http://h/mcp, headers: {Authorization: \"Bearer ${B}\"}, enabled: false}\n",
    ),
    (
        "grok",
        "home/.grok/config.toml",
        "[mcp_servers.local]\ncommand = \"npx\"\nargs = [\"-y\"]\nenv = { A = \"$A_TOKEN\" }\n[mcp_servers.remote]\nurl = \"http://h/mcp\"\nbearer_token_env_var = \"B\"\nenabled = false\n",
    ),
    (
        "gemini-cli",
        "home/.gemini/settings.json",
        "{\"theme\": \"x\", // dark\n\"mcpServers\": {\"local\": {\"command\": \"npx\", \"args\": [\"-y\"], \"env\": {\"A\": \"$A_TOKEN\"}}, \"remote\": {\"httpUrl\": \"http://h/mcp\", \"headers\": {\"Authorization\": \"Bearer ${B}\"}}}}",
    ),
    (
        "qwen-code",
        "home/.qwen/settings.json",
        r#"{"mcpServers": {"local": {"command": "npx", "args": ["-y"], "env": {"A": "$A_TOKEN"}}, "remote": {"httpUrl": "http://h/mcp", "headers": {"Authorization": "Bearer ${B}"}}}}"#,
    ),
    (
        "opencode",
        "home/.config/opencode/opencode.jsonc",
        r#"{"mcp": {"local": {"type": "local", "command": ["npx", "-y"], "environment": {"A": "{env:A_TOKEN}"}}, "remote": {"type": "remote", "url": "http://h/mcp", "headers": {"Authorization": "Bearer {env:B}"}, "enabled": false,},},}"#,
    ),
    (
        "copilot-cli",
        "home/.copilot/mcp-config.json",
        r#"{"mcpServers": {"local": {"type": "local", "command": "npx", "args": ["-y"], "env": {"A": "${A_TOKEN}"}, "tools": ["*"]}, "remote": {"type": "http", "url": "http://h/mcp", "headers": {"Authorization": "Bearer ${B}"}}}}"#,
    ),
    (
        "cursor",
        "home/.cursor/mcp.json",
        r#"{"mcpServers": {"local": {"command": "npx", "args": ["-y"], "env": {"A": "${env:A_TOKEN}"}}, "remote": {"url": "http://h/mcp", "headers": {"Authorization": "Bearer ${env:B}"}}}}"#,
    ),
    (
        "vscode",
        "project/.vscode/mcp.json",
        r#"{"inputs": [], "servers": {"local": {"type": "stdio", "command": "npx", "args": ["-y"], "env": {"A": "${env:A_TOKEN}"}}, "remote": {"type": "http", "url": "http://h/mcp", "headers": {"Authorization": "Bearer ${env:B}"}}}}"#,
    ),
    (
        "windsurf",
        "home/.codeium/windsurf/mcp_config.json",
        r#"{"mcpServers": {"local": {"command": "npx", "args": ["-y"], "env": {"A": "${env:A_TOKEN}"}}, "remote": {"serverUrl": "http://h/mcp", "headers": {"Authorization": "Bearer ${env:B}"}, "disabled": true}}}"#,
    ),
    (
        "zed",
        "project/.zed/settings.json",
        r#"{"context_servers": {"local": {"source": "custom", "command": "npx", "args": ["-y"], "env": {"A": "x"}}, "remote": {"url": "http://h/mcp", "headers": {"X": "y"}, "enabled": false}}}"#,
    ),
    (
        "cline",
        "home/.cline/data/settings/cline_mcp_settings.json",
        r#"{"mcpServers": {"local": {"transport": {"type": "stdio", "command": "npx", "args": ["-y"], "env": {"A": "x"}}}, "remote": {"type": "streamableHttp", "url": "http://h/mcp", "headers": {"X": "y"}, "disabled": true}}}"#,
    ),
    (
        "goose",
        "home/.config/goose/config.yaml",
        "extensions:\n  local:\n    type: stdio\n    name: local\n    cmd: npx\n    args: [\"-y\"]\n    env_keys: [A]\n  remote: {type: streamable_http, uri: http://h/mcp, description: d, headers: {X: y}, enabled: false}\n",
    ),
    (
        "amazon-q",
        "home/.aws/amazonq/mcp.json",
        r#"{"mcpServers": {"local": {"command": "npx", "args": ["-y"], "env": {"A": "${env:A_TOKEN}"}}, "remote": {"url": "http://h/mcp", "headers": {"Authorization": "Bearer ${env:B}"}, "disabled": true}}}"#,
    ),
    (
        "kiro",
        "project/.kiro/settings/mcp.json",
        r#"{"mcpServers": {"local": {"command": "npx", "args": ["-y"], "env": {"A": "${A_TOKEN}"}}, "remote": {"url": "http://h/mcp", "headers": {"Authorization": "Bearer ${B}"}, "disabled": true}}}"#,
    ),
];

#[test]
fn reads_the_format_of_every_agent() {
    let ids: Vec<_> = FILES.iter().map(|(id, ..)| *id).collect();
    assert_eq!(ids, adl::coding_agents::AGENTS.iter().map(|agent| agent.id).collect::<Vec<_>>());
    for (id, file, text) in FILES {
        let sandbox = Sandbox::new().file(file, text);
        let found = discover(&sandbox, &["--agent", id], 0);
        let scope = if file.starts_with("home/") { "user" } else { "project" };
        for server in found["servers"].as_array().unwrap() {
            assert_eq!((&server["agent"], &server["scope"]), (&json!(id), &json!(scope)), "{id}: {server:#}");
            assert_eq!(server["problems"], json!([]), "{id}: {server:#}");
            assert!(server["file"].as_str().unwrap().ends_with(file), "{id}: {server:#}");
        }
        let (local, remote) = (server(&found, "local"), server(&found, "remote"));
        assert_eq!((&local["transport"], &local["enabled"]), (&json!("stdio"), &json!(true)), "{id}");
        assert_eq!((&local["command"], &local["args"]), (&json!("npx"), &json!(["-y"])), "{id}");
        let variable = &local["environment"][0];
        let expected = if text.contains("A_TOKEN") {
            json!("A_TOKEN")
        } else if text.contains("[A]") || text.contains("[\"A\"]") {
            json!("A")
        } else {
            Value::Null
        };
        assert_eq!((&variable["name"], &variable["fromEnv"]), (&json!("A"), &expected), "{id}");
        assert_eq!((&remote["transport"], &remote["url"]), (&json!("http"), &json!("http://h/mcp")), "{id}");
        let has_switch = text.contains("enabled") || text.contains("disabled");
        assert_eq!(remote["enabled"], json!(!has_switch), "{id}");
        let expected = if text.contains("Bearer") || text.contains("bearer") {
            json!({"name": "Authorization", "fromEnv": "B"})
        } else {
            json!({"name": "X", "fromEnv": null})
        };
        assert_eq!(remote["headers"], json!([expected]), "{id}");
    }
}

#[test]
fn reading_changes_nothing() {
    let mut sandbox = Sandbox::new();
    for (_, file, text) in FILES {
        sandbox = sandbox.file(file, text);
    }
    let before = sandbox.snapshot(".");
    sandbox.run(&["mcp", "agents"]).exits(0);
    sandbox.run(&["mcp", "discover", "--project", "project"]).exits(0);
    assert_eq!(sandbox.snapshot("."), before);
}

#[test]
fn secrets_are_not_printed() {
    let json = format!(
        r#"{{"mcpServers": {{
            "a": {{"command": "npx", "args": ["--token", "{SECRET}", "--api-key={SECRET}"], "env": {{"API_KEY": "{SECRET}", "MODE": "{SECRET}"}}}},
            "b": {{"type": "http", "url": "https://u:{SECRET}@h/mcp?x={SECRET}", "headers": {{"Authorization": "Bearer {SECRET}", "X": "{SECRET}"}}}},
            "c": {{"type": "{SECRET}", "url": "http://h/?token={SECRET}"}},
            "d": {{"command": "npx", "headers": {{"X": "{SECRET}"}}, "timeout": "{SECRET}", "args": "{SECRET}"}}
        }}}}"#
    );
    let sandbox = Sandbox::new().file("project/.mcp.json", &json);
    let found = discover(&sandbox, &["--agent", "claude-code"], 0);
    let fields = |name: &str| {
        let problems = server(&found, name)["problems"].as_array().unwrap().clone();
        problems.iter().map(|problem| problem["field"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(fields("a"), ["args[1]", "args[2]", "environment.API_KEY"]);
    assert_eq!(fields("b"), ["url", "headers.Authorization"]);
    let twice = json.replace("\"d\"", "\"c\"");
    for text in [json.as_str(), &json[..json.len() - 20], &twice] {
        let sandbox = Sandbox::new().file("project/.mcp.json", text);
        let run = sandbox.run(&["mcp", "discover", "--project", "project"]);
        assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run:#?}");
    }
}

#[test]
fn invalid_files_are_reported_and_others_are_listed() {
    let sandbox = Sandbox::new()
        .file("home/.codex/config.toml", "[mcp_servers.a]\ncommand = \"x\"\nargs = ]\n")
        .file("home/.cursor/mcp.json", "{\n  // mine\n  \"mcpServers\": {\"b\": {\"command\": \"x\"}}\n}")
        .file("home/.kiro/settings/mcp.json", "\u{feff}{\"mcpServers\": {\"c\": {\"command\": \"x\"}}}")
        .file("home/.qwen/settings.json", "{\"mcpServers\": []}")
        .file("home/.pi/agent/mcp.json", "");
    let found = discover(&sandbox, &[], 1);
    let problems: Vec<_> = found["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| format!("{} {}:{} {}", problem["agent"], problem["line"], problem["column"], problem["problem"]))
        .collect();
    assert_eq!(problems.len(), 3, "{problems:#?}");
    assert!(problems[0].starts_with("\"codex\" 3:8 "), "{problems:#?}");
    assert!(problems[1].contains("`mcpServers` is not a table"), "{problems:#?}");
    assert!(problems[2].contains("Cursor rejects the file: comments are not allowed"), "{problems:#?}");
    assert_eq!(server(&found, "b")["line"], 3);
    assert_eq!(server(&found, "c")["column"], 17);
}

#[test]
fn unusable_entries_are_named() {
    let text = r#"{"mcpServers": {
        "no-type": {"url": "http://h"}, "sse": {"type": "sse", "url": "http://h"}, "null": {"command": null},
        "list": [], "off": {"command": "x", "disabled": true, "cwd": "sub"}, "Upper": {"command": "x"},
        "word": {"type": 1, "command": "x"}, "mixed": {"command": "x", "args": ["${A}"], "env": {"B": "b${C}", "D": "${E:-f}"}}
    }}"#;
    let sandbox = Sandbox::new().file("project/.mcp.json", text);
    let found = discover(&sandbox, &["--agent", "claude-code"], 0);
    let problems = |name: &str| {
        let problems = server(&found, name)["problems"].as_array().unwrap().clone();
        problems
            .iter()
            .map(|it| format!("{}: {}", it["field"].as_str().unwrap(), it["problem"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(problems("no-type"), ["type: is missing; the agent ignores the entry"]);
    assert_eq!(problems("sse"), ["url: uses SSE; only stdio and streamable HTTP are portable"]);
    assert_eq!(problems("null"), ["command: is not a string"]);
    assert_eq!(problems("word"), ["type: is not a string"]);
    assert_eq!(problems("list"), [": the entry is not a table"]);
    assert_eq!(problems("off"), ["cwd: has no effect in this agent", "disabled: has no effect in this agent"]);
    assert_eq!(problems("Upper").len(), 1);
    assert_eq!(problems("mixed").len(), 3, "{:?}", problems("mixed"));
    assert_eq!(server(&found, "off")["enabled"], true);
    assert_eq!(server(&found, "null")["transport"], Value::Null);
}

#[test]
fn scopes_and_parent_folders_are_told_apart() {
    let sandbox = Sandbox::new()
        .file(".mcp.json", r#"{"mcpServers": {"above": {"command": "x"}}}"#)
        .file("project/.mcp.json", r#"{"mcpServers": {"same": {"command": "x"}, "cwd": {"command": "x", "cwd": "y"}}}"#)
        .file("project/.codex/config.toml", "[mcp_servers.same]\nenabled = false\n");
    let project = fs::canonicalize(sandbox.path("project")).unwrap();
    let state = json!({
        "mcpServers": {"same": {"command": "y"}},
        "projects": {
            format!("{}/", project.display()): {"mcpServers": {"mine": {"command": "x"}}},
            "/elsewhere": {"mcpServers": {"other": {"command": "x"}}},
        },
    });
    let sandbox = sandbox.file("home/.claude.json", &state.to_string());
    let found = discover(&sandbox, &["--agent", "claude-code", "--agent", "codex", "--agent", "qwen-code"], 0);
    let rows: Vec<_> = found["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|server| {
            format!(
                "{} {} {}",
                server["name"].as_str().unwrap(),
                server["agent"].as_str().unwrap(),
                server["scope"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            "above claude-code project",
            "cwd claude-code project",
            "cwd qwen-code project",
            "mine claude-code local",
            "same claude-code user",
            "same claude-code project",
            "same codex project",
            "same qwen-code project",
        ]
    );
    assert_eq!(found["conflicts"][0]["name"], "same");
    assert_eq!(found["conflicts"].as_array().unwrap().len(), 1);
    assert_eq!(found["servers"][6]["enabled"], false);
    let local = discover(&sandbox, &["--scope", "local"], 0);
    assert_eq!(local["servers"].as_array().unwrap().len(), 1);

    let table = sandbox.run(&["mcp", "discover", "--project", "project", "--agent", "codex"]).exits(0).stdout;
    let row: Vec<_> = table.lines().nth(1).unwrap().split_whitespace().take(6).collect();
    assert_eq!(row, ["same", "codex", "project", "-", "switched", "off"]);
}

#[test]
fn agents_are_listed_with_their_files() {
    let sandbox = Sandbox::new().file("codex/config.toml", "");
    let mut command = sandbox.adl(&["mcp", "agents", "--format", "json"]);
    command.env("CODEX_HOME", sandbox.path("codex")).env("PATH", "");
    let run = Run::from(command.output().unwrap()).exits(0);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let agents = document["agents"].as_array().unwrap();
    let installed: Vec<_> =
        agents.iter().filter(|agent| agent["installed"] == true).map(|agent| &agent["id"]).collect();
    assert_eq!(installed, ["codex"]);
    let codex = agents.iter().find(|agent| agent["id"] == "codex").unwrap();
    assert_eq!(codex["userFiles"], json!([sandbox.path("codex/config.toml")]));
    assert_eq!(codex["projectFiles"], json!([".codex/config.toml"]));

    let table = sandbox.run(&["mcp", "agents"]).exits(0).stdout;
    assert_eq!(table.lines().count(), agents.len() + 1);
}

#[test]
fn unknown_agents_and_folders_are_errors() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["mcp", "discover", "--agent", "codexx"]).exits(2);
    assert!(run.stderr.contains("unknown coding agent `codexx`") && run.stderr.contains("`codex`"), "{run:#?}");
    let run = sandbox.run(&["mcp", "discover", "--project", "missing"]).exits(2);
    assert!(run.stderr.contains("`missing`") && run.stdout.is_empty(), "{run:#?}");
    let mut command = sandbox.adl(&["mcp", "agents"]);
    command.env_remove("HOME");
    let run = Run::from(command.output().unwrap()).exits(2);
    assert!(run.stderr.contains("HOME"), "{run:#?}");
}
