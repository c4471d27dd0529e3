//! `adl env`: the variables of an agent and its environment file.

#![expect(clippy::disallowed_methods, clippy::indexing_slicing, reason = "these tests prepare files and index reports")]

use std::fs;
use std::process::Stdio;

use super::support::{MANIFEST, Run, Sandbox};

/// An agent with MCP servers, one of which requires a token, and a model that the manifest does not set.
fn manifest() -> String {
    let mcp = "    provider: openai\n    model: \"\"\n    mcp:\n      enabled: true\n      callTimeout: 45s\n      servers:\n        \
               - name: tools\n          transport: http\n          url: https://tools.example.com\n          headers:\n            \
               Authorization: Bearer ${TOOLS_TOKEN}\n            X-Home: ${HOME}\n";
    MANIFEST.replace("    provider: openai\n    model: gpt-4o\n", mcp)
}

fn sandbox() -> Sandbox {
    Sandbox::new().file("agent.yaml", &manifest())
}

/// A sandbox with a complete environment file followed by `more`.
fn with_env(more: &str) -> Sandbox {
    sandbox().file(
        ".env",
        &format!("A2A_AGENT_CLIENT_MODEL=m\nTOOLS_TOKEN=opensesame\nA2A_AGENT_CLIENT_API_KEY=opensesame\n{more}"),
    )
}

/// The code, line and column of each finding, in order.
fn found(sandbox: &Sandbox, status: i32) -> Vec<String> {
    let run = sandbox.run(&["env", "check", "--json"]).exits(status);
    assert!(!run.stdout.contains("opensesame") && !run.stderr.contains("opensesame"), "{run:#?}");
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let findings = report["files"][0]["findings"].as_array().unwrap();
    let place = |finding: &serde_json::Value| {
        let start = &finding["place"]["start"];
        format!("{} {}:{}", finding["code"].as_str().unwrap(), start["line"], start["column"])
    };
    findings.iter().map(place).collect()
}

/// Runs `adl` in a folder of the sandbox.
fn run_in(sandbox: &Sandbox, folder: &str, arguments: &[&str]) -> Run {
    Run::from(sandbox.adl(arguments).current_dir(sandbox.path(folder)).output().unwrap())
}

fn read(sandbox: &Sandbox, path: &str) -> String {
    fs::read_to_string(sandbox.path(path)).unwrap()
}

#[test]
fn lists_variables_with_type_default_field_and_description() {
    let sandbox = sandbox();
    let table = sandbox.run(&["env", "list"]).exits(0).stdout;
    let row = |name: &str| {
        let row = table.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap_or_else(|| panic!("{table}"));
        row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(table.starts_with("NAME "), "{table}");
    assert_eq!(row("A2A_MCP_CALL_TIMEOUT")[1..4], ["duration", "45s", "spec.agent.mcp.callTimeout"]);
    assert_eq!(row("A2A_AGENT_CLIENT_MODEL")[1..4], ["string", "(required)", "spec.agent.model"]);
    assert_eq!(row("TOOLS_TOKEN")[1..4], ["string", "(required)", "-"]);

    let document = sandbox.run(&["env", "list", "--format", "json"]).exits(0).stdout;
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["version"], 1);
    let variables = document["variables"].as_array().unwrap();
    assert_eq!(variables.len() + 1, table.lines().count());
    let timeout = variables.iter().find(|variable| variable["name"] == "A2A_MCP_CALL_TIMEOUT").unwrap();
    assert_eq!((&timeout["default"], &timeout["required"]), (&"45s".into(), &false.into()));
    assert_eq!((&timeout["group"], &timeout["type"]), (&"mcp".into(), &"duration".into()));
}

