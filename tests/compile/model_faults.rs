//! The model fails: the task ends as failed with a clear message, and the agent lives on.

use std::time::{Duration, Instant};

use serde_json::json;

use super::support::{
    Agent, Answer, Client, Language, Launch, McpServer, McpTool, ModelServer, Protocol, Reply, each_language, manifests,
};

each_language![
    an_error_status_of_the_model_fails_the_task,
    a_model_that_does_not_answer_in_time_fails_the_task,
    a_slow_model_that_keeps_sending_is_waited_for,
    an_answer_that_is_no_json_fails_the_task,
    a_connection_that_breaks_or_is_refused_fails_the_task,
    endless_tool_calls_fail_the_task_at_the_limit,
    a_failed_request_is_repeated_as_often_as_allowed,
    parallel_calls_are_told_apart_with_and_without_an_index,
];

/// A model that answers to `fine`, and to everything else with the fault.
fn faulty(fault: Reply) -> ModelServer {
    ModelServer::start(move |request| if request.user() == "fine" { Reply::text("fine") } else { fault.clone() })
}

fn launch(language: Language, model: &ModelServer) -> Launch {
    let agent = language.agent(&manifests::switched_off()).model(model);
    agent.env("A2A_AGENT_CLIENT_MAX_RETRIES", "0").env("A2A_AGENT_CLIENT_TIMEOUT", "700ms")
}

/// Provokes the fault by both protocols, waiting and streaming, and expects a failed task each time.
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
            assert!(!answer.message.contains("127.0.0.1"), "an address is no business of the client's: {answer:?}");
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

fn an_error_status_of_the_model_fails_the_task(language: Language) {
    for status in [500, 429, 401, 400] {
        let model = faulty(Reply::Status(status));
        each_message_names(&fails(&launch(language, &model).start()), &[&status.to_string()]);
    }
}

fn a_model_that_does_not_answer_in_time_fails_the_task(language: Language) {
    for fault in [Reply::Hang, Reply::Stall("begun but".to_owned())] {
        let model = faulty(fault);
        each_message_names(&fails(&launch(language, &model).start()), &["time", "did not answer"]);
    }
}

fn a_slow_model_that_keeps_sending_is_waited_for(language: Language) {
    let pieces: Vec<_> = "one two three four five six".split_inclusive(' ').map(str::to_owned).collect();
    let model = ModelServer::start(move |_| Reply::Slowly(pieces.clone(), Duration::from_millis(300)));
    launch(language, &model).start().raw(Protocol::V1_0).send("count").completed_with("one two three four five six");
}

fn an_answer_that_is_no_json_fails_the_task(language: Language) {
    for garbage in ["<html>not the model</html>", "{\"choices\": [", "{}", "null"] {
        let model = faulty(Reply::Garbage(garbage.to_owned()));
        fails(&launch(language, &model).start());
    }
}

fn a_connection_that_breaks_or_is_refused_fails_the_task(language: Language) {
    let model = faulty(Reply::Break("begun but".to_owned()));
    fails(&launch(language, &model).start());

    let gone = faulty(Reply::Hang);
    let agent = launch(language, &gone).start();
    drop(gone);
    let answer = agent.raw(Protocol::V1_0).send("fail");
    assert_eq!(answer.state, "failed", "{answer:?}");
    assert_eq!(agent.get("/health").0, 200);
}

fn endless_tool_calls_fail_the_task_at_the_limit(language: Language) {
    let model = faulty(Reply::call("word_count", json!({"text": "again"})));
    let agent = launch(language, &model).env("A2A_AGENT_CLIENT_MAX_CHAT_COMPLETION_ITERATIONS", "3").start();
    let answer = agent.raw(Protocol::V1_0).send("fail");
    assert_eq!(answer.state, "failed", "{answer:?}");
    assert_eq!(model.asked().len(), 3);
    each_message_names(&fails(&agent), &["3"]);
}

fn a_failed_request_is_repeated_as_often_as_allowed(language: Language) {
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

fn parallel_calls_are_told_apart_with_and_without_an_index(language: Language) {
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
