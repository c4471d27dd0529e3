//! `adl mcp add`, `remove`, `enable`, `disable`, `sync` and `recover`.
#![expect(clippy::disallowed_methods, clippy::indexing_slicing, reason = "tests prepare files and inspect reports")]

use std::fs;
use std::path::PathBuf;
use std::thread;

use serde_json::{Value, json};

use super::support::{Run, Sandbox};

/// A value that must not be printed.
const SECRET: &str = "opensesame4711";

const CODEX: &str = "# mine\nmodel = \"m\" # keep\n\n[mcp_servers.other]\ncommand = \"x\"\n";
const CLAUDE: &str = "{\"numStartups\": 3,\n  \"mcpServers\": {}, \"oauth\": \"opensesame4711\"}";
const SERVERS: &str = r#"{
  "schemaVersion": 1,
  "servers": {
    "docs": { "transport": "stdio", "command": "npx", "args": ["-y", "docs"], "environment": { "KEY": { "fromEnv": "KEY" } }, "targets": ["claude-code", "codex"] }
  }
}
"#;

/// A home with two agents, and a registry of the user with one server for both.
fn home() -> Sandbox {
    let sandbox = Sandbox::new().file("home/.codex/config.toml", CODEX).file("home/.claude.json", CLAUDE);
    fs::create_dir_all(sandbox.path("project")).unwrap();
    sandbox.file("home/.adl/mcp/user.json", SERVERS)
}

fn run(sandbox: &Sandbox, arguments: &[&str], status: i32) -> Run {
    let run = sandbox.run(&[&["mcp"], arguments, &["--project", "project"]].concat()).exits(status);
    assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run:#?}");
    run
}

/// Plans a command and confirms the plan.
fn confirmed(sandbox: &Sandbox, arguments: &[&str], status: i32) -> Value {
    let plan = run(sandbox, &[arguments, &["--dry-run", "--format", "json"]].concat(), 0);
    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
    let token = plan["token"].as_str().unwrap();
    let done = run(sandbox, &[arguments, &["--confirm", token, "--format", "json"]].concat(), status);
    serde_json::from_str(&done.stdout).unwrap()
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    fs::read_to_string(sandbox.path(path)).unwrap_or_default()
}

#[test]
fn sync_adds_entries_and_keeps_every_other_byte() {
    let sandbox = home();
    let before = sandbox.snapshot(".");
    let plan = run(&sandbox, &["sync", "--dry-run"], 0);
    assert!(plan.stdout.contains("docs    codex        user   add     ~/.codex/config.toml\n"), "{plan:#?}");
    assert_eq!(sandbox.snapshot("."), before, "--dry-run writes nothing");
    let done = confirmed(&sandbox, &["sync"], 0);
    assert_eq!((&done["applied"], &done["steps"][1]["action"]), (&json!(true), &json!("add")));
    let codex = text(&sandbox, "home/.codex/config.toml");
    assert!(codex.starts_with(CODEX), "{codex}");
    assert!(codex.contains("env_vars = [\"KEY\"]"), "{codex}");
    let claude: Value = serde_json::from_str(&text(&sandbox, "home/.claude.json")).unwrap();
    assert_eq!(
        claude["mcpServers"]["docs"],
        json!({"type": "stdio", "command": "npx", "args": ["-y", "docs"], "env": {"KEY": "${KEY}"}})
    );
    assert_eq!((&claude["numStartups"], &claude["oauth"]), (&json!(3), &json!(SECRET)));
    // The twelfth acceptance test: nothing is left to do.
    let again = sandbox.snapshot(".");
    assert_eq!(confirmed(&sandbox, &["sync"], 0)["backup"], Value::Null);
    assert_eq!(sandbox.snapshot("."), again);
    let names = sandbox.snapshot("home/.adl").keys().map(|path| path.display().to_string()).collect::<String>();
    assert!(!names.contains(SECRET) && !text(&sandbox, "home/.adl/state/mcp/user.json").contains(SECRET));
}

#[test]
fn a_disabled_server_can_be_enabled_again() {
    let sandbox = home();
    confirmed(&sandbox, &["sync"], 0);
    let synced = text(&sandbox, "home/.codex/config.toml");
    confirmed(&sandbox, &["disable", "docs", "--scope", "user"], 0);
    assert!(text(&sandbox, "home/.codex/config.toml").contains("enabled = false"));
    // Claude Code has no switch in an entry, so the entry is removed; the registry keeps the definition.
    assert!(!text(&sandbox, "home/.claude.json").contains("docs"));
    confirmed(&sandbox, &["enable", "docs", "--scope", "user"], 0);
    assert_eq!(text(&sandbox, "home/.codex/config.toml"), synced);
    assert!(text(&sandbox, "home/.claude.json").contains("docs"));
}