#[test]
fn new_file_only_lacks_user_values() {
    let sandbox = sandbox();
    sandbox.run(&["env", "sync"]).exits(0);
    let run = sandbox.run(&["env", "check"]).exits(1);
    assert!(run.stderr.contains("`A2A_AGENT_CLIENT_MODEL` is empty"), "{run:#?}");
    assert!(run.stderr.contains("`TOOLS_TOKEN` is empty"), "{run:#?}");
    assert!(run.stderr.ends_with(".env: 1 error, 2 warnings\n"), "{run:#?}");
    let text = read(&sandbox, ".env");
    let filled = text.replace("CLIENT_MODEL=\n", "CLIENT_MODEL=m\n").replace("TOOLS_TOKEN=\n", "TOOLS_TOKEN='x'\n");
    let filled = filled.replace("OPENAI_API_KEY=\n", "OPENAI_API_KEY=x\n");
    fs::write(sandbox.path(".env"), filled).unwrap();
    let run = sandbox.run(&["env", "check"]).exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (".env is valid\n", ""));
}

#[test]
fn faults_have_code_and_location() {
    for (line, status, expected) in [
        ("A2A_SERVER_PROT=1\n", 0, "ADL0931 4:1"),
        ("A2A_SOMETHING_ELSE=1\n", 0, "ADL0931 4:1"),
        ("TOOL_TOKEN=opensesame\n", 0, ""),
        ("OPENAI_APIKEY=opensesame\n", 0, "ADL0931 4:1"),
        ("MINE=1\n", 0, ""),
        ("A2A_DEBUG=true\nA2A_DEBUG=false\n", 0, "ADL0933 5:1"),
        ("A2A_DEBUG=yes\n", 1, "ADL0934 4:11"),
        ("A2A_DEBUG=\n", 1, "ADL0934 4:1"),
        ("A2A_DEBUG= T \n", 0, ""),
        ("A2A_MCP_MAX_RETRIES=-1\n", 1, "ADL0934 4:21"),
        ("A2A_MCP_MAX_RETRIES=1.5 # why\n", 1, "ADL0934 4:21"),
        ("A2A_AGENT_CLIENT_MAX_TOKENS=\n", 0, ""),
        ("A2A_AGENT_CLIENT_MAX_TOKENS=many\n", 1, "ADL0934 4:29"),
        ("A2A_AGENT_CLIENT_MAX_TOKENS=0\n", 1, "ADL0937 4:29"),
        ("A2A_AGENT_CLIENT_TEMPERATURE=2.5\n", 1, "ADL0937 4:30"),
        ("A2A_AGENT_CLIENT_TEMPERATURE=nan\n", 1, "ADL0937 4:30"),
        ("A2A_SERVER_PORT=65536\n", 1, "ADL0937 4:17"),
        ("A2A_SERVER_PORT='8081'\n", 0, ""),
        ("A2A_MCP_DIAL_TIMEOUT=5 minutes\n", 1, "ADL0935 4:22"),
        ("A2A_MCP_DIAL_TIMEOUT=0s\n", 1, "ADL0935 4:22"),
        ("A2A_MCP_DIAL_TIMEOUT=${TIMEOUT:-5 minutes}\n", 0, ""),
        ("A2A_MCP_RETRY_INTERVAL=1m\n", 0, ""),
        ("A2A_MCP_RETRY_INTERVAL=1m\nA2A_MCP_RETRY_MAX_INTERVAL=30s\n", 1, "ADL0937 4:24"),
        ("A2A_AGENT_URL=https://a.example.com/?x=1\n", 1, "ADL0936 4:15"),
        ("A2A_AGENT_URL=https://a.example.com:8443/base\n", 0, ""),
        ("A2A_AGENT_CLIENT_BASE_URL=localhost\n", 1, "ADL0936 4:27"),
        ("A2A_MCP_SERVERS='https://a.example.com, ftp://opensesame@b'\n", 1, "ADL0936 4:17"),
        ("A2A_MCP_SERVERS='https://${ZONE}.example.com'\n", 1, "ADL0932 4:17"),
        ("A2A_MCP_SERVERS='https://${ZONE}.example.com'\nZONE=a\n", 0, ""),
        ("A2A_MCP_ENDPOINT='/mcp?x'\n", 1, "ADL0936 4:18"),
        ("A2A_MCP_HEADERS='X-A=opensesame,X-B'\n", 1, "ADL0934 4:17"),
        ("A2A_MCP_HEADERS='X-A=opensesame,x-a=1'\n", 1, "ADL0934 4:17"),
        ("A2A_SERVER_TLS_ENABLED=1\nA2A_SERVER_TLS_CERT_PATH=x\n", 1, "ADL0932 6:1"),
        ("A2A_SERVER_TLS_ENABLED=1\nA2A_SERVER_TLS_CERT_PATH=x\n#A2A_SERVER_TLS_KEY_PATH=x\n", 1, "ADL0932 6:2"),
        ("A2A_AGENT_CLIENT_PROVIDER=cloudflare\n", 1, "ADL0932 5:1"),
        ("A2A_AGENT_CLIENT_PROVIDER=cloudflare\nA2A_AGENT_CLIENT_BASE_URL=http://a\n", 0, ""),
        ("A2A_AGENT_CLIENT_MODEL=\n", 1, "ADL0932 4:1,ADL0933 4:1"),
        ("A2A_MCP_SERVERS=' , '\n", 1, "ADL0932 4:17"),
        ("A2A_MCP_ENABLED=false\nA2A_MCP_SERVERS=\nA2A_MCP_ENDPOINT='?'\n", 0, ""),
        ("A2A_SERVER_HOST='open\nX_TOKEN=opensesame\n", 1, "ADL0930 4:17"),
        ("MY KEY=opensesame\n", 1, "ADL0930 4:3"),
        ("X=${Y\n", 1, "ADL0930 4:3"),
        ("X=a${}\n", 1, "ADL0930 4:4"),
        ("X=\"one\ntwo ${Y\"\nA2A_DEBUG=true\n", 1, "ADL0930 5:5"),
        ("X=${Y:-${Z}}$$ '${Y'\n", 1, "ADL0930 4:17"),
        ("X=${Y:-${Z}}$$\nY='${Y'\n", 0, ""),
    ] {
        let expected: Vec<_> = expected.split(',').filter(|expected| !expected.is_empty()).collect();
        assert_eq!(found(&with_env(line), status), expected, "{line}");
    }
}

