//! If the model fails, the task fails with a clear message and the agent keeps running.

use std::time::{Duration, Instant};

use serde_json::json;

use super::support::{
    Agent, Answer, Client, Language, Launch, McpServer, McpTool, ModelServer, Protocol, Reply, each_language, manifests,
};

each_language![
    error_status_fails_the_task,
    timeout_fails_the_task,
    slow_streams_do_not_time_out,
    invalid_json_fails_the_task,
    broken_connection_fails_the_task,
    too_many_tool_calls_fail_the_task,
    failed_requests_are_retried_up_to_the_limit,
    parallel_calls_work_with_and_without_index,
];

/// A model that answers `fine` normally and everything else with the fault.
fn faulty(fault: Reply) -> ModelServer {
    ModelServer::start(move |request| if request.user() == "fine" { Reply::text("fine") } else { fault.clone() })
}

fn launch(language: Language, model: &ModelServer) -> Launch {
    let agent = language.agent(&manifests::switched_off()).model(model);
    agent.env("A2A_AGENT_CLIENT_MAX_RETRIES", "0").env("A2A_AGENT_CLIENT_TIMEOUT", "700ms")
}

/// Triggers the fault with both protocols, with and without streaming, and expects a failed task each time.
#[track_caller]
fn fails(agent: &Agent) -> Vec<Answer> {
    let mut answers = Vec::new();
    for protocol in Protocol::ALL {
        let mut client = agent.raw(protocol);
        for does in ["send", "stream"] {
            let begun = Instant::now();
            let answer = client.ask(&json!({"do": does, "text": "fail"}));
            assert_eq!(answer.state, "failed", "{protocol:?} {does}: {answer:?}");
            assert!(!answer.message.is_empty(), "{protocol:?} {does}: {answer:?}");
            assert!(!answer.message.contains("127.0.0.1"), "the client must not see the address: {answer:?}");
            assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
            answers.push(answer);
        }
        client.send("fine").completed_with("fine");
    }
    answers
}

#[track_caller]
fn each_message_names(answers: &[Answer], words: &[&str]) {
    for answer in answers {
        let message = answer.message.to_lowercase();
        assert!(words.iter().any(|word| message.contains(word)), "none of {words:?} in {message:?}");
    }
}

fn error_status_fails_the_task(language: Language) {
    for status in [500, 429, 401, 400] {
        let model = faulty(Reply::Status(status));
        each_message_names(&fails(&launch(language, &model).start()), &[&status.to_string()]);
    }
}

fn timeout_fails_the_task(language: Language) {
    for fault in [Reply::Hang, Reply::Stall("begun but".to_owned())] {
        let model = faulty(fault);
        each_message_names(&fails(&launch(language, &model).start()), &["time", "did not answer"]);
    }
}

fn slow_streams_do_not_time_out(language: Language) {
    let pieces: Vec<_> = "one two three four five six".split_inclusive(' ').map(str::to_owned).collect();
    let model = ModelServer::start(move |_| Reply::Slowly(pieces.clone(), Duration::from_millis(300)));
    launch(language, &model).start().raw(Protocol::V1_0).send("count").completed_with("one two three four five six");
}

fn invalid_json_fails_the_task(language: Language) {
    for garbage in ["<html>not the model</html>", "{\"choices\": [", "{}", "null"] {
        let model = faulty(Reply::Garbage(garbage.to_owned()));
        fails(&launch(language, &model).start());
    }
}

fn broken_connection_fails_the_task(language: Language) {
    let model = faulty(Reply::Break("begun but".to_owned()));
    fails(&launch(language, &model).start());

    let gone = faulty(Reply::Hang);
    let agent = launch(language, &gone).start();
    drop(gone);
    let answer = agent.raw(Protocol::V1_0).send("fail");
    assert_eq!(answer.state, "failed", "{answer:?}");
    assert_eq!(agent.get("/health").0, 200);
}

fn too_many_tool_calls_fail_the_task(language: Language) {
    let model = faulty(Reply::call("word_count", json!({"text": "again"})));
    let agent = launch(language, &model).env("A2A_AGENT_CLIENT_MAX_CHAT_COMPLETION_ITERATIONS", "3").start();
    let answer = agent.raw(Protocol::V1_0).send("fail");
    assert_eq!(answer.state, "failed", "{answer:?}");
    assert_eq!(model.asked().len(), 3);
    each_message_names(&fails(&agent), &["3"]);
}

fn failed_requests_are_retried_up_to_the_limit(language: Language) {
    let model = ModelServer::start(|request| match request.user().as_str() {
        "refused" => Reply::Status(400),
        _ => Reply::Status(500),
    });
    let agent = launch(language, &model).env("A2A_AGENT_CLIENT_MAX_RETRIES", "2").start();
    let mut client = agent.raw(Protocol::V1_0);
    assert_eq!(client.send("broken").state, "failed");
    assert_eq!(model.asked().len(), 3);
    assert_eq!(client.send("refused").state, "failed");
    assert_eq!(model.asked().len(), 4, "a refusal is final");
}

fn parallel_calls_work_with_and_without_index(language: Language) {
    for indexed in [true, false] {
        let alpha = McpServer::start(["look", "listen"].map(|name| {
            McpTool::new(name, move |arguments| {
                json!({"content": [{"type": "text", "text": format!("{name} {}", arguments["text"].as_str().unwrap())}]})
            })
        }));
        let model = ModelServer::start(move |request| {
            let calls = vec![
                ("alpha__look".to_owned(), json!({"text": "up"})),
                ("alpha__listen".to_owned(), json!({"text": "down"})),
            ];
            match request.tool_answers().as_slice() {
                [] if indexed => Reply::Calls(calls),
                [] => Reply::CallsWithoutIndex(calls),
                answers => Reply::text(answers.join(", ")),
            }
        });
        let agent = language.agent(&manifests::one_server()).model(&model).env("ALPHA_URL", alpha.url()).start();
        agent.wait_for_tool(&model, "alpha__look");
        agent.raw(Protocol::V1_0).send("both").completed_with("look up, listen down");
    }
}