#[test]
fn a_project_can_disable_a_server_of_the_user() {
    let sandbox = home();
    confirmed(&sandbox, &["sync"], 0);
    let user = (text(&sandbox, "home/.codex/config.toml"), text(&sandbox, "home/.claude.json"));
    let done = confirmed(&sandbox, &["disable", "docs", "--scope", "project"], 2);
    assert_eq!(done["attention"][0]["agent"], "claude-code");
    let denied: Value = serde_json::from_str(&text(&sandbox, "project/.claude/settings.local.json")).unwrap();
    assert_eq!(denied, json!({"deniedMcpServers": [{"serverName": "docs"}]}));
    assert!(text(&sandbox, "project/.codex/config.toml").contains("enabled = false"));
    confirmed(&sandbox, &["enable", "docs", "--scope", "project"], 0);
    assert!(!text(&sandbox, "project/.claude/settings.local.json").contains("docs"));
    assert!(!text(&sandbox, "project/.codex/config.toml").contains("docs"));
    assert_eq!((text(&sandbox, "home/.codex/config.toml"), text(&sandbox, "home/.claude.json")), user);
}

#[test]
fn servers_can_be_added_and_removed() {
    let sandbox = home();
    let add = ["add", "search", "--url", "https://search/mcp", "--bearer", "TOKEN", "--target", "codex"];
    let done = confirmed(&sandbox, &add, 2);
    assert_eq!(done["attention"], json!([{"agent": "codex", "action": "trust the folder when the agent asks for it"}]));
    assert!(text(&sandbox, "project/.codex/config.toml").contains("bearer_token_env_var = \"TOKEN\""));
    let registry: Value = serde_json::from_str(&text(&sandbox, "project/.adl/mcp.json")).unwrap();
    assert_eq!(registry["servers"]["search"]["targets"], json!(["codex"]));
    let error = run(&sandbox, &["add", "search", "--url", "https://other", "--dry-run"], 1).stderr;
    assert!(error.contains("already has a server `search`"), "{error}");
    confirmed(&sandbox, &["remove", "search"], 0);
    assert!(!text(&sandbox, "project/.codex/config.toml").contains("search"));
    let error = run(&sandbox, &["remove", "search", "--dry-run"], 1).stderr;
    assert!(error.contains("has no server `search`"), "{error}");
    // A trusted project needs nothing.
    let folder = fs::canonicalize(sandbox.path("project")).unwrap();
    let trust = format!("{CODEX}\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n", folder.display());
    fs::write(sandbox.path("home/.codex/config.toml"), trust).unwrap();
    confirmed(&sandbox, &add, 0);
}

/// The state of each server in each agent.
fn states(sandbox: &Sandbox, command: &str, status: i32) -> Vec<String> {
    let printed = run(sandbox, &[command, "--format", "json"], status).stdout;
    let printed: Value = serde_json::from_str(&printed).unwrap();
    let rows = printed["servers"].as_array().unwrap().iter();
    rows.map(|row| ["server", "agent", "scope", "state"].map(|key| row[key].as_str().unwrap()).join(" ")).collect()
}

#[test]
fn servers_move_between_user_and_project() {
    let sandbox = home();
    confirmed(&sandbox, &["sync"], 0);
    let before = sandbox.snapshot(".");
    confirmed(&sandbox, &["move", "docs", "--to", "project"], 2);
    assert!(!text(&sandbox, "home/.codex/config.toml").contains("docs"));
    assert!(!text(&sandbox, "home/.claude.json").contains("docs"));
    assert!(text(&sandbox, "project/.codex/config.toml").contains("docs"));
    assert!(text(&sandbox, "project/.mcp.json").contains("docs"));
    assert_eq!(
        states(&sandbox, "verify", 2),
        ["docs claude-code project pending-trust", "docs codex project pending-trust"]
    );
    confirmed(&sandbox, &["move", "docs", "--to", "user"], 0);
    for path in ["home/.codex/config.toml", "home/.claude.json"] {
        let unchanged = before.iter().find(|(known, _)| known.ends_with(path)).unwrap();
        assert_eq!(&text(&sandbox, path), unchanged.1);
    }
    assert!(!text(&sandbox, "project/.codex/config.toml").contains("docs"));
    let error = run(&sandbox, &["move", "docs", "--to", "user", "--dry-run"], 1).stderr;
    assert!(error.contains("the registry of the project has no server `docs`"), "{error}");
}