#[test]
fn missing_variables_point_at_comments_or_the_end() {
    let sandbox = sandbox().file(".env", "OPENAI_API_KEY=x\n# A2A_AGENT_CLIENT_MODEL=m\n");
    assert_eq!(found(&sandbox, 1), ["ADL0932 2:3", "ADL0932 3:1"]);
    // A variable without a value comes from the environment, which may set it.
    let names = "A2A_AGENT_CLIENT_MODEL\nTOOLS_TOKEN\nOPENAI_API_KEY\n";
    assert_eq!(found(&self::sandbox().file(".env", names), 0), [""; 0]);
    // The token is only required by a server that is not listed.
    let other = "A2A_AGENT_CLIENT_MODEL=m\nOPENAI_API_KEY=x\nA2A_MCP_SERVERS=http://other\n";
    assert_eq!(found(&self::sandbox().file(".env", other), 0), [""; 0]);
    let same = other.replace("http://other", "http://other,https://tools.example.com");
    assert_eq!(found(&self::sandbox().file(".env", &same), 1), ["ADL0932 4:1"]);
}

#[test]
fn variables_of_disabled_parts_name_the_field_that_enables_them() {
    let run = Sandbox::with_manifest().file(".env", "A2A_MCP_SERVERS=http://a\n").run(&["env", "check"]).exits(0);
    assert!(run.stderr.contains("warning[ADL0931]: the agent does not read `A2A_MCP_SERVERS`"), "{run:#?}");
    assert!(run.stderr.contains("`spec.agent.mcp.enabled: true`"), "{run:#?}");
}

#[test]
fn warnings_can_be_denied_and_allowed() {
    let sandbox = with_env("A2A_SERVER_PROT=1\n");
    let run = sandbox.run(&["env", "check", "--deny", "warnings"]).exits(1);
    assert!(run.stderr.contains("error[ADL0931]"), "{run:#?}");
    let run = sandbox.run(&["env", "check", "--allow", "unknown-variable"]).exits(0);
    assert_eq!(run.stderr, "");
    let run = with_env("A2A_DEBUG=yes\n").run(&["env", "check", "--allow", "ADL0934"]).exits(1);
    assert!(run.stderr.contains("note: ADL0934 (wrong-variable-type) is an error and cannot be allowed"), "{run:#?}");
}

