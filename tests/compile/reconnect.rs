//! Servers that start late, die, restart, lose sessions or change their tools: the agent keeps running and adapts.

use std::time::Duration;

use serde_json::json;

use super::support::{
    Agent, Answers, Client, EverythingServer, Get, Language, Launch, Listing, Loss, McpServer, McpTool, ModelServer,
    Protocol, Reply, about, each_language, eventually, gaps, manifests, needs,
};

each_language![
    tools_are_available_when_a_late_server_starts,
    retry_intervals_double_up_to_the_maximum,
    tools_work_after_a_server_restart,
    tools_work_after_a_restart_of_server_everything,
    lost_sessions_are_replaced_within_the_call,
    list_changed_notifications_update_the_tools,
    refreshes_update_the_tools,
    lists_tools_from_all_pages,
    refreshes_do_not_interrupt_running_calls,
    rejected_calls_are_not_repeated,
    accepts_notifications_before_the_response,
    works_without_a_response_to_the_get_request,
    one_dead_server_does_not_affect_other_servers,
];

fn looking() -> McpTool {
    McpTool::says("look", "looked")
}

/// An agent with long refresh and short retry intervals, unless the test sets others, so that a refresh does not hide a
/// fault.
fn launch(language: Language, model: &ModelServer, url: &str) -> Launch {
    let agent = language.agent(&manifests::one_server()).model(model).env("ALPHA_URL", url);
    agent.env("A2A_MCP_REFRESH_INTERVAL", "1h").env("A2A_MCP_RETRY_INTERVAL", "100ms")
}

fn looks(agent: &Agent) {
    agent.raw(Protocol::V1_0).send("look").completed_with("tool said: looked");
}

fn tools_are_available_when_a_late_server_starts(language: Language) {
    let alpha = McpServer::down([looking()]);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha.url()).start();
    let offered = agent.offered(&model);
    assert!(!offered.contains(&"alpha__look".to_owned()) && offered.contains(&"word_count".to_owned()), "{offered:?}");
    assert_eq!(agent.get("/health").0, 200);

    alpha.up();
    agent.wait_for_tool(&model, "alpha__look");
    looks(&agent);
}

fn retry_intervals_double_up_to_the_maximum(language: Language) {
    let alpha = McpServer::start([looking()]);
    alpha.set(|manners| manners.unavailable = true);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha.url()).env("A2A_MCP_RETRY_MAX_INTERVAL", "500ms").start();
    eventually("there were six attempts", || alpha.count("initialize") > 5);
    about(&gaps(&alpha.moments("initialize")), &[100, 200, 400, 500, 500]);

    alpha.set(|manners| manners.unavailable = false);
    agent.wait_for_tool(&model, "alpha__look");
    looks(&agent);
}

fn tools_work_after_a_server_restart(language: Language) {
    let alpha = McpServer::start([looking()]);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha.url()).start();
    agent.wait_for_tool(&model, "alpha__look");
    looks(&agent);

    alpha.kill();
    let failed = agent.raw(Protocol::V1_0).send("look");
    assert_eq!(failed.state, "completed", "the model is told that the tool failed: {failed:?}");
    assert_ne!(failed.text, "tool said: looked");
    alpha.up();
    eventually("the tool works again", || agent.raw(Protocol::V1_0).send("look").text == "tool said: looked");
}

fn tools_work_after_a_restart_of_server_everything(language: Language) {
    needs!(Node);
    let mut everything = EverythingServer::start();
    let model = ModelServer::calling("alpha__echo", json!({"message": "hello"}));
    let agent = launch(language, &model, &everything.url()).start();
    agent.wait_for_tool(&model, "alpha__echo");
    agent.raw(Protocol::V0_3).send("echo").completed_with("tool said: Echo: hello");
    everything.restart();
    eventually("the tool works again", || agent.raw(Protocol::V0_3).send("echo").text == "tool said: Echo: hello");
}

fn lost_sessions_are_replaced_within_the_call(language: Language) {
    let alpha = McpServer::start([looking()]);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha.url()).start();
    agent.wait_for_tool(&model, "alpha__look");
    for loss in [Loss::NotFound, Loss::NotFoundBare, Loss::BadRequest, Loss::BadRequestNullId] {
        alpha.set(|manners| manners.loss = loss);
        alpha.forget_sessions();
        let answer = agent.raw(Protocol::V1_0).send("look");
        assert_eq!(answer.text, "tool said: looked", "{loss:?}");
    }
}