#[test]
fn servers_of_agents_can_be_adopted() {
    let sandbox = home();
    let before = text(&sandbox, "home/.codex/config.toml");
    confirmed(&sandbox, &["adopt", "codex", "other", "--to", "user"], 0);
    assert_eq!(text(&sandbox, "home/.codex/config.toml"), before);
    let done = confirmed(&sandbox, &["sync"], 0);
    assert_eq!(done["steps"][2]["server"], "other");
    assert_eq!(text(&sandbox, "home/.codex/config.toml").matches("mcp_servers.other").count(), 1);
    assert!(text(&sandbox, "home/.claude.json").contains("other"));
    // Credentials in clear text are not adopted, and never printed.
    let secret = format!(
        "[mcp_servers.secret]\nurl = \"https://h\"\n[mcp_servers.secret.http_headers]\nAuthorization = \"Bearer {SECRET}\"\n"
    );
    fs::write(sandbox.path("home/.codex/config.toml"), secret).unwrap();
    let error = run(&sandbox, &["adopt", "codex", "secret", "--to", "user", "--dry-run"], 1).stderr;
    assert!(error.contains("headers.Authorization contains a credential"), "{error}");
    let error = run(&sandbox, &["adopt", "codex", "none", "--to", "user", "--dry-run"], 1).stderr;
    assert!(error.contains("Codex has no server `none` of the user"), "{error}");
}

#[test]
fn status_tells_the_states_apart() {
    let sandbox = home();
    assert_eq!(states(&sandbox, "status", 0), ["docs claude-code user drift", "docs codex user drift"]);
    states(&sandbox, "verify", 3);
    confirmed(&sandbox, &["sync"], 0);
    assert_eq!(states(&sandbox, "verify", 0), ["docs claude-code user configured", "docs codex user configured"]);
    confirmed(&sandbox, &["disable", "docs", "--scope", "user"], 0);
    assert_eq!(states(&sandbox, "verify", 0), ["docs claude-code user disabled", "docs codex user disabled"]);
    let edited = text(&sandbox, "home/.codex/config.toml").replace("\"npx\"", "\"x\"");
    fs::write(sandbox.path("home/.codex/config.toml"), edited).unwrap();
    assert_eq!(states(&sandbox, "verify", 3)[1], "docs codex user drift");
    let before = sandbox.snapshot(".");
    let table = run(&sandbox, &["status"], 0).stdout;
    assert!(table.contains("docs    codex        user   drift     was edited since"), "{table}");
    assert_eq!(sandbox.snapshot("."), before);
}

#[test]
fn every_agent_gets_switches_and_loses_servers() {
    let sandbox = home();
    let listed: Value = serde_json::from_str(&sandbox.run(&["mcp", "agents", "--format", "json"]).stdout).unwrap();
    let agents = listed["agents"].as_array().unwrap();
    let mut files = Vec::new();
    for agent in agents {
        let file = PathBuf::from(agent["userFiles"].as_array().unwrap().last().unwrap().as_str().unwrap());
        let text = match file.extension().unwrap().to_str().unwrap() {
            "toml" => "# mine\r\nkeep = 1",
            "yaml" => "# mine\nkeep: 1",
            _ => "{ \"keep\":1 }",
        };
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        files.push(file);
    }
    let contents = || files.iter().map(|file| fs::read_to_string(file).unwrap()).collect::<Vec<_>>();
    let registry = r#"{"schemaVersion": 1, "servers": {
        "on": {"transport": "stdio", "command": "npx", "args": ["a b", "-y"], "environment": {"MODE": {"literal": "safe"}}},
        "web": {"transport": "http", "url": "https://h/mcp", "headers": {"X-Team": {"literal": "blue"}}}}}"#;
    let sandbox = sandbox.file("home/.adl/mcp/user.json", registry);
    let before = contents();
    confirmed(&sandbox, &["sync"], 0);
    assert_eq!(states(&sandbox, "verify", 0).len(), 2 * agents.len());
    // Another program reads the same definition in every file.
    let found: Value = serde_json::from_str(&sandbox.run(&["mcp", "discover", "--format", "json"]).stdout).unwrap();
    for name in ["on", "web"] {
        let servers = found["servers"].as_array().unwrap().iter().filter(|server| server["name"] == name);
        let fingerprints: Vec<_> = servers.map(|server| server["fingerprint"].as_str().unwrap()).collect();
        assert!(fingerprints.len() >= agents.len(), "{name}");
        assert!(fingerprints.iter().all(|one| *one == fingerprints[0]), "{name}: {fingerprints:?}");
    }
    let synced = contents();
    confirmed(&sandbox, &["disable", "on", "--scope", "user"], 0);
    assert!(states(&sandbox, "verify", 0).iter().filter(|state| state.ends_with("disabled")).count() == agents.len());
    confirmed(&sandbox, &["enable", "on", "--scope", "user"], 0);
    assert!(states(&sandbox, "verify", 0).iter().all(|state| state.ends_with("configured")));
    assert_eq!(contents().iter().map(String::len).sum::<usize>(), synced.iter().map(String::len).sum::<usize>());
    confirmed(&sandbox, &["remove", "on", "--scope", "user"], 0);
    confirmed(&sandbox, &["remove", "web", "--scope", "user"], 0);
    assert!(contents().iter().all(|text| !text.contains("npx") && text.contains("keep")));
    // Undoing all changes restores every byte.
    let backups = sandbox.run(&["mcp", "backups"]).stdout;
    for line in backups.lines().skip(1).collect::<Vec<_>>().into_iter().rev() {
        sandbox.run(&["mcp", "recover", line.split(' ').next().unwrap()]).exits(0);
    }
    assert_eq!(contents(), before);
}