#[test]
fn never_shows_secrets() {
    let secrets = "A2A_SERVER_PROT=1\nAPI_KEY=opensesame\nAPI_KEY=opensesame\n#TOOLS_TOKEN=opensesame\nA2A_MCP_HEADERS=opensesame\n\
                   A2A_AGENT_CLIENT_API_KEY=opensesame\nA2A_AGENT_CLIENT_BASE_URL=ftp://user:opensesame@host\n";
    let sandbox = with_env(secrets);
    for arguments in [
        &["env", "check"][..],
        &["env", "check", "--format", "github"],
        &["env", "check", "--format", "sarif"],
        &["env", "diff"],
        &["env", "diff", "--format", "json"],
        &["env", "sync", "--diff"],
        &["env", "sync"],
    ] {
        let run = sandbox.run(arguments);
        assert!(!run.stdout.contains("opensesame") && !run.stderr.contains("opensesame"), "{run:#?}");
    }
    for (path, text) in sandbox.snapshot(".adl") {
        assert!(!text.contains("opensesame"), "{}", path.display());
    }
    let diff = sandbox.run(&["env", "diff"]).exits(0).stdout;
    assert!(diff.contains("A2A_MCP_HEADERS: set (not shown)\n"), "{diff}");
}

#[test]
fn never_shows_secrets_in_context_lines() {
    let secrets = "# TOOLS_TOKEN: b3BlbnNlc2FtZQ==\n# token: opensesame4711 (rotate=monthly)\nA2A_DEBUG=no # password: opensesame\n\
                   API_KEY=\"new\" # was opensesame\nAPI_KEY='' # was opensesame\nA2A_MPC_X=1\n";
    let sandbox = sandbox().file(".env", secrets);
    for arguments in [&["env", "check"][..], &["env", "check", "--json"], &["env", "sync", "--diff"]] {
        let run = sandbox.run(arguments);
        let printed = run.stdout + &run.stderr;
        assert!(!printed.contains("b3Blb") && !printed.contains("opensesame"), "{printed}");
        assert!(arguments[1] == "check" || printed.contains(" # TOOLS_TOKEN: <hidden>\n"), "{printed}");
    }
    let sandbox = self::sandbox().file(".env", "A2A_DEBUG=no\nKEY=abc\nopensesame\nopen+sesame==\n");
    let run = sandbox.run(&["env", "check"]).exits(1);
    assert!(run.stderr.contains("ADL0930") && !run.stderr.contains("sesame"), "{run:#?}");
}

#[test]
fn hides_secrets_in_defaults() {
    let card = "  card:\n    url: https://user:opensesame@example.com\n";
    let sandbox = Sandbox::new().file("agent.yaml", &format!("{MANIFEST}{card}")).file(".env", "A2A_AGENT_URL=x\n");
    for arguments in [&["env", "list"][..], &["env", "list", "--format", "json"], &["env", "diff"]] {
        let run = sandbox.run(arguments);
        assert!(!run.stdout.contains("opensesame") && !run.stderr.contains("opensesame"), "{run:#?}");
    }
}

#[test]
fn hides_contents_of_invalid_files() {
    for text in [
        &b"A='opensesame\nopensesame\n"[..],
        b"KEY=-----BEGIN\nopensesame+/opensesame==\n",
        b"KEY=\"-----BEGIN\nopensesame=\"opensesame\n",
        b"MY KEY=opensesame\n",
        b"\xffopensesame=opensesame\n",
        b"TOOLS_TOKEN=opensesame\xff\n",
    ] {
        let sandbox = sandbox();
        fs::write(sandbox.path(".env"), text).unwrap();
        for command in ["check", "diff", "sync"] {
            let run = sandbox.run(&["env", command]).exits(1);
            assert!(run.stderr.contains(" --> .env:"), "{run:#?}");
            assert!(!run.stdout.contains("opensesame") && !run.stderr.contains("opensesame"), "{run:#?}");
        }
        assert_eq!(fs::read(sandbox.path(".env")).unwrap(), text);
    }
}