fn list_changed_notifications_update_the_tools(language: Language) {
    let alpha = McpServer::start([looking()]);
    let model = ModelServer::calling("alpha__listen", json!({}));
    let agent = launch(language, &model, &alpha.url()).start();
    agent.wait_for_tool(&model, "alpha__look");
    eventually("the agent listens", || alpha.listeners() > 0);

    alpha.replace_tools([McpTool::says("listen", "heard")]);
    alpha.announce_change();
    agent.wait_for_tool(&model, "alpha__listen");
    assert!(!agent.offered(&model).contains(&"alpha__look".to_owned()));
    agent.raw(Protocol::V1_0).send("listen").completed_with("tool said: heard");
}

fn refreshes_update_the_tools(language: Language) {
    let alpha = McpServer::start([looking()]);
    alpha.set(|manners| manners.get = Get::Refused);
    let model = ModelServer::calling("alpha__listen", json!({}));
    let agent = launch(language, &model, &alpha.url()).env("A2A_MCP_REFRESH_INTERVAL", "200ms").start();
    agent.wait_for_tool(&model, "alpha__look");
    alpha.replace_tools([McpTool::says("listen", "heard")]);
    agent.wait_for_tool(&model, "alpha__listen");
    agent.raw(Protocol::V1_0).send("listen").completed_with("tool said: heard");
}

fn lists_tools_from_all_pages(language: Language) {
    let names = ["first", "second", "third", "fourth", "fifth"];
    let alpha = McpServer::start(names.map(|name| McpTool::says(name, format!("did {name}"))));
    alpha.set(|manners| manners.listing = Listing::Pages(2));
    let model = ModelServer::calling("alpha__fifth", json!({}));
    let agent = launch(language, &model, &alpha.url()).start();
    agent.wait_for_tool(&model, "alpha__fifth");
    let offered = agent.offered(&model);
    for name in names {
        assert!(offered.contains(&format!("alpha__{name}")), "{offered:?}");
    }
    assert_eq!(alpha.count("tools/list"), 3);
    agent.raw(Protocol::V1_0).send("fifth").completed_with("tool said: did fifth");
}

/// A server that handles one request at a time cannot list its tools during a call.
fn refreshes_do_not_interrupt_running_calls(language: Language) {
    let alpha = McpServer::start([looking().after(Duration::from_secs(3))]);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha.url());
    let agent = agent.env("A2A_MCP_REFRESH_INTERVAL", "500ms").env("A2A_MCP_DIAL_TIMEOUT", "500ms").start();
    agent.wait_for_tool(&model, "alpha__look");
    alpha.set(|manners| manners.one_at_a_time = true);
    looks(&agent);
    assert_eq!((alpha.count("initialize"), alpha.count("tools/call")), (1, 1));
}

fn rejected_calls_are_not_repeated(language: Language) {
    let alpha = McpServer::start([looking()]);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha.url()).start();
    agent.wait_for_tool(&model, "alpha__look");
    alpha.set(|manners| manners.refusal = Some((400, "the court is not in session")));
    let refused = agent.raw(Protocol::V1_0).send("look");
    assert_eq!(refused.state, "completed", "{refused:?}");
    assert!(!refused.text.contains("looked"), "{refused:?}");
    assert_eq!((alpha.count("initialize"), alpha.count("tools/call")), (1, 1));
}

fn accepts_notifications_before_the_response(language: Language) {
    let alpha = McpServer::start([looking()]);
    let after_a_notification = |body: &str| {
        let notice =
            r#"{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "first"}}"#;
        format!("event: message\ndata: {notice}\n\nevent: message\ndata: {body}\n\n")
    };
    alpha.set(|manners| manners.answers = Answers::Events(after_a_notification));
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha.url()).start();
    agent.wait_for_tool(&model, "alpha__look");
    looks(&agent);
}

fn works_without_a_response_to_the_get_request(language: Language) {
    let alpha = McpServer::start([looking()]);
    alpha.set(|manners| manners.get = Get::Hang);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha.url()).env("A2A_MCP_DIAL_TIMEOUT", "1s").start();
    agent.wait_for_tool(&model, "alpha__look");
    looks(&agent);
}

fn one_dead_server_does_not_affect_other_servers(language: Language) {
    let (alpha, beta) = (McpServer::down([]), McpServer::start([looking()]));
    let model = ModelServer::start(|request| match request.tool_answers().last() {
        Some(answer) => Reply::text(answer),
        None => Reply::call("beta__look", json!({})),
    });
    let agent = language
        .agent(&manifests::two_servers())
        .model(&model)
        .env("ALPHA_URL", alpha.url())
        .env("BETA_URL", beta.url())
        .env("ALPHA_TOKEN", "token")
        .env("BETA_TEAM", "sky")
        .start();
    agent.wait_for_tool(&model, "beta__look");
    agent.raw(Protocol::V1_0).send("look").completed_with("looked");
    assert_eq!(beta.count("initialize"), 1);
}
