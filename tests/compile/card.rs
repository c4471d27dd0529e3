//! The agent card and the health checks.

use serde_json::{Value, json};

use super::support::{
    Agent, Client, Language, Launch, McpServer, McpTool, ModelServer, Protocol, Reply, each_language, eventually,
    manifests,
};

each_language![
    card_has_required_fields_of_both_protocols,
    card_url_reaches_the_agent,
    configured_url_ends_in_a2a,
    card_of_protocol_1_0_has_the_manifest_values,
    announced_security_is_on_the_card_and_warned_about,
    health_check_succeeds,
    agent_is_ready_when_a_server_is_connected,
    healthcheck_command_queries_the_running_agent,
];

const CARD: &str = "/.well-known/agent-card.json";

fn agent(language: Language, manifest: &str) -> Launch {
    Agent::of(language.project(manifest))
        .env("A2A_AGENT_CLIENT_BASE_URL", "http://127.0.0.1:9/v1")
        .env("A2A_AGENT_CLIENT_MODEL", "none")
}

#[track_caller]
fn has_fields(card: &Value, fields: &[&str]) {
    for field in fields {
        assert!(!card[field].is_null(), "the card has no {field}: {card:#}");
    }
}

fn card_has_required_fields_of_both_protocols(language: Language) {
    let agent = agent(language, &manifests::switched_off()).start();
    let (status, card) = agent.get(CARD);
    assert_eq!(status, 200);
    has_fields(
        &card,
        &["name", "description", "version", "capabilities", "defaultInputModes", "defaultOutputModes", "skills"],
    );
    has_fields(&card, &["protocolVersion", "url", "preferredTransport", "supportedInterfaces"]);
    assert_eq!(card["name"], "sky-assistant");
    assert_eq!(card["description"], "Looks at the sky and counts words.");
    assert_eq!(card["version"], "1.2.3");
    assert_eq!(card["capabilities"]["streaming"], true);
    assert_eq!(card["preferredTransport"], "JSONRPC");
    assert!(card["protocolVersion"].as_str().unwrap().starts_with("0.3"), "{card:#}");
    for version in ["0.3", "1.0"] {
        let interfaces = card["supportedInterfaces"].as_array().unwrap();
        let offered = interfaces.iter().find(|one| one["protocolVersion"].as_str().unwrap().starts_with(version));
        let offered = offered.unwrap_or_else(|| panic!("no interface of {version}: {card:#}"));
        assert_eq!(offered["protocolBinding"], "JSONRPC");
        assert_eq!(offered["url"], card["url"]);
    }
}

fn card_url_reaches_the_agent(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let agent = language.agent(&manifests::switched_off()).model(&model).start();
    let url = agent.get(CARD).1["url"].as_str().unwrap().to_owned();
    let port = agent.url().rsplit(':').next().unwrap().to_owned();
    assert_eq!(url, format!("http://localhost:{port}/a2a"));
    agent.raw(Protocol::V0_3).at(&url, "").send("hi").completed_with("hello");
}

fn configured_url_ends_in_a2a(language: Language) {
    for given in
        ["https://agents.example.com/sky", "https://agents.example.com/sky/", "https://agents.example.com/sky/a2a"]
    {
        let agent = agent(language, &manifests::switched_off()).env("A2A_AGENT_URL", given).start();
        let card = agent.get(CARD).1;
        assert_eq!(card["url"], "https://agents.example.com/sky/a2a", "given {given}");
        assert_eq!(card["supportedInterfaces"][0]["url"], "https://agents.example.com/sky/a2a");
    }
}

fn card_of_protocol_1_0_has_the_manifest_values(language: Language) {
    let agent = agent(language, &manifests::only_1_0()).start();
    let card = agent.get(CARD).1;
    has_fields(
        &card,
        &["name", "description", "version", "capabilities", "defaultInputModes", "defaultOutputModes", "skills"],
    );
    let interfaces = card["supportedInterfaces"].as_array().unwrap();
    assert_eq!(interfaces.len(), 1, "{card:#}");
    assert_eq!(interfaces[0]["url"], "https://sky.example.com/agents/a2a");
    assert_eq!(interfaces[0]["protocolBinding"], "JSONRPC");
    assert!(interfaces[0]["protocolVersion"].as_str().unwrap().starts_with("1.0"), "{card:#}");
    assert_eq!(card["documentationUrl"], "https://sky.example.com/manual");
    assert_eq!(card["iconUrl"], "https://sky.example.com/icon.png");
    assert_eq!(card["defaultInputModes"], json!(["text/plain"]));
    assert_eq!(card["defaultOutputModes"], json!(["text/plain", "application/json"]));
    let skill = &card["skills"][0];
    assert_eq!(
        [&skill["id"], &skill["name"], &skill["description"], &skill["tags"][0]],
        ["stargazing", "Stargazing", "Knows the stars.", "stars"]
    );
}

fn announced_security_is_on_the_card_and_warned_about(language: Language) {
    let warning = "announces security schemes that this agent does not enforce";
    let announcing = agent(language, &manifests::only_1_0()).start();
    let schemes = announcing.get(CARD).1["securitySchemes"].to_string();
    assert!(schemes.to_lowercase().contains("bearer"), "{schemes}");
    assert!(announcing.log().contains(warning), "{}", announcing.log());
    let silent = agent(language, &manifests::switched_off()).start();
    assert!(!silent.log().contains(warning), "{}", silent.log());
}

fn health_check_succeeds(language: Language) {
    let agent = agent(language, &manifests::switched_off()).start();
    assert_eq!(agent.get("/health"), (200, json!({"status": "healthy"})));
}

fn agent_is_ready_when_a_server_is_connected(language: Language) {
    let ready = agent(language, &manifests::switched_off()).start();
    assert_eq!(ready.get("/ready"), (200, json!({"status": "ready"})));

    let alpha = McpServer::down([McpTool::says("look", "looked")]);
    let agent = agent(language, &manifests::one_server()).env("ALPHA_URL", alpha.url());
    let agent = agent.env("A2A_MCP_RETRY_INTERVAL", "100ms").start();
    assert_eq!(agent.get("/ready"), (503, json!({"status": "not ready"})));
    assert_eq!(agent.get("/health").0, 200);
    alpha.up();
    eventually("the agent is ready", || agent.get("/ready").0 == 200);
}

fn healthcheck_command_queries_the_running_agent(language: Language) {
    let running = agent(language, &manifests::switched_off()).start();
    let port = running.url().rsplit(':').next().unwrap().to_owned();
    let check = || agent(language, &manifests::switched_off()).env("A2A_SERVER_PORT", &port).argument("healthcheck");
    assert_eq!(check().end().code, Some(0));
    drop(running);
    assert_eq!(check().end().code, Some(1));
}
