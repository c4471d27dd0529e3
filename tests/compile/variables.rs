//! Environment variables: the default, the value in the manifest and the value in the environment, each with its effect
//! on the agent.

use std::fs;

use serde_json::{Value, json};

use super::support::{
    Client, Language, Launch, McpServer, McpTool, ModelServer, Protocol, Reply, each_language, eventually, manifests,
};

each_language![
    mcp_can_be_disabled_at_start,
    disabled_mcp_is_not_in_the_output,
    agent_without_servers_requires_the_variable,
    variable_replaces_servers_of_the_manifest,
    endpoint_is_appended_to_each_url_once,
    invalid_values_prevent_the_start,
    variables_override_model_settings,
    api_key_may_come_from_the_provider_variable,
    provider_without_a_url_requires_the_base_url,
    rejects_a_port_that_is_in_use,
];

pub(super) fn looking() -> McpServer {
    McpServer::start([McpTool::says("look", "looked")])
}

pub(super) fn model() -> ModelServer {
    ModelServer::calling("alpha__look", json!({}))
}

/// An agent whose manifest only sets its MCP server.
pub(super) fn default(language: Language, model: &ModelServer, alpha: &McpServer) -> Launch {
    language.agent(&manifests::one_server()).model(model).env("ALPHA_URL", alpha.url())
}

/// An agent whose manifest sets every value.
pub(super) fn written(language: Language, model: &ModelServer, alpha: &McpServer) -> Launch {
    language.agent(&manifests::all_written()).model(model).env("ALPHA_URL", alpha.url())
}

fn mcp_can_be_disabled_at_start(language: Language) {
    let (model, alpha) = (model(), looking());
    let agent = default(language, &model, &alpha).env("A2A_MCP_ENABLED", "false").start();
    let offered = agent.offered(&model);
    assert!(offered.contains(&"word_count".to_owned()), "{offered:?}");
    assert!(offered.iter().all(|tool| !tool.contains("mcp") && tool != "alpha__look"), "{offered:?}");
    assert!(alpha.seen().is_empty());
    default(language, &model, &alpha).without("ALPHA_URL").env("A2A_MCP_ENABLED", "false").start();

    let agent = default(language, &model, &alpha).env("A2A_MCP_ENABLED", "true").start();
    agent.wait_for_tool(&model, "alpha__look");
}

fn disabled_mcp_is_not_in_the_output(language: Language) {
    let project = language.project(&manifests::switched_off());
    for entry in walkdir::WalkDir::new(&project.directory).into_iter().map(Result::unwrap) {
        let path = entry.path().strip_prefix(&project.directory).unwrap().to_string_lossy().to_lowercase();
        assert!(!path.contains("mcp"), "{path}");
        // The manifest contains the block, and `.adl` contains another copy of all files.
        if entry.file_type().is_file() && path != "agent.yaml" && !path.starts_with(".adl/") {
            let text = fs::read_to_string(entry.path()).unwrap().to_lowercase();
            let word = if path == "go.sum" { "modelcontextprotocol" } else { "mcp" };
            assert!(!text.contains(word) && !text.contains("modelcontextprotocol"), "{path} speaks of {word}");
        }
    }
}

fn agent_without_servers_requires_the_variable(language: Language) {
    let (model, alpha) = (ModelServer::start(|_| Reply::text("hello")), looking());
    let bare = || language.agent(&manifests::no_server()).model(&model);
    bare().end().refused_naming(&["A2A_MCP_SERVERS"]);
    default(language, &model, &alpha).env("A2A_MCP_SERVERS", "").end().refused_naming(&["A2A_MCP_SERVERS"]);
    bare().env("A2A_MCP_SERVERS", "not a url").end().refused_naming(&["A2A_MCP_SERVERS"]);
    bare().env("A2A_MCP_SERVERS", "ftp://127.0.0.1").end().refused_naming(&["A2A_MCP_SERVERS"]);

    let agent = bare().env("A2A_MCP_SERVERS", alpha.url()).start();
    eventually("the tool is offered", || agent.offered(&model).iter().any(|tool| tool.ends_with("__look")));
    bare().env("A2A_MCP_ENABLED", "false").start();
}