#[test]
fn diff_lists_deviations_from_defaults() {
    let sandbox = sandbox().file(
        ".env",
        "A2A_SERVER_PORT=9090\nA2A_DEBUG=0\nA2A_MCP_CALL_TIMEOUT=45000ms\nA2A_MCP_ENDPOINT=\nTOOLS_TOKEN=x\nA2A_TYPO=1\nMINE=1\nOPENAI_API_KEY\n",
    );
    let run = sandbox.run(&["env", "diff"]).exits(0);
    assert_eq!(
        run.stdout,
        "A2A_SERVER_PORT: 9090 instead of 8080\nA2A_AGENT_CLIENT_MODEL: not set, but required\n\
         A2A_MCP_ENDPOINT: empty instead of /mcp\nOPENAI_API_KEY: depends on the environment\nTOOLS_TOKEN: set (not shown)\n\
         A2A_TYPO: not read by the agent\n"
    );
    let document = sandbox.run(&["env", "diff", "--format", "json"]).exits(0).stdout;
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    let port = serde_json::json!({"name": "A2A_SERVER_PORT", "state": "set", "value": "9090", "hidden": false, "default": "8080"});
    assert_eq!(document["differences"][0], port);
    let same = Sandbox::with_manifest().file(".env", "MINE=1\n").run(&["env", "diff"]).exits(0);
    assert_eq!(same.stdout, ".env does not differ from the manifest\n");
}

#[test]
fn sync_follows_the_manifest_and_keeps_user_edits() {
    let sandbox = sandbox();
    assert_eq!(sandbox.run(&["env", "sync"]).exits(0).stdout, ".env is created\n");
    let made = read(&sandbox, ".env");
    assert!(made.contains("\nA2A_MCP_CALL_TIMEOUT=45s\n") && made.contains("\nTOOLS_TOKEN=\n"), "{made}");
    assert!(!made.contains("HOME="), "no file sets what every process has: {made}");

    let mine = made
        .replace("A2A_SERVER_PORT=8080", "A2A_SERVER_PORT=9999 # mine")
        .replace("TOOLS_TOKEN=\n", "TOOLS_TOKEN=opensesame\n# My own.\nMINE=\"two\nlines\"\n")
        .replace("A2A_DEBUG=false\n", "# A2A_DEBUG=true\n");
    fs::write(sandbox.path(".env"), &mine).unwrap();
    assert_eq!(sandbox.run(&["env", "sync"]).exits(0).stdout, ".env is up to date\n");

    let changed = manifest()
        .replace("callTimeout: 45s", "callTimeout: 50s")
        .replace("port: 8080", "port: 8181")
        .replace("X-Home: ${HOME}", "X-Key: ${TOOLS_KEY}");
    fs::write(sandbox.path("agent.yaml"), &changed).unwrap();
    let run = sandbox.run(&["env", "sync", "--check"]).exits(1);
    let listed = "  added    TOOLS_KEY\n  updated  A2A_MCP_CALL_TIMEOUT\n";
    assert_eq!(run.stdout, format!(".env is not up to date\n{listed}"));
    let diff = sandbox.run(&["env", "sync", "--diff"]).exits(0).stdout;
    assert!(diff.contains("-A2A_MCP_CALL_TIMEOUT=45s\n+A2A_MCP_CALL_TIMEOUT=50s\n"), "{diff}");
    assert!(diff.contains("TOOLS_TOKEN=<hidden>\n"), "{diff}");
    assert_eq!(read(&sandbox, ".env"), mine);

    let run = sandbox.run(&["env", "sync"]).exits(0);
    assert_eq!(run.stdout, format!(".env is updated\n{listed}"));
    let synced = read(&sandbox, ".env");
    let without_new: String = synced
        .split_inclusive('\n')
        .filter(|line| !line.contains("TOOLS_KEY") && !line.contains("`headers.X-Key`"))
        .collect();
    assert_eq!(without_new, mine.replace("=45s", "=50s"));
    assert_eq!(sandbox.run(&["env", "sync", "--check"]).exits(0).stdout, ".env is up to date\n");

    fs::write(sandbox.path("agent.yaml"), MANIFEST).unwrap();
    let run = sandbox.run(&["env", "sync"]).exits(0);
    let note = "note: .env:";
    assert!(
        run.stderr.starts_with(note) && run.stderr.contains("`TOOLS_TOKEN` is no longer read; it is kept"),
        "{run:#?}"
    );
    let synced = read(&sandbox, ".env");
    assert!(!synced.contains("A2A_MCP_") && !synced.contains("TOOLS_KEY"), "{synced}");
    assert!(synced.contains("TOOLS_TOKEN=opensesame\n# My own.\nMINE=\"two\nlines\"\n"), "{synced}");
    assert!(synced.contains("A2A_SERVER_PORT=9999 # mine\n") && synced.contains("# A2A_DEBUG=true\n"), "{synced}");
}

