//! Conversations: concurrent messages, consecutive messages, and questions to the user.

use std::{thread, time::Duration};

use serde_json::json;

use super::support::{
    Client, Language, Launch, McpServer, McpTool, ModelServer, OfficialClient, Protocol, Reply, each_language,
    manifests, needs,
};

each_language![
    concurrent_messages_get_their_own_answers,
    messages_share_the_history_of_their_context,
    history_contains_valid_tool_calls,
    long_conversations_lose_their_oldest_messages,
    input_required_tasks_continue_with_the_next_message,
    input_required_tasks_can_be_cancelled,
    the_official_clients_can_answer_a_question,
];

fn launch(language: Language, model: &ModelServer) -> Launch {
    language.agent(&manifests::switched_off()).model(model)
}

fn concurrent_messages_get_their_own_answers(language: Language) {
    let alpha = McpServer::start([McpTool::new("look", |arguments| {
        json!({"content": [{"type": "text", "text": format!("saw {}", arguments["text"].as_str().unwrap())}]})
    })
    .after(Duration::from_millis(100))]);
    let model = ModelServer::start(|request| match request.tool_answers().last() {
        Some(answer) => Reply::text(format!("{} {answer}", request.user())),
        None => Reply::call("alpha__look", json!({"text": request.user()})),
    });
    let agent = language.agent(&manifests::one_server()).model(&model).env("ALPHA_URL", alpha.url()).start();
    agent.wait_for_tool(&model, "alpha__look");
    let running: Vec<_> = (0..8)
        .map(|number| {
            let mut client = agent.raw(Protocol::ALL[number % 2]);
            let does = ["send", "stream"][number / 2 % 2];
            thread::spawn(move || client.ask(&json!({"do": does, "text": format!("star {number}")})))
        })
        .collect();
    for (number, answer) in running.into_iter().enumerate() {
        answer.join().unwrap().completed_with(&format!("star {number} saw star {number}"));
    }
}

fn messages_share_the_history_of_their_context(language: Language) {
    let model =
        ModelServer::start(|request| Reply::text(format!("you said {}", request.said_by("user").join(" and "))));
    let agent = launch(language, &model).start();
    for (first, second) in [
        (Protocol::V0_3, Protocol::V0_3),
        (Protocol::V1_0, Protocol::V1_0),
        (Protocol::V0_3, Protocol::V1_0),
        (Protocol::V1_0, Protocol::V0_3),
    ] {
        let begun = agent.raw(first).send("moon");
        begun.completed_with("you said moon");
        let continued = agent.raw(second).send_in(&begun.context, "sun");
        continued.completed_with("you said moon and sun");
        assert_eq!(continued.context, begun.context);
        assert_ne!(continued.task, begun.task);
        assert_eq!(model.last().said_by("assistant"), ["you said moon"]);
        assert_eq!(model.last().said_by("system"), ["You look at the sky."]);
        agent.raw(first).send_in(&begun.context, "mars").completed_with("you said moon and sun and mars");
    }
    agent.raw(Protocol::V1_0).send("star").completed_with("you said star");
}

fn history_contains_valid_tool_calls(language: Language) {
    let model = ModelServer::start(|request| match (request.user().as_str(), request.tool_answers().len()) {
        ("count", 0) => Reply::call("word_count", json!({"text": "a b"})),
        ("count", _) => Reply::text("counted"),
        _ => Reply::text("remembered"),
    });
    let agent = launch(language, &model).start();
    let begun = agent.raw(Protocol::V1_0).send("count");
    begun.completed_with("counted");
    agent.raw(Protocol::V1_0).send_in(&begun.context, "and now?").completed_with("remembered");
    let request = model.last();
    for (place, message) in request.messages().iter().enumerate() {
        if message["role"] == "tool" {
            let asked = &request.messages()[..place];
            let caller = asked.iter().rev().find(|earlier| earlier["role"] == "assistant").unwrap();
            assert!(caller["tool_calls"].to_string().contains(message["tool_call_id"].as_str().unwrap()));
        }
    }
    assert_eq!(request.said_by("user"), ["count", "and now?"]);
}