fn variable_replaces_servers_of_the_manifest(language: Language) {
    let (model, alpha, beta) = (model(), looking(), looking());
    let agent = default(language, &model, &alpha).start();
    agent.wait_for_tool(&model, "alpha__look");
    let before = alpha.seen().len();

    let replaced = default(language, &model, &alpha).env("A2A_MCP_SERVERS", format!(" {} ,", beta.url())).start();
    eventually("the other server is asked for its tools", || beta.count("tools/list") > 0);
    assert!(!replaced.offered(&model).contains(&"alpha__look".to_owned()));
    assert_eq!(alpha.seen().len(), before);
}

fn endpoint_is_appended_to_each_url_once(language: Language) {
    let model = model();
    let path = |launch: &dyn Fn(&McpServer) -> Launch| {
        let alpha = looking();
        let _agent = launch(&alpha).start();
        eventually("the server is asked", || !alpha.seen().is_empty());
        alpha.seen()[0].path.clone()
    };
    let given =
        |endpoint: &'static str| path(&|alpha| written(language, &model, alpha).env("A2A_MCP_ENDPOINT", endpoint));
    assert_eq!(path(&|alpha| default(language, &model, alpha)), "/mcp");
    assert_eq!(path(&|alpha| written(language, &model, alpha)), "/written");
    assert_eq!(given("/given"), "/given");
    assert_eq!(given("given"), "/given");
    assert_eq!(given(""), "/");
    let at = |url: fn(String) -> String| {
        path(&|alpha| default(language, &model, alpha).env("A2A_MCP_SERVERS", url(alpha.url())))
    };
    assert_eq!(at(|url| format!("{url}/mcp")), "/mcp");
    assert_eq!(at(|url| format!("{url}/mcp/")).trim_end_matches('/'), "/mcp");
    assert_eq!(at(|url| format!("{url}/deep")), "/deep/mcp");
    for bad in ["/a b", "/a?b", "/a#b", "/a\nb"] {
        default(language, &model, &looking()).env("A2A_MCP_ENDPOINT", bad).end().refused_naming(&["A2A_MCP_ENDPOINT"]);
    }
}

fn invalid_values_prevent_the_start(language: Language) {
    let (model, alpha) = (model(), looking());
    let durations = ["REFRESH_INTERVAL", "DIAL_TIMEOUT", "CALL_TIMEOUT", "RETRY_INTERVAL", "RETRY_MAX_INTERVAL"];
    let durations =
        durations.map(|name| (format!("A2A_MCP_{name}"), ["soon", "0s", "0", "-1s", "", "5", "1 s"].as_slice()));
    let others = [
        ("A2A_MCP_MAX_RETRIES", ["-1", "many", "", "1.5"].as_slice()),
        ("A2A_MCP_ENABLED", ["maybe", ""].as_slice()),
        ("A2A_MCP_DIRECT_TOOLS", ["-1", "few", ""].as_slice()),
        ("A2A_SERVER_PORT", ["http", "70000", "-1", ""].as_slice()),
        ("A2A_SERVER_SHUTDOWN_TIMEOUT", ["soon", ""].as_slice()),
        ("A2A_DEBUG", ["maybe", ""].as_slice()),
        ("A2A_AGENT_CLIENT_MODEL", [""].as_slice()),
        ("A2A_AGENT_CLIENT_TIMEOUT", ["soon", ""].as_slice()),
        ("A2A_AGENT_CLIENT_TEMPERATURE", ["hot"].as_slice()),
        ("A2A_AGENT_CLIENT_MAX_TOKENS", ["all"].as_slice()),
        ("A2A_AGENT_CLIENT_MAX_RETRIES", ["many", ""].as_slice()),
        ("A2A_AGENT_CLIENT_MAX_CHAT_COMPLETION_ITERATIONS", ["0", "many", ""].as_slice()),
    ];
    for (name, values) in durations.into_iter().chain(others.map(|(name, values)| (name.to_owned(), values))) {
        for value in values {
            let ended = default(language, &model, &alpha).env(&name, value).end();
            assert_eq!(ended.code, Some(1), "{name}={value:?}: {}", ended.log);
            ended.refused_naming(&[&name]);
        }
    }
    assert!(alpha.seen().is_empty());
}

