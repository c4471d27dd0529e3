//! The end: SIGTERM and SIGINT let running requests finish or fail, close the MCP sessions, and the exit status is 0.

use std::{thread, time::Duration};

use serde_json::json;

use super::support::{
    Agent, Client, Get, Language, Launch, McpServer, McpTool, ModelServer, Protocol, Reply, Signal, each_language,
    eventually, manifests,
};

each_language![
    an_idle_agent_ends_at_once_and_closes_its_sessions,
    a_running_request_gets_its_answer,
    a_request_that_does_not_end_is_failed_within_the_limit,
    a_tool_that_does_not_end_is_no_hindrance,
    an_agent_that_is_still_connecting_ends_as_well,
    a_signal_right_after_the_start_is_honoured,
    an_agent_without_mcp_ends_as_well,
];

const BOTH: [Signal; 2] = [Signal::TERM, Signal::INT];

fn launch(language: Language, model: &ModelServer, alpha: &McpServer) -> Launch {
    language.agent(&manifests::one_server()).model(model).env("ALPHA_URL", alpha.url())
}

fn looking() -> McpServer {
    McpServer::start([McpTool::says("look", "looked")])
}

/// Signals the agent and expects a clean end within the seconds.
#[track_caller]
fn ends_well(agent: &Agent, signal: Signal, limit: Duration) {
    agent.signal(signal);
    let ended = agent.wait();
    assert_eq!(ended.code, Some(0), "{signal:?}:\n{}", ended.log);
    assert!(ended.took < limit, "{signal:?} took {:?}:\n{}", ended.took, ended.log);
    assert!(!ended.log.contains("panic"), "{}", ended.log);
}

fn an_idle_agent_ends_at_once_and_closes_its_sessions(language: Language) {
    for signal in BOTH {
        let (model, alpha) = (ModelServer::calling("alpha__look", json!({})), looking());
        let agent = launch(language, &model, &alpha).start();
        agent.wait_for_tool(&model, "alpha__look");
        eventually("the agent listens", || alpha.listeners() == 1);
        assert_eq!(alpha.sessions(), 1);
        ends_well(&agent, signal, Duration::from_secs(2));
        assert_eq!(alpha.sessions(), 0, "the session was closed by DELETE");
    }
}

fn a_running_request_gets_its_answer(language: Language) {
    for signal in BOTH {
        for (protocol, does) in [(Protocol::V0_3, "send"), (Protocol::V1_0, "send"), (Protocol::V1_0, "stream")] {
            let pieces = ["the ", "whole ", "answer"].map(str::to_owned).to_vec();
            let model = ModelServer::start(move |_| Reply::Slowly(pieces.clone(), Duration::from_millis(400)));
            let alpha = looking();
            let agent = launch(language, &model, &alpha).start();
            let mut client = agent.raw(protocol);
            let running = thread::spawn(move || client.ask(&json!({"do": does, "text": "slowly"})));
            eventually("the model is asked", || !model.asked().is_empty());
            ends_well(&agent, signal, Duration::from_secs(5));
            running.join().unwrap().completed_with("the whole answer");
        }
    }
}

fn a_request_that_does_not_end_is_failed_within_the_limit(language: Language) {
    for protocol in Protocol::ALL {
        for does in ["send", "stream"] {
            let (model, alpha) = (ModelServer::start(|_| Reply::Hang), looking());
            let agent = launch(language, &model, &alpha).env("A2A_SERVER_SHUTDOWN_TIMEOUT", "500ms").start();
            let mut client = agent.raw(protocol);
            let running = thread::spawn(move || client.ask(&json!({"do": does, "text": "for ever"})));
            eventually("the model is asked", || !model.asked().is_empty());
            ends_well(&agent, Signal::TERM, Duration::from_secs(4));
            let answer = running.join().unwrap();
            assert_eq!(answer.state, "failed", "{protocol:?} {does}: {answer:?}");
            assert!(!answer.message.is_empty(), "{answer:?}");
        }
    }
}

fn a_tool_that_does_not_end_is_no_hindrance(language: Language) {
    let alpha = McpServer::start([McpTool::says("look", "looked").after(Duration::from_mins(1))]);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha).env("A2A_SERVER_SHUTDOWN_TIMEOUT", "500ms").start();
    agent.wait_for_tool(&model, "alpha__look");
    let mut client = agent.raw(Protocol::V1_0);
    let running = thread::spawn(move || client.send("look"));
    eventually("the tool is called", || alpha.count("tools/call") == 1);
    ends_well(&agent, Signal::TERM, Duration::from_secs(5));
    assert_eq!(running.join().unwrap().state, "failed");
}

fn an_agent_that_is_still_connecting_ends_as_well(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let (down, hanging, refusing, mute) = (McpServer::down([]), looking(), looking(), looking());
    hanging.set(|manners| manners.hangs = true);
    refusing.set(|manners| manners.unavailable = true);
    mute.set(|manners| manners.get = Get::Hang);
    for signal in BOTH {
        for server in [&down, &hanging, &refusing, &mute] {
            let agent = launch(language, &model, server).start();
            thread::sleep(Duration::from_millis(200));
            ends_well(&agent, signal, Duration::from_secs(3));
        }
    }
}

fn a_signal_right_after_the_start_is_honoured(language: Language) {
    let (model, alpha) = (ModelServer::start(|_| Reply::text("hello")), looking());
    for signal in BOTH {
        ends_well(&launch(language, &model, &alpha).start(), signal, Duration::from_secs(3));
    }
}

fn an_agent_without_mcp_ends_as_well(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    for signal in BOTH {
        let agent = language.agent(&manifests::switched_off()).model(&model).start();
        agent.raw(Protocol::V0_3).send("hi").completed_with("hello");
        ends_well(&agent, signal, Duration::from_secs(2));
    }
}
