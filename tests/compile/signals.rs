//! Shutdown: after SIGTERM or SIGINT, running requests finish or fail, MCP sessions are closed, and the exit status is
//! 0.

use std::{thread, time::Duration};

use serde_json::json;

use super::support::{
    Agent, Client, Get, Language, Launch, McpServer, McpTool, ModelServer, Protocol, Reply, Signal, each_language,
    eventually, manifests,
};

each_language![
    idle_agent_exits_and_closes_its_sessions,
    running_requests_finish,
    endless_requests_fail_within_the_limit,
    endless_tools_do_not_prevent_the_exit,
    connecting_agent_exits,
    signal_right_after_the_start_is_handled,
    agent_without_mcp_exits,
];

const BOTH: [Signal; 2] = [Signal::TERM, Signal::INT];

fn launch(language: Language, model: &ModelServer, alpha: &McpServer) -> Launch {
    language.agent(&manifests::one_server()).model(model).env("ALPHA_URL", alpha.url())
}

fn looking() -> McpServer {
    McpServer::start([McpTool::says("look", "looked")])
}

/// Sends the signal and expects exit status 0 within the limit.
#[track_caller]
fn exits_cleanly(agent: &Agent, signal: Signal, limit: Duration) {
    agent.signal(signal);
    let ended = agent.wait();
    assert_eq!(ended.code, Some(0), "{signal:?}:\n{}", ended.log);
    assert!(ended.took < limit, "{signal:?} took {:?}:\n{}", ended.took, ended.log);
    assert!(!ended.log.contains("panic"), "{}", ended.log);
}

fn idle_agent_exits_and_closes_its_sessions(language: Language) {
    for signal in BOTH {
        let (model, alpha) = (ModelServer::calling("alpha__look", json!({})), looking());
        let agent = launch(language, &model, &alpha).start();
        agent.wait_for_tool(&model, "alpha__look");
        eventually("the agent listens", || alpha.listeners() == 1);
        assert_eq!(alpha.sessions(), 1);
        exits_cleanly(&agent, signal, Duration::from_secs(2));
        assert_eq!(alpha.sessions(), 0, "the session was closed by DELETE");
    }
}

fn running_requests_finish(language: Language) {
    for signal in BOTH {
        for (protocol, does) in [(Protocol::V0_3, "send"), (Protocol::V1_0, "send"), (Protocol::V1_0, "stream")] {
            let pieces = ["the ", "whole ", "answer"].map(str::to_owned).to_vec();
            let model = ModelServer::start(move |_| Reply::Slowly(pieces.clone(), Duration::from_millis(400)));
            let alpha = looking();
            let agent = launch(language, &model, &alpha).start();
            let mut client = agent.raw(protocol);
            let running = thread::spawn(move || client.ask(&json!({"do": does, "text": "slowly"})));
            eventually("the model is asked", || !model.asked().is_empty());
            exits_cleanly(&agent, signal, Duration::from_secs(5));
            running.join().unwrap().completed_with("the whole answer");
        }
    }
}

fn endless_requests_fail_within_the_limit(language: Language) {
    for protocol in Protocol::ALL {
        for does in ["send", "stream"] {
            let (model, alpha) = (ModelServer::start(|_| Reply::Hang), looking());
            let agent = launch(language, &model, &alpha).env("A2A_SERVER_SHUTDOWN_TIMEOUT", "500ms").start();
            let mut client = agent.raw(protocol);
            let running = thread::spawn(move || client.ask(&json!({"do": does, "text": "for ever"})));
            eventually("the model is asked", || !model.asked().is_empty());
            exits_cleanly(&agent, Signal::TERM, Duration::from_secs(4));
            let answer = running.join().unwrap();
            assert_eq!(answer.state, "failed", "{protocol:?} {does}: {answer:?}");
            assert!(!answer.message.is_empty(), "{answer:?}");
        }
    }
}

fn endless_tools_do_not_prevent_the_exit(language: Language) {
    let alpha = McpServer::start([McpTool::says("look", "looked").after(Duration::from_mins(1))]);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha).env("A2A_SERVER_SHUTDOWN_TIMEOUT", "500ms").start();
    agent.wait_for_tool(&model, "alpha__look");
    let mut client = agent.raw(Protocol::V1_0);
    let running = thread::spawn(move || client.send("look"));
    eventually("the tool is called", || alpha.count("tools/call") == 1);
    exits_cleanly(&agent, Signal::TERM, Duration::from_secs(5));
    assert_eq!(running.join().unwrap().state, "failed");
}

fn connecting_agent_exits(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let (down, hanging, refusing, mute) = (McpServer::down([]), looking(), looking(), looking());
    hanging.set(|manners| manners.hangs = true);
    refusing.set(|manners| manners.unavailable = true);
    mute.set(|manners| manners.get = Get::Hang);
    for signal in BOTH {
        for server in [&down, &hanging, &refusing, &mute] {
            let agent = launch(language, &model, server).start();
            thread::sleep(Duration::from_millis(200));
            exits_cleanly(&agent, signal, Duration::from_secs(3));
        }
    }
}

fn signal_right_after_the_start_is_handled(language: Language) {
    let (model, alpha) = (ModelServer::start(|_| Reply::text("hello")), looking());
    for signal in BOTH {
        exits_cleanly(&launch(language, &model, &alpha).start(), signal, Duration::from_secs(3));
    }
}

fn agent_without_mcp_exits(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    for signal in BOTH {
        let agent = language.agent(&manifests::switched_off()).model(&model).start();
        agent.raw(Protocol::V0_3).send("hi").completed_with("hello");
        exits_cleanly(&agent, signal, Duration::from_secs(2));
    }
}