#[test]
fn edited_entries_are_kept() {
    let sandbox = home();
    let plan = run(&sandbox, &["sync", "--dry-run", "--format", "json"], 0);
    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
    // After the plan: the token is not valid any more.
    fs::write(sandbox.path("home/.codex/config.toml"), format!("{CODEX}# edited\n")).unwrap();
    let before = sandbox.snapshot("home/.codex");
    let error = run(&sandbox, &["sync", "--confirm", plan["token"].as_str().unwrap()], 3).stderr;
    assert!(error.contains("the plan has changed; nothing was written"), "{error}");
    assert_eq!(sandbox.snapshot("home/.codex"), before);
    // After the change: the entry is not replaced.
    confirmed(&sandbox, &["sync"], 0);
    let edited = text(&sandbox, "home/.codex/config.toml").replace("\"npx\"", "\"opensesame4711\"");
    fs::write(sandbox.path("home/.codex/config.toml"), &edited).unwrap();
    let before = sandbox.snapshot(".");
    let error = run(&sandbox, &["sync", "--dry-run"], 3).stderr;
    assert!(error.contains("the entry in `~/.codex/config.toml` was edited since"), "{error}");
    run(&sandbox, &["remove", "docs", "--scope", "user", "--dry-run"], 3);
    assert_eq!(sandbox.snapshot("."), before);
    let done = confirmed(&sandbox, &["sync", "--overwrite"], 0);
    assert!(text(&sandbox, "home/.codex/config.toml").contains("\"npx\""));
    sandbox.run(&["mcp", "recover", done["backup"].as_str().unwrap()]).exits(0);
    assert_eq!(text(&sandbox, "home/.codex/config.toml"), edited);
}

#[test]
fn an_agent_that_cannot_express_a_server_blocks_all() {
    let project = r#"{"schemaVersion": 1, "servers": {
        "docs": {"transport": "stdio", "command": "npx", "cwd": "sub", "targets": ["codex", "claude-code"]},
        "other": {"transport": "http", "url": "https://h", "targets": ["hermes"]}}}"#;
    let sandbox = home().file("project/.adl/mcp.json", project);
    let before = sandbox.snapshot(".");
    let error = run(&sandbox, &["sync", "--dry-run"], 3).stderr;
    assert!(error.contains("Claude Code cannot get the server `docs`"), "{error}");
    assert!(error.contains("cwd has no effect in this agent"), "{error}");
    assert!(error.contains("Hermes cannot get the server `other`"), "{error}");
    assert!(error.contains("has no servers for single projects"), "{error}");
    assert_eq!(sandbox.snapshot("."), before);
}

#[test]
fn foreign_entries_are_not_replaced() {
    let codex = format!("{CODEX}[mcp_servers.docs]\ncommand = \"foreign\"\n");
    let sandbox = home().file("home/.codex/config.toml", &codex);
    let error = run(&sandbox, &["sync", "--dry-run"], 3).stderr;
    assert!(error.contains("exists with another definition"), "{error}");
    // The same definition, written by somebody else, is taken over as it is.
    let same = "[mcp_servers]\ndocs = { args = [\"-y\", \"docs\"], command = 'npx', env_vars = [\"KEY\"] }\n";
    let sandbox = home().file("home/.codex/config.toml", same);
    confirmed(&sandbox, &["sync"], 0);
    assert_eq!(text(&sandbox, "home/.codex/config.toml"), same);
}