fn long_conversations_lose_their_oldest_messages(language: Language) {
    let model = ModelServer::start(|_| Reply::text("yes"));
    let agent = launch(language, &model).env("A2A_AGENT_CLIENT_MAX_CONVERSATION_HISTORY", "4").start();
    let mut client = agent.raw(Protocol::V1_0);
    let context = client.send("message 0").context;
    for number in 1..8 {
        client.send_in(&context, &format!("message {number}")).completed_with("yes");
    }
    let said = model.last().said_by("user");
    assert_eq!(said.last().unwrap(), "message 7");
    assert!(said.contains(&"message 6".to_owned()) && !said.contains(&"message 3".to_owned()), "{said:?}");
    assert_eq!(model.last().said_by("system"), ["You look at the sky."]);
}

/// A model that asks which moon to look at until it knows.
fn asking() -> ModelServer {
    ModelServer::start(|request| {
        let told = [request.user(), request.tool_answers().concat()].concat();
        if told.contains("phobos") {
            return Reply::text("looking at phobos");
        }
        Reply::call("input_required", json!({"message": "which moon?"}))
    })
}

fn input_required_tasks_continue_with_the_next_message(language: Language) {
    let model = asking();
    let agent = launch(language, &model).start();
    for protocol in Protocol::ALL {
        for does in ["send", "stream"] {
            let mut client = agent.raw(protocol);
            let waiting = client.ask(&json!({"do": does, "text": "look at a moon"}));
            assert_eq!(waiting.state, "input-required", "{waiting:?}");
            assert!(waiting.message.contains("which moon?"), "{waiting:?}");
            assert_eq!(client.get(&waiting.task).state, "input-required");
            let command = json!({"do": does, "text": "phobos", "task": waiting.task, "context": waiting.context});
            let continued = client.ask(&command);
            assert_eq!(continued.state, "completed", "{continued:?}");
            let ended = client.get(&waiting.task);
            ended.completed_with("looking at phobos");
            let conversation = model.last().body["messages"].to_string();
            assert!(conversation.contains("look at a moon") && conversation.contains("which moon?"), "{conversation}");
        }
    }
}

fn input_required_tasks_can_be_cancelled(language: Language) {
    let model = asking();
    let agent = launch(language, &model).start();
    let cancels = |protocol: Protocol| {
        let mut client = agent.raw(protocol);
        let waiting = client.send("look at a moon");
        assert_eq!(waiting.state, "input-required", "{waiting:?}");
        let cancelled = client.cancel(&waiting.task);
        assert_eq!(cancelled.state, "canceled", "{cancelled:?}");
        assert_eq!(client.get(&waiting.task).state, "canceled");
        assert!(client.reply(&waiting, "phobos").error.is_some(), "a cancelled task does not go on");
    };
    // Concurrent cancellations, some of which coincide with the end of the execution that asked.
    thread::scope(|scope| {
        for protocol in Protocol::ALL.repeat(8) {
            scope.spawn(move || (0..5).for_each(|_| cancels(protocol)));
        }
    });
}

fn the_official_clients_can_answer_a_question(language: Language) {
    needs!(Python, Npm);
    let model = asking();
    let agent = launch(language, &model).start();
    for protocol in Protocol::ALL {
        let go = OfficialClient::go(&agent, protocol);
        let python = OfficialClient::python(&agent, protocol);
        let typescript = OfficialClient::typescript(&agent, protocol);
        for mut client in [go, python, typescript] {
            let waiting = client.send("look at a moon");
            assert_eq!((waiting.state.as_str(), waiting.message.as_str()), ("input-required", "which moon?"));
            client.reply(&waiting, "phobos").completed_with("looking at phobos");
        }
    }
}
