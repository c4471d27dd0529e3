//! MCP servers with server-sent events and with commands, in addition to streamable HTTP.

use std::{thread, time::Duration};

use serde_json::json;

use super::support::{
    Agent, Client, EverythingCommand, EverythingServer, Language, Launch, McpServer, McpTool, ModelServer, Protocol,
    Reply, Signal, each_language, eventually, manifests, needs,
};

each_language![
    tools_of_every_transport_can_be_called,
    urls_of_the_variable_can_use_server_sent_events,
    tools_work_after_a_restart_of_an_sse_server,
    killed_commands_are_restarted,
    commands_do_not_see_secrets_of_the_agent,
    commands_end_with_the_agent,
    busy_and_starting_commands_end_with_the_agent,
    failing_commands_do_not_affect_other_servers,
];

/// A model that calls the tool named by the user: `gamma__echo hello` calls it with the message `hello`.
fn obedient() -> ModelServer {
    ModelServer::start(|request| {
        if let Some(answer) = request.tool_answers().last() {
            return Reply::text(answer);
        }
        let said = request.user();
        let (tool, message) = said.split_once(' ').unwrap_or((&said, ""));
        Reply::call(tool, json!({"message": message}))
    })
}

/// An agent with a server of each transport and a long refresh interval.
fn launch(language: Language, model: &ModelServer, alpha: &str, beta: &str, gamma: &EverythingCommand) -> Launch {
    let agent = language.agent(&manifests::three_transports()).model(model);
    let agent = agent.env("ALPHA_URL", alpha).env("BETA_URL", beta).env("GAMMA_SECRET", "told to gamma");
    gamma.provide(agent).env("A2A_MCP_REFRESH_INTERVAL", "1h")
}

/// An agent whose HTTP servers are not running.
fn launch_with_command(language: Language, model: &ModelServer, gamma: &EverythingCommand) -> Launch {
    launch(language, model, "http://127.0.0.1:1", "http://127.0.0.1:1", gamma)
}

fn says(agent: &Agent, server: &str, text: &str) -> bool {
    agent.raw(Protocol::V1_0).send(&format!("{server}__echo {text}")).text == format!("Echo: {text}")
}

fn tools_of_every_transport_can_be_called(language: Language) {
    needs!(Node);
    let (alpha, beta, gamma) = (EverythingServer::start(), EverythingServer::start_sse(), EverythingCommand::new());
    let model = obedient();
    let agent = launch(language, &model, &alpha.url(), &beta.url(), &gamma).start();
    for server in ["alpha", "beta", "gamma"] {
        agent.wait_for_tool(&model, &format!("{server}__echo"));
        for protocol in Protocol::ALL {
            let answer = agent.raw(protocol).send(&format!("{server}__echo heard by {server}"));
            answer.completed_with(&format!("Echo: heard by {server}"));
        }
    }
    assert_eq!(gamma.processes().len(), 1, "one command serves all calls");
}

fn urls_of_the_variable_can_use_server_sent_events(language: Language) {
    needs!(Node);
    let (other, gamma) = (EverythingServer::start_sse(), EverythingCommand::new());
    let model = obedient();
    let nobody = "http://127.0.0.1:1";
    let agent =
        launch(language, &model, nobody, nobody, &gamma).env("A2A_MCP_SERVERS", format!("{}/sse", other.url())).start();
    let offered =
        || agent.offered(&model).into_iter().find(|tool| !tool.starts_with("gamma") && tool.ends_with("__echo"));
    eventually("its tools are offered", || offered().is_some());
    let tool = offered().unwrap();
    agent.raw(Protocol::V1_0).send(&format!("{tool} hello")).completed_with("Echo: hello");
}

fn tools_work_after_a_restart_of_an_sse_server(language: Language) {
    needs!(Node);
    let (mut beta, gamma, model) = (EverythingServer::start_sse(), EverythingCommand::new(), obedient());
    let agent = launch(language, &model, "http://127.0.0.1:1", &beta.url(), &gamma).start();
    agent.wait_for_tool(&model, "beta__echo");
    assert!(says(&agent, "beta", "before"));

    beta.kill();
    let failed = agent.raw(Protocol::V1_0).send("beta__echo meanwhile");
    assert_eq!(failed.state, "completed", "the model is told that the tool failed: {failed:?}");
    assert_ne!(failed.text, "Echo: meanwhile");
    beta.restart();
    eventually("the tool works again", || says(&agent, "beta", "after"));
}