#[test]
fn sync_stores_its_base_without_user_values() {
    let sandbox = Sandbox::with_manifest().file("deploy/prod.env", "A2A_DEBUG=true\nSECRET=opensesame\n");
    sandbox.run(&["generate"]).exits(0);
    sandbox.run(&["env", "sync", "deploy/prod.env"]).exits(0);
    let base = read(&sandbox, ".adl/base/deploy/prod.env.base");
    assert!(base.contains("A2A_DEBUG=false\n") && !base.contains("opensesame"), "{base}");
    let synced = read(&sandbox, "deploy/prod.env");
    assert!(synced.contains("A2A_DEBUG=true\n") && synced.contains("SECRET=opensesame\n"), "{synced}");
    assert!(synced.contains("A2A_SERVER_PORT=8080\n"), "{synced}");
    // Regenerating the project does not change the base.
    sandbox.run(&["generate"]).exits(0);
    assert_eq!(read(&sandbox, ".adl/base/deploy/prod.env.base"), base);
    // Git ignores the base like the environment file.
    let ignored = read(&sandbox, ".gitignore");
    assert!(ignored.contains("\n.env.*\n"), "{ignored}");
}

#[test]
fn base_location_does_not_depend_on_the_working_directory() {
    let sandbox = Sandbox::with_manifest().file("deploy/prod.env", "A2A_DEBUG=true\n").file("else/deep/.env", "A=1\n");
    sandbox.run(&["generate", "-o", "agent"]).exits(0);
    sandbox.run(&["generate"]).exits(0);
    run_in(&sandbox, "deploy", &["env", "sync", "-f", "../agent.yaml", "prod.env"]).exits(0);
    assert!(sandbox.path(".adl/base/deploy/prod.env.base").is_file());
    assert!(!sandbox.path("deploy/.adl").exists());
    // The base of a file in another project, or in none, is stored there.
    run_in(&sandbox, "deploy", &["env", "sync", "-f", "../agent.yaml", "../agent/.env"]).exits(0);
    assert!(sandbox.path("agent/.adl/base/.env.base").is_file());
    fs::remove_file(sandbox.path(".adl/lock.json")).unwrap();
    run_in(&sandbox, "agent", &["env", "sync", "-f", "../agent.yaml", "../else/deep/.env"]).exits(0);
    assert!(sandbox.path("else/deep/.adl/base/.env.base").is_file());
    assert!(!sandbox.path("agent/else").exists() && !sandbox.path("agent/deep").exists());
    // Files that `generate` writes keep the base of `generate`.
    let base = fs::read(sandbox.path("agent/.adl/base.tar.gz")).unwrap();
    sandbox.run(&["env", "sync", "agent/Dockerfile"]);
    assert_eq!(fs::read(sandbox.path("agent/.adl/base.tar.gz")).unwrap(), base);
    assert!(!sandbox.path("agent/.adl/base/Dockerfile.base").exists());
    // A `.env.example` that `generate` does not write has a base as well.
    sandbox.run(&["env", "sync", "deploy/.env.example"]).exits(0);
    sandbox.run(&["env", "sync", "agent/sub/.env.example"]).exits(2);
    fs::create_dir(sandbox.path("agent/sub")).unwrap();
    sandbox.run(&["env", "sync", "agent/sub/.env.example"]).exits(0);
    assert!(sandbox.path("agent/.adl/base/sub/.env.example.base").is_file());
}