#[test]
fn a_failure_in_any_file_restores_the_others() {
    use std::os::unix::fs::PermissionsExt as _;
    let files = [
        ("home/.claude.json", "{}"),
        ("home/.codex/config.toml", ""),
        ("home/.gemini/config/mcp_config.json", "{}"),
        ("home/.grok/config.toml", ""),
        ("home/.hermes/config.yaml", "a: 1\n"),
        ("home/.pi/agent/mcp.json", "{}"),
    ];
    let server = r#"{"schemaVersion": 1, "servers": {"web": {"transport": "http", "url": "https://h/mcp"}}}"#;
    let sandbox = Sandbox::new().file("project/x", "").file("home/.adl/mcp/user.json", server);
    let sandbox = files.iter().fold(sandbox, |sandbox, (path, text)| sandbox.file(path, text));
    let allow = |path: &str, mode| {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    for (path, _) in files {
        allow(path, 0o444);
        let plan = run(&sandbox, &["sync", "--dry-run", "--format", "json"], 0).stdout;
        let plan: Value = serde_json::from_str(&plan).unwrap();
        let error = run(&sandbox, &["sync", "--confirm", plan["token"].as_str().unwrap()], 1).stderr;
        assert!(error.contains("is read-only"), "{error}");
        for (other, before) in files {
            assert_eq!(text(&sandbox, other), before, "{path}: {other}");
        }
        assert_eq!(text(&sandbox, "home/.adl/state/mcp/user.json"), "");
        allow(path, 0o644);
    }
    assert_eq!(confirmed(&sandbox, &["sync"], 0)["steps"].as_array().unwrap().len(), files.len());
}

#[test]
fn projects_have_servers_of_their_own() {
    let project = r#"{"schemaVersion": 1, "servers": {
        "run": {"transport": "stdio", "command": "npx", "targets": ["claude-code", "codex", "antigravity", "pi", "grok"]},
        "web": {"transport": "http", "url": "https://h", "targets": ["claude-code", "codex", "antigravity", "pi", "grok"]}}}"#;
    let sandbox = home().file("project/.adl/mcp.json", project);
    let home = sandbox.snapshot("home");
    let done = confirmed(&sandbox, &["sync", "--scope", "project"], 2);
    assert_eq!(done["attention"].as_array().unwrap().len(), 5);
    let files = [".mcp.json", ".codex/config.toml", ".agents/mcp_config.json", ".pi/mcp.json", ".grok/config.toml"];
    for file in files {
        assert!(text(&sandbox, &format!("project/{file}")).contains("https://h"), "{file}");
    }
    // The files of the user stay, apart from those of adl.
    assert!(home.iter().all(|(path, before)| sandbox.snapshot("home").get(path) == Some(before)));
    // Nothing of it is known in another project.
    fs::create_dir_all(sandbox.path("other")).unwrap();
    let found = sandbox.run(&["mcp", "discover", "--project", "other", "--format", "json"]).stdout;
    assert!(!found.contains("https://h"), "{found}");
    confirmed(&sandbox, &["disable", "run"], 2);
    assert!(!text(&sandbox, "project/.mcp.json").contains("npx"));
    confirmed(&sandbox, &["enable", "run"], 2);
    assert!(text(&sandbox, "project/.mcp.json").contains("npx"));
}

#[test]
fn concurrent_runs_lose_no_change() {
    let sandbox = home();
    thread::scope(|scope| {
        for number in 0..8 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                let name = format!("server-{number}");
                let add = ["mcp", "add", &name, "--scope", "user", "--url", "https://h", "--target", "codex"];
                for _ in 0..100 {
                    let plan = sandbox.run(&[&add[..], &["--dry-run", "--format", "json"]].concat()).exits(0);
                    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
                    let confirm = [&add[..], &["--confirm", plan["token"].as_str().unwrap()]].concat();
                    let status = sandbox.adl(&confirm).output().unwrap().status;
                    if status.success() {
                        return;
                    }
                    assert_eq!(status.code(), Some(3));
                }
                panic!("never written");
            });
        }
    });
    let codex = text(&sandbox, "home/.codex/config.toml");
    assert!((0..8).all(|number| codex.contains(&format!("[mcp_servers.server-{number}]"))), "{codex}");
}