fn killed_commands_are_restarted(language: Language) {
    needs!(Node);
    let (gamma, model) = (EverythingCommand::new(), obedient());
    let agent = launch_with_command(language, &model, &gamma).start();
    agent.wait_for_tool(&model, "gamma__echo");
    for starts in 1..3 {
        assert!(says(&agent, "gamma", "before"));
        assert_eq!((gamma.processes().len(), gamma.running().len()), (starts, 1));
        gamma.kill();
        eventually("the tool works again", || says(&agent, "gamma", "after"));
    }
}

fn commands_do_not_see_secrets_of_the_agent(language: Language) {
    needs!(Node);
    let (gamma, model) = (EverythingCommand::new(), obedient());
    let agent = launch_with_command(language, &model, &gamma).start();
    agent.wait_for_tool(&model, "gamma__get-env");
    let environment = agent.raw(Protocol::V1_0).send("gamma__get-env").text;
    assert!(environment.contains("told to gamma"), "{environment}");
    for secret in ["A2A_", "scripted-key", "ALPHA_URL"] {
        assert!(!environment.contains(secret), "{secret} is in {environment}");
    }
}

fn commands_end_with_the_agent(language: Language) {
    needs!(Node);
    for signal in [Signal::TERM, Signal::INT] {
        let (gamma, model) = (EverythingCommand::new(), obedient());
        let agent = launch_with_command(language, &model, &gamma).start();
        agent.wait_for_tool(&model, "gamma__echo");
        assert_eq!(gamma.running().len(), 1);
        exits_without_processes(&agent, signal, &gamma);
    }
}

fn busy_and_starting_commands_end_with_the_agent(language: Language) {
    needs!(Node);
    let (gamma, model) = (EverythingCommand::new(), obedient());
    let agent = launch_with_command(language, &model, &gamma).env("A2A_SERVER_SHUTDOWN_TIMEOUT", "500ms").start();
    agent.wait_for_tool(&model, "gamma__echo");
    let mut client = agent.raw(Protocol::V1_0);
    let running = thread::spawn(move || client.send("gamma__trigger-long-running-operation"));
    eventually("the model is asked", || !model.asked().is_empty());
    thread::sleep(Duration::from_millis(300));
    exits_without_processes(&agent, Signal::TERM, &gamma);
    assert_eq!(running.join().unwrap().state, "failed");

    let starting = EverythingCommand::new();
    let agent = launch_with_command(language, &model, &starting).start();
    eventually("the command is started", || !starting.processes().is_empty());
    exits_without_processes(&agent, Signal::TERM, &starting);
}

/// Sends the signal and expects exit status 0, with no process of the command left.
#[track_caller]
fn exits_without_processes(agent: &Agent, signal: Signal, command: &EverythingCommand) {
    agent.signal(signal);
    let ended = agent.wait();
    assert_eq!(ended.code, Some(0), "{signal:?}:\n{}", ended.log);
    assert!(ended.took < Duration::from_secs(8), "{signal:?} took {:?}:\n{}", ended.took, ended.log);
    assert!(!ended.log.contains("panic"), "{}", ended.log);
    assert_eq!(command.running(), [], "commands outlive the agent:\n{}", ended.log);
}

fn failing_commands_do_not_affect_other_servers(language: Language) {
    needs!(Node);
    let (alpha, gamma) = (McpServer::start([McpTool::says("look", "looked")]), EverythingCommand::new());
    let model = obedient();
    let launch = launch(language, &model, &alpha.url(), "http://127.0.0.1:1", &gamma);
    let agent = launch.env("PATH", "/no/such/folder").start();
    agent.wait_for_tool(&model, "alpha__look");
    agent.raw(Protocol::V1_0).send("alpha__look").completed_with("looked");
    eventually("the command's failure is logged", || agent.log().contains("node"));
    assert_eq!(gamma.processes(), []);
}