#[test]
fn accepts_bases_with_windows_line_endings() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["env", "sync"]).exits(0);
    let base = read(&sandbox, ".adl/base/.env.base").replace('\n', "\r\n");
    fs::write(sandbox.path(".adl/base/.env.base"), base).unwrap();
    fs::write(sandbox.path("agent.yaml"), MANIFEST.replace("8080", "8181")).unwrap();
    sandbox.run(&["env", "sync"]).exits(0);
    assert!(read(&sandbox, ".env").contains("\nA2A_SERVER_PORT=8181\n"));
}

#[test]
fn obstacles_are_reported_before_writing() {
    let sandbox = Sandbox::with_manifest().file(".env", "A2A_DEBUG=true\n").file(".adl/base/.env.base/x", "");
    let run = sandbox.run(&["env", "sync"]).exits(2);
    assert!(run.stderr.contains(".env.base` is a directory"), "{run:#?}");
    assert_eq!(read(&sandbox, ".env"), "A2A_DEBUG=true\n");
    #[cfg(unix)]
    {
        let sandbox = Sandbox::with_manifest();
        std::os::unix::fs::symlink("nowhere", sandbox.path(".env")).unwrap();
        for command in ["sync", "check"] {
            let run = sandbox.run(&["env", command]).exits(2);
            assert!(run.stderr.contains("`.env` is a broken symbolic link"), "{run:#?}");
        }
        assert!(!sandbox.path("nowhere").exists());

        let sandbox = Sandbox::with_manifest().file("project/.adl/x", "").file("out/x", "");
        std::os::unix::fs::symlink("../../out", sandbox.path("project/.adl/base")).unwrap();
        let run = sandbox.run(&["env", "sync", "project/.env"]).exits(2);
        assert!(run.stderr.contains("a symbolic link leads out of the project"), "{run:#?}");
        assert_eq!(sandbox.snapshot("out").len(), 2);
    }
}

#[test]
fn sync_preserves_line_endings_and_unchanged_files() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["env", "sync"]).exits(0);
    let text = read(&sandbox, ".env").replace('\n', "\r\n") + "MINE=1\r\n";
    fs::write(sandbox.path(".env"), &text).unwrap();
    let modified = || fs::metadata(sandbox.path(".env")).unwrap().modified().unwrap();
    let before = modified();
    sandbox.run(&["env", "sync"]).exits(0);
    assert_eq!((read(&sandbox, ".env"), modified()), (text.clone(), before));
    fs::write(sandbox.path("agent.yaml"), MANIFEST.replace("8080", "8181")).unwrap();
    sandbox.run(&["env", "sync"]).exits(0);
    assert_eq!(read(&sandbox, ".env"), text.replace("A2A_SERVER_PORT=8080", "A2A_SERVER_PORT=8181"));
}