fn variables_override_model_settings(language: Language) {
    let (model, alpha) = (ModelServer::start(|_| Reply::text("hello")), looking());
    let body = |launch: Launch| -> Value {
        launch.start().raw(Protocol::V1_0).send("hi").completed_with("hello");
        model.last().body
    };
    let unwritten = body(default(language, &model, &alpha).without("A2A_AGENT_CLIENT_MODEL"));
    assert_eq!(unwritten["model"], "written-model");
    assert!(unwritten["temperature"].is_null() && tokens(&unwritten).is_null(), "{unwritten}");
    let from_manifest = body(written(language, &model, &alpha));
    assert_eq!(from_manifest["temperature"].as_f64(), Some(0.0), "an explicit zero is sent: {from_manifest}");
    assert_eq!(tokens(&from_manifest), 77);
    let given = written(language, &model, &alpha)
        .env("A2A_AGENT_CLIENT_TEMPERATURE", "0.5")
        .env("A2A_AGENT_CLIENT_MAX_TOKENS", "12")
        .env("A2A_AGENT_CLIENT_MODEL", "given-model")
        .env("A2A_AGENT_CLIENT_SYSTEM_PROMPT", "You are given.");
    let given = body(given);
    assert_eq!(
        (given["temperature"].as_f64(), tokens(&given), &given["model"]),
        (Some(0.5), json!(12), &json!("given-model"))
    );
    assert_eq!(model.last().said_by("system"), ["You are given."]);
    let unset = written(language, &model, &alpha)
        .env("A2A_AGENT_CLIENT_TEMPERATURE", "")
        .env("A2A_AGENT_CLIENT_MAX_TOKENS", "");
    let unset = body(unset);
    assert!(unset["temperature"].is_null() && tokens(&unset).is_null(), "{unset}");
}

fn tokens(body: &Value) -> Value {
    let (old, new) = (&body["max_tokens"], &body["max_completion_tokens"]);
    if old.is_null() { new.clone() } else { old.clone() }
}

fn api_key_may_come_from_the_provider_variable(language: Language) {
    let (model, alpha) = (ModelServer::start(|_| Reply::text("hello")), looking());
    let key = |launch: Launch| {
        launch.start().raw(Protocol::V1_0).send("hi").completed_with("hello");
        model.last().authorization
    };
    let provider =
        default(language, &model, &alpha).without("A2A_AGENT_CLIENT_API_KEY").env("OPENAI_API_KEY", "own-key");
    assert_eq!(key(provider), "Bearer own-key");
    assert_eq!(key(default(language, &model, &alpha).env("OPENAI_API_KEY", "own-key")), "Bearer scripted-key");
}

fn provider_without_a_url_requires_the_base_url(language: Language) {
    let (model, alpha) = (model(), looking());
    let without = default(language, &model, &alpha).without("A2A_AGENT_CLIENT_BASE_URL");
    without.env("A2A_AGENT_CLIENT_PROVIDER", "cloudflare").end().refused_naming(&["A2A_AGENT_CLIENT_BASE_URL"]);
}

fn rejects_a_port_that_is_in_use(language: Language) {
    let (model, alpha) = (model(), looking());
    let first = default(language, &model, &alpha).start();
    let port = first.url().rsplit(':').next().unwrap().to_owned();
    default(language, &model, &alpha).env("A2A_SERVER_PORT", &port).end().refused_naming(&[&port]);
}
