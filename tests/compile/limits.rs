//! Requests and servers that ask for too much: refused or bounded, in time and in memory.

use std::time::{Duration, Instant};

use serde_json::json;

use super::support::{
    Agent, Client, Language, Launch, Listing, McpServer, McpTool, ModelServer, Protocol, Reply, each_language,
    eventually, manifests,
};

each_language![
    a_body_above_the_limit_is_refused,
    a_deeply_nested_request_is_refused_at_once,
    ended_tasks_and_conversations_stay_within_their_memory,
    tasks_that_wait_for_input_stay_within_their_memory,
    a_server_that_repeats_its_pages_is_used_with_what_it_listed,
    a_listing_without_end_stays_within_its_memory,
];

fn launch(language: Language, model: &ModelServer) -> Launch {
    language.agent(&manifests::switched_off()).model(model)
}

fn a_body_above_the_limit_is_refused(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let fits = |agent: &Agent, bytes: usize| {
        let client = agent.raw(Protocol::V1_0);
        let (method, parameters) = client.request(&json!({"do": "send", "text": "x".repeat(bytes)}));
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters});
        let (status, answer) = client.send_body(&request.to_string());
        assert!(status == 413 || answer["result"].is_object(), "{status} {answer}");
        status != 413
    };
    let agent = launch(language, &model).start();
    assert!(fits(&agent, 4 << 19) && !fits(&agent, 4 << 20));
    let agent = launch(language, &model).env("A2A_SERVER_MAX_BODY_BYTES", "2000").start();
    assert!(fits(&agent, 1000) && !fits(&agent, 2000));
}

fn a_deeply_nested_request_is_refused_at_once(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let agent = launch(language, &model).start();
    for protocol in Protocol::ALL {
        let client = agent.raw(protocol);
        let (method, parameters) = client.request(&json!({"do": "send", "text": "hi"}));
        for (open, close) in [("{\"a\":", "}"), ("[", "]")] {
            for field in ["/metadata", "/message/metadata", "/message/parts/0/data"] {
                let nested = |depth: usize| {
                    let value = format!("{{\"a\":{}1{}}}", open.repeat(depth), close.repeat(depth));
                    let mut parameters = parameters.clone();
                    let (parent, key) = field.rsplit_once('/').unwrap();
                    parameters.pointer_mut(parent).unwrap()[key] = json!("(nested)");
                    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters});
                    client.send_body(&request.to_string().replace("\"(nested)\"", &value))
                };
                let begun = Instant::now();
                let (status, answer) = nested(9000);
                assert!(status >= 400 || answer["error"].is_object(), "{protocol:?} {field}: {status} {answer}");
                assert!(begun.elapsed() < Duration::from_secs(1), "{protocol:?} {field} took {:?}", begun.elapsed());
            }
        }
        agent.raw(protocol).send("hi").completed_with("hello");
    }
    assert!(agent.peak_memory() < 200, "{} MiB", agent.peak_memory());
}

const MIB: usize = 1 << 20;

/// Sends 20 messages of 3 MiB, each a conversation and a task of its own, and returns the memory that the agent takes.
fn memory_after_many_messages(agent: &Agent, state: &str) -> usize {
    let text = "x".repeat(3 * MIB);
    let mut client = agent.raw(Protocol::V1_0);
    for _ in 0..20 {
        let answer = client.send(&text);
        assert_eq!(answer.state, state, "{:?}", answer.error);
    }
    agent.peak_memory()
}

fn ended_tasks_and_conversations_stay_within_their_memory(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let agent = launch(language, &model)
        .env("A2A_TASK_RETENTION_MAX_BYTES", (8 * MIB).to_string())
        .env("A2A_AGENT_CLIENT_MAX_CONVERSATION_BYTES", (8 * MIB).to_string())
        .start();
    let used = memory_after_many_messages(&agent, "completed");
    assert!(used < 300, "{used} MiB");
}

fn tasks_that_wait_for_input_stay_within_their_memory(language: Language) {
    let model = ModelServer::start(|_| Reply::call("input_required", json!({"message": "which moon?"})));
    let agent = launch(language, &model)
        .env("A2A_TASK_RETENTION_MAX_WAITING_BYTES", (8 * MIB).to_string())
        .env("A2A_AGENT_CLIENT_MAX_CONVERSATION_BYTES", (8 * MIB).to_string())
        .start();
    let used = memory_after_many_messages(&agent, "input-required");
    assert!(used < 300, "{used} MiB");
}

/// An agent whose server lists as told, with the entry of its log that says why the listing was cut.
fn listing(language: Language, listing: Listing) -> (Agent, ModelServer) {
    let alpha = McpServer::start([McpTool::says("look", "looked")]);
    alpha.set(|manners| manners.listing = listing);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = language.agent(&manifests::one_server()).model(&model).env("ALPHA_URL", alpha.url()).start();
    eventually("the server is connected", || !agent.entries("MCP server connected").is_empty());
    let cut = |agent: &Agent| agent.log().lines().any(|line| line.contains("\"WARN\"") && line.contains("alpha"));
    eventually("the log names the server whose listing was cut", || cut(&agent));
    if matches!(listing, Listing::Repeated) {
        agent.wait_for_tool(&model, "alpha__look");
        agent.raw(Protocol::V1_0).send("look").completed_with("tool said: looked");
    }
    (agent, model)
}

fn a_server_that_repeats_its_pages_is_used_with_what_it_listed(language: Language) {
    drop(listing(language, Listing::Repeated));
}

fn a_listing_without_end_stays_within_its_memory(language: Language) {
    let (agent, model) = listing(language, Listing::Endless(5 * MIB));
    assert!(agent.peak_memory() < 300, "{} MiB", agent.peak_memory());
    assert!(agent.offered(&model).contains(&"word_count".to_owned()));
}