#[test]
fn concurrent_runs_wait_for_each_other() {
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["env", "sync", "alone.env"]).exits(0);
    for round in 0..5 {
        let folder = format!("round{round}");
        let sandbox = &sandbox;
        let file = format!("{folder}/.env");
        let start = |arguments: &[&str]| {
            let mut command = sandbox.adl(arguments);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        fs::create_dir(sandbox.path(&folder)).unwrap();
        if round % 2 == 1 {
            fs::write(sandbox.path(&file), "A2A_DEBUG=true\n").unwrap();
        }
        let mut children: Vec<_> = (0..8).map(|_| start(&["env", "sync", &file])).collect();
        children.push(start(&["generate", "-o", &folder]));
        for child in children {
            Run::from(child.wait_with_output().unwrap()).exits(0);
        }
        let synced = read(sandbox, &file);
        let expected = read(sandbox, "alone.env");
        if round % 2 == 1 {
            assert!(synced.contains("A2A_DEBUG=true\n") && synced.contains("A2A_SERVER_PORT=8080\n"), "{synced}");
        } else {
            assert_eq!(synced, expected);
        }
    }
    // A waiting process prints a message.
    let folder = fs::File::open(sandbox.path("")).unwrap();
    folder.lock().unwrap();
    let child = sandbox.adl(&["env", "sync"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(600));
    folder.unlock().unwrap();
    let run = Run::from(child.wait_with_output().unwrap()).exits(0);
    assert!(run.stderr.contains("Waiting for another run"), "{run:#?}");
}

#[cfg(unix)]
#[test]
fn new_files_are_private_and_modes_and_links_are_preserved() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let sandbox = Sandbox::with_manifest();
    sandbox.run(&["env", "sync"]).exits(0);
    assert_eq!(mode(sandbox.path(".env")), 0o600);

    let sandbox = Sandbox::with_manifest().file("secrets/agent.env", "A2A_DEBUG=true\n");
    fs::set_permissions(sandbox.path("secrets/agent.env"), fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("secrets/agent.env", sandbox.path(".env")).unwrap();
    sandbox.run(&["env", "sync"]).exits(0);
    assert!(fs::symlink_metadata(sandbox.path(".env")).unwrap().is_symlink());
    assert_eq!(mode(sandbox.path("secrets/agent.env")), 0o640);
    assert!(read(&sandbox, "secrets/agent.env").contains("A2A_SERVER_PORT=8080\n"));

    let sandbox = Sandbox::with_manifest().file(".env", "A2A_DEBUG=true\n");
    fs::set_permissions(sandbox.path(".env"), fs::Permissions::from_mode(0o400)).unwrap();
    let run = sandbox.run(&["env", "sync"]).exits(2);
    assert!(run.stderr.contains("error[ADL0917]: `.env` is read-only"), "{run:#?}");
    assert!(!sandbox.path(".adl").exists());
}

#[test]
fn sync_of_the_example_keeps_the_base_of_generate() {
    let manifest = MANIFEST
        .replace("  server:\n", "  development:\n    sandbox:\n      dockerCompose: {enabled: true}\n  server:\n");
    let sandbox = Sandbox::new().file("agent.yaml", &manifest);
    sandbox.run(&["generate"]).exits(0);
    let before = sandbox.snapshot("");
    sandbox.run(&["env", "sync", ".env.example"]).exits(0);
    assert_eq!(sandbox.snapshot(""), before);
}

#[test]
fn unreadable_and_invalid_files_set_the_exit_status() {
    for command in ["list", "check", "diff", "sync"] {
        let run = Sandbox::new().run(&["env", command]).exits(2);
        assert!(run.stderr.contains("error[ADL0901]: file `agent.yaml` not found"), "{run:#?}");
        let sandbox = Sandbox::new().file("agent.yaml", &MANIFEST.replace("kind: Agent", "kind: Agents"));
        let run = sandbox.run(&["env", command]).exits(1);
        assert!(run.stderr.contains(" --> agent.yaml:2:7"), "{run:#?}");
        assert_eq!(sandbox.snapshot("").len(), 3, "something was written");
    }
    for command in ["check", "diff"] {
        let run = Sandbox::with_manifest().run(&["env", command]).exits(2);
        assert!(run.stderr.contains("file `.env` not found") && run.stderr.contains("adl env sync"), "{run:#?}");
    }
    let run = Sandbox::with_manifest().run(&["env", "check", "--format", "json"]).exits(2);
    assert!(run.stdout.contains("\"unreadable\""), "{run:#?}");
    let run = Sandbox::with_manifest().run(&["env", "sync", "no/such/folder/.env"]).exits(2);
    assert!(run.stderr.contains("error[ADL0917]"), "{run:#?}");
}
