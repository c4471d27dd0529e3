//! Excessive requests and servers are rejected or limited, in time and memory.

use std::time::{Duration, Instant};

use serde_json::json;

use super::support::{
    Agent, Client, Language, Launch, Listing, McpServer, McpTool, ModelServer, Protocol, Reply, each_language,
    eventually, manifests,
};

each_language![
    rejects_bodies_above_the_limit,
    rejects_deeply_nested_requests_quickly,
    memory_of_ended_tasks_and_conversations_is_limited,
    memory_of_waiting_tasks_is_limited,
    repeated_pages_of_tools_are_listed_once,
    endless_lists_of_tools_are_limited,
];

fn launch(language: Language, model: &ModelServer) -> Launch {
    language.agent(&manifests::switched_off()).model(model)
}

fn rejects_bodies_above_the_limit(language: Language) {
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

fn rejects_deeply_nested_requests_quickly(language: Language) {
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

/// Sends 20 messages of 3 MiB, each with its own conversation and task, and returns the memory usage of the agent in
/// MiB.
fn memory_after_many_messages(agent: &Agent, state: &str) -> usize {
    let text = "x".repeat(3 * MIB);
    let mut client = agent.raw(Protocol::V1_0);
    for _ in 0..20 {
        let answer = client.send(&text);
        assert_eq!(answer.state, state, "{:?}", answer.error);
    }
    agent.peak_memory()
}

fn memory_of_ended_tasks_and_conversations_is_limited(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let agent = launch(language, &model)
        .env("A2A_TASK_RETENTION_MAX_BYTES", (8 * MIB).to_string())
        .env("A2A_AGENT_CLIENT_MAX_CONVERSATION_BYTES", (8 * MIB).to_string())
        .start();
    let used = memory_after_many_messages(&agent, "completed");
    assert!(used < 300, "{used} MiB");
}

fn memory_of_waiting_tasks_is_limited(language: Language) {
    let model = ModelServer::start(|_| Reply::call("input_required", json!({"message": "which moon?"})));
    let agent = launch(language, &model)
        .env("A2A_TASK_RETENTION_MAX_WAITING_BYTES", (8 * MIB).to_string())
        .env("A2A_AGENT_CLIENT_MAX_CONVERSATION_BYTES", (8 * MIB).to_string())
        .start();
    let used = memory_after_many_messages(&agent, "input-required");
    assert!(used < 300, "{used} MiB");
}

/// Starts an agent with a server that lists its tools like `listing`, and waits for the log message about the truncated
/// list.
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

fn repeated_pages_of_tools_are_listed_once(language: Language) {
    drop(listing(language, Listing::Repeated));
}

fn endless_lists_of_tools_are_limited(language: Language) {
    let (agent, model) = listing(language, Listing::Endless(5 * MIB));
    assert!(agent.peak_memory() < 300, "{} MiB", agent.peak_memory());
    assert!(agent.offered(&model).contains(&"word_count".to_owned()));
}
