//! `adl env check` and the agent agree: the check reports an error if and only if the agent does not start.

use std::fs;

use super::support::{Agent, Language, McpServer, McpTool, ModelServer, adl, each_language, manifests};

each_language![check_and_agent_agree_about_environments,];

/// Variables in addition to the required ones, and whether the agent starts with them.
const ENVIRONMENTS: &[(&str, bool)] = &[
    ("", true),
    ("A2A_DEBUG=T", true),
    ("A2A_DEBUG=yes", false),
    ("A2A_DEBUG=", false),
    ("A2A_DEBUG=' true '", true),
    ("A2A_SERVER_PORT=+0", true),
    ("A2A_SERVER_PORT=65536", false),
    ("A2A_SERVER_PORT=-1", false),
    ("A2A_SERVER_IDLE_TIMEOUT=90", false),
    ("A2A_SERVER_IDLE_TIMEOUT=1.5h", true),
    ("A2A_SERVER_IDLE_TIMEOUT='5 minutes'", false),
    ("A2A_SERVER_IDLE_TIMEOUT=0s", false),
    ("A2A_AGENT_URL=https://agent.example.com/base", true),
    ("A2A_AGENT_URL=agent.example.com", false),
    ("A2A_AGENT_URL=https://agent.example.com/?x=1", false),
    ("A2A_AGENT_URL=https://user@agent.example.com", false),
    ("A2A_AGENT_URL=https://agent.example.com/#x", false),
    ("A2A_SERVER_TLS_ENABLED=true", false),
    ("A2A_AGENT_CLIENT_MODEL=", false),
    ("A2A_AGENT_CLIENT_BASE_URL=ftp://127.0.0.1", false),
    ("A2A_AGENT_CLIENT_BASE_URL=", true),
    ("A2A_AGENT_CLIENT_PROVIDER=cloudflare", true),
    ("A2A_AGENT_CLIENT_PROVIDER=cloudflare\nA2A_AGENT_CLIENT_BASE_URL=", false),
    ("A2A_AGENT_CLIENT_MAX_TOKENS=", true),
    ("A2A_AGENT_CLIENT_MAX_TOKENS=0", false),
    ("A2A_AGENT_CLIENT_TEMPERATURE=nan", false),
    ("A2A_AGENT_CLIENT_TEMPERATURE=2", true),
    ("A2A_AGENT_CLIENT_TEMPERATURE=2.1", false),
    ("A2A_AGENT_CLIENT_MAX_CHAT_COMPLETION_ITERATIONS=0", false),
    ("A2A_MCP_ENABLED=0\nA2A_MCP_SERVERS=\nA2A_MCP_ENDPOINT='?'\nA2A_MCP_HEADERS=x", true),
    ("A2A_MCP_ENABLED=0\nA2A_MCP_DIAL_TIMEOUT=soon", false),
    ("A2A_MCP_SERVERS=", false),
    ("A2A_MCP_SERVERS=','", false),
    ("A2A_MCP_SERVERS=http://127.0.0.1:1", true),
    ("A2A_MCP_SERVERS=http://127.0.0.1:1\nALPHA_URL=ftp://x", true),
    ("A2A_MCP_SERVERS='http://127.0.0.1:1,a b'", false),
    ("A2A_MCP_SERVERS=ftp://127.0.0.1", false),
    ("A2A_MCP_SERVERS='http://${HOST}:1'", false),
    ("A2A_MCP_SERVERS='http://${HOST}:1'\nHOST=127.0.0.1", true),
    ("ALPHA_URL=", false),
    ("A2A_MCP_ENDPOINT=", true),
    ("A2A_MCP_ENDPOINT='/a?b'", false),
    ("A2A_MCP_HEADERS='X-A=1, X-B=2'", true),
    ("A2A_MCP_HEADERS='X-A'", false),
    ("A2A_MCP_HEADERS='X-A=1,x-a=2'", false),
    ("A2A_MCP_HEADERS='X-A=${TOKEN}'", false),
    ("A2A_MCP_HEADERS='X-A=${TOKEN}'\nTOKEN=", true),
    ("A2A_MCP_RETRY_INTERVAL=1m", true),
    ("A2A_MCP_RETRY_INTERVAL=1m\nA2A_MCP_RETRY_MAX_INTERVAL=30s", false),
    ("A2A_MCP_RETRY_MAX_INTERVAL=1s", false),
    ("A2A_MCP_MAX_RETRIES=1.5", false),
    ("A2A_MCP_DIRECT_TOOLS=", false),
];

fn check_and_agent_agree_about_environments(language: Language) {
    let (model, alpha) = (
        ModelServer::calling("alpha__look", serde_json::json!({})),
        McpServer::start([McpTool::says("look", "looked")]),
    );
    let project = language.project(&manifests::one_server());
    let file = project.directory.with_file_name("checked.env");
    let mut faults = Vec::new();
    for (lines, starts) in ENVIRONMENTS {
        let base = format!(
            "A2A_SERVER_HOST=127.0.0.1\nA2A_SERVER_PORT=0\nA2A_AGENT_CLIENT_BASE_URL={}\nA2A_AGENT_CLIENT_MODEL=scripted\n\
             A2A_AGENT_CLIENT_API_KEY=key\nALPHA_URL={}\n",
            model.url(),
            alpha.url()
        );
        fs::write(&file, format!("{base}{lines}\n")).unwrap();
        let check = adl()
            .args(["env", "check", "--file"])
            .arg(project.directory.with_file_name("agent.yaml"))
            .arg(&file)
            .output()
            .unwrap();
        if check.status.success() != *starts {
            faults.push(format!("{lines:?}: unexpected result:\n{}", String::from_utf8_lossy(&check.stderr)));
        }
        let mut launch = Agent::of(project).model(&model).env("ALPHA_URL", alpha.url());
        for (name, value) in lines.lines().filter_map(|line| line.split_once('=')) {
            launch = launch.env(name, value.trim_matches('\''));
        }
        if *starts {
            drop(launch.start());
        } else {
            assert_eq!(launch.end().code, Some(1), "{lines:?}");
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
