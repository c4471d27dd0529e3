//! End to end: a message reaches the model, the model calls a tool, and the tool's result reaches the A2A client, with
//! both protocols, raw requests and the official clients.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::support::{
    Client, EverythingServer, Language, Launch, McpServer, McpTool, ModelServer, OfficialClient, Protocol, Reply,
    each_language, eventually, manifests, needs, text_of,
};

each_language![
    raw_requests_get_the_tool_result,
    the_official_go_client_gets_the_tools_answer_in_both_protocols,
    the_official_python_client_gets_the_tools_answer_in_both_protocols,
    the_official_typescript_client_gets_the_tools_answer_in_both_protocols,
    the_tools_of_server_everything_are_offered_and_answer,
    own_and_server_tools_with_the_same_name_can_be_called,
    own_tools_have_a_schema_and_can_be_called,
    selector_tools_replace_many_tools,
    streams_text_before_the_model_finishes,
    streams_complete_text_before_a_slow_tool,
    rejects_invalid_parameters,
    listing_tasks_requires_a_context,
    rejects_unknown_protocol_versions,
    requests_without_a_version_use_protocol_0_3,
    disabled_streaming_is_rejected_and_not_announced,
    protocol_1_0_disables_0_3,
    agents_without_a_model_use_the_handler,
    oldest_ended_tasks_are_removed_first,
];

/// A server with a tool `look` that returns its argument.
fn looking() -> McpServer {
    McpServer::start([McpTool::new(
        "look",
        |arguments| json!({"content": [{"type": "text", "text": format!("saw {}", arguments["text"].as_str().unwrap())}]}),
    )])
}

/// A model that never answers `wait`, and otherwise calls the tool `look` through `mcp_call_tool` with the user's
/// message.
fn curious() -> ModelServer {
    ModelServer::start(|request| match request.tool_answers().last() {
        Some(answer) => Reply::text(format!("I {answer}")),
        None if request.user() == "wait" => Reply::Hang,
        None => Reply::call("mcp_call_tool", json!({"name": "look", "arguments": {"text": request.user()}})),
    })
}

fn launch(language: Language, model: &ModelServer, alpha: &McpServer) -> Launch {
    language.agent(&manifests::one_server()).model(model).env("ALPHA_URL", alpha.url())
}

/// Sends, reads, streams and cancels, and expects the tool's result each time.
fn converses(client: &mut dyn Client) {
    let sent = client.send("the moon");
    sent.completed_with("I saw the moon");
    client.get(&sent.task).completed_with("I saw the moon");

    let streamed = client.stream("the sun");
    streamed.completed_with("I saw the sun");
    assert!(streamed.states.contains(&"working".to_owned()), "{streamed:?}");

    let waiting = client.begin("wait");
    assert!(["submitted", "working"].contains(&waiting.state.as_str()), "{waiting:?}");
    let cancelled = client.cancel(&waiting.task);
    assert_eq!(cancelled.state, "canceled", "{cancelled:?}");
    assert_eq!(client.get(&waiting.task).state, "canceled");
    assert!(client.cancel(&sent.task).error.is_some(), "a completed task cannot be cancelled");
    assert!(client.get("no-such-task").error.is_some());
}

fn raw_requests_get_the_tool_result(language: Language) {
    let (model, alpha) = (curious(), looking());
    let agent = launch(language, &model, &alpha).start();
    agent.wait_for_tool(&model, "alpha__look");
    for protocol in Protocol::ALL {
        converses(&mut agent.raw(protocol));
    }
}

fn the_official_go_client_gets_the_tools_answer_in_both_protocols(language: Language) {
    let (model, alpha) = (curious(), looking());
    let agent = launch(language, &model, &alpha).start();
    agent.wait_for_tool(&model, "alpha__look");
    for protocol in Protocol::ALL {
        converses(&mut OfficialClient::go(&agent, protocol));
    }
}

fn the_official_python_client_gets_the_tools_answer_in_both_protocols(language: Language) {
    needs!(Python);
    let (model, alpha) = (curious(), looking());
    let agent = launch(language, &model, &alpha).start();
    agent.wait_for_tool(&model, "alpha__look");
    for protocol in Protocol::ALL {
        converses(&mut OfficialClient::python(&agent, protocol));
    }
}

fn the_official_typescript_client_gets_the_tools_answer_in_both_protocols(language: Language) {
    needs!(Npm);
    let (model, alpha) = (curious(), looking());
    let agent = launch(language, &model, &alpha).start();
    agent.wait_for_tool(&model, "alpha__look");
    for protocol in Protocol::ALL {
        converses(&mut OfficialClient::typescript(&agent, protocol));
    }
}

fn the_tools_of_server_everything_are_offered_and_answer(language: Language) {
    needs!(Node);
    let everything = EverythingServer::start();
    let model = ModelServer::calling("alpha__get-sum", json!({"a": 19, "b": 23}));
    let agent = language.agent(&manifests::one_server()).model(&model).env("ALPHA_URL", everything.url()).start();
    agent.wait_for_tool(&model, "alpha__echo");
    let offered = agent.offered(&model);
    for tool in ["alpha__get-sum", "word_count", "alpha__touch", "input_required", "mcp_list_tools", "mcp_call_tool"] {
        assert!(offered.contains(&tool.to_owned()), "{tool} is not among {offered:?}");
    }
    for protocol in Protocol::ALL {
        let answer = agent.raw(protocol).send("add 19 and 23");
        assert!(answer.text.starts_with("tool said: ") && answer.text.contains("42"), "{answer:?}");
    }
}

fn own_and_server_tools_with_the_same_name_can_be_called(language: Language) {
    let alpha = McpServer::start([McpTool::says("touch", "the server touched"), McpTool::says("look", "looked")]);
    let model = ModelServer::start(|request| {
        let renamed = request.tools().into_iter().find(|tool| tool.starts_with("alpha__touch_")).unwrap_or_default();
        let tool = if request.user() == "own" { "alpha__touch".to_owned() } else { renamed };
        match request.tool_answers().last() {
            Some(answer) => Reply::text(answer),
            None => Reply::call(tool, json!({"text": "up"})),
        }
    });
    let agent = launch(language, &model, &alpha).start();
    agent.wait_for_tool(&model, "alpha__look");
    let mut client = agent.raw(Protocol::V1_0);
    client.send("the server's").completed_with("the server touched");
    let own = client.send("own");
    assert_eq!(own.state, "completed", "{own:?}");
    assert_ne!(own.text, "the server touched");
    assert_eq!(alpha.count("tools/call"), 1);
}

fn own_tools_have_a_schema_and_can_be_called(language: Language) {
    let (model, alpha) = (ModelServer::calling("word_count", json!({"text": "one two"})), looking());
    let agent = launch(language, &model, &alpha).start();
    agent.raw(Protocol::V0_3).send("count").completed_with("tool said: 2 words");
    let request = &model.asked()[0];
    let offered = request.body["tools"].as_array().unwrap();
    let own = offered.iter().find(|tool| tool["function"]["name"] == "word_count").unwrap();
    assert_eq!(own["function"]["description"], "Counts the words of a text.");
    assert_eq!(own["function"]["parameters"]["properties"]["text"]["type"], "string");
    assert_eq!(own["function"]["parameters"]["required"], json!(["text"]));
    assert_eq!(alpha.count("tools/call"), 0);
}

fn selector_tools_replace_many_tools(language: Language) {
    let alpha = McpServer::start(["look", "listen", "touch"].map(|name| McpTool::says(name, format!("did {name}"))));
    let model = ModelServer::start(|request| match request.tool_answers().len() {
        0 => Reply::call("mcp_list_tools", json!({"search": "listen"})),
        1 => Reply::call("mcp_call_tool", json!({"name": "listen", "server": "alpha", "arguments": {}})),
        _ => Reply::text(request.tool_answers().join("|")),
    });
    let agent = launch(language, &model, &alpha).env("A2A_MCP_DIRECT_TOOLS", "2").start();
    let mut client = agent.raw(Protocol::V1_0);
    eventually("the tool is called", || client.send("listen").text.ends_with("did listen"));
    let offered = agent.offered(&model);
    assert!(offered.iter().all(|tool| !tool.contains("listen")), "{offered:?}");
    assert!(offered.contains(&"mcp_call_tool".to_owned()), "{offered:?}");

    let answer = client.send("listen");
    let (list, called) = answer.text.split_once('|').unwrap_or_else(|| panic!("{answer:?}"));
    assert_eq!(called, "did listen");
    let list: Value = serde_json::from_str(list).unwrap();
    assert_eq!(list["count"], 1);
    assert_eq!(list["tools"][0]["server"], "alpha");
    assert_eq!(list["tools"][0]["name"], "listen");
    assert_eq!(list["tools"][0]["description"], "Does listen.");
    assert_eq!(list["tools"][0]["input_schema"]["type"], "object");
}

fn streams_text_before_the_model_finishes(language: Language) {
    let model = ModelServer::start(|_| {
        Reply::Slowly(["a slow ", "and long ", "answer"].map(str::to_owned).into(), Duration::from_secs(1))
    });
    let alpha = looking();
    let agent = launch(language, &model, &alpha).start();
    for protocol in Protocol::ALL {
        let client = agent.raw(protocol);
        let (method, parameters) = client.request(&json!({"do": "stream", "text": "slowly"}));
        let begun = Instant::now();
        let first_text = client.events(method, &parameters).find(|event| event.to_string().contains("a slow"));
        assert!(first_text.is_some());
        assert!(begun.elapsed().as_millis() < 1900, "the first piece took {:?}", begun.elapsed());
        agent.raw(protocol).stream("slowly").completed_with("a slow and long answer");
    }
}

fn streams_complete_text_before_a_slow_tool(language: Language) {
    let alpha = McpServer::start([McpTool::says("look", "looked").after(Duration::from_secs(3))]);
    let model = ModelServer::start(|request| match request.tool_answers().len() {
        0 => Reply::TextAndCall("let me look at the sky".to_owned(), ("alpha__look".to_owned(), json!({}))),
        _ => Reply::text(" done"),
    });
    let agent = launch(language, &model, &alpha).start();
    agent.wait_for_tool(&model, "alpha__look");
    for protocol in Protocol::ALL {
        let client = agent.raw(protocol);
        let (method, parameters) = client.request(&json!({"do": "stream", "text": "slowly"}));
        let begun = Instant::now();
        let mut text = String::new();
        for event in client.events(method, &parameters) {
            let update = &event["result"];
            let artifact = if update["artifact"].is_object() { update } else { &update["artifactUpdate"] };
            text += &text_of(&artifact["artifact"]);
            if text.contains("sky") {
                break;
            }
        }
        assert_eq!(text, "let me look at the sky");
        assert!(begun.elapsed().as_millis() < 2500, "the text took {:?}", begun.elapsed());
    }
}

fn rejects_invalid_parameters(language: Language) {
    let (model, alpha) = (curious(), looking());
    let agent = launch(language, &model, &alpha).start();
    for protocol in Protocol::ALL {
        let client = agent.raw(protocol);
        let (send, good) = client.request(&json!({"do": "send", "text": "hi"}));
        let (get, _) = client.request(&json!({"do": "get", "task": "x"}));
        let mut faults = vec![json!(null), json!("text"), json!(7), json!([]), json!({}), json!({"message": null})];
        for (pointer, value) in
            [("/message/parts", json!([null])), ("/message/parts", json!("text")), ("/message", json!([]))]
        {
            let mut parameters = good.clone();
            *parameters.pointer_mut(pointer).unwrap() = value;
            faults.push(parameters);
        }
        let requests =
            faults.iter().map(|parameters| json!({"jsonrpc": "2.0", "id": 1, "method": send, "params": parameters}));
        let others = [
            json!({"jsonrpc": "2.0", "id": 1, "method": send}),
            json!({"jsonrpc": "2.0", "id": 1, "method": get, "params": "x"}),
        ];
        for request in requests.chain(others) {
            let (_, answer) = client.send_body(&request.to_string());
            assert_eq!(answer["error"]["code"], -32602, "{protocol:?} {request}: {answer}");
        }
    }
    assert!(!agent.log().to_lowercase().contains("panic"), "{}", agent.log());
    assert!(model.asked().is_empty());
}

/// All callers are equal without authentication, so tasks are only listed for a given context, whose id only its
/// participants know.
fn listing_tasks_requires_a_context(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let agent = launch(language, &model, &looking()).start();
    let mut client = agent.raw(Protocol::V1_0);
    let (first, second) = (client.send("hi"), client.send("hi"));
    let all = client.call("ListTasks", &json!({}));
    assert_eq!(all["error"]["code"], -32602, "{all}");
    let own = client.call("ListTasks", &json!({"contextId": first.context}));
    let listed: Vec<_> = own["result"]["tasks"].as_array().unwrap().iter().map(|task| &task["id"]).collect();
    assert_eq!(listed, [&first.task], "{own}");
    assert_ne!(first.context, second.context);
}

fn rejects_unknown_protocol_versions(language: Language) {
    let (model, alpha) = (curious(), looking());
    let agent = launch(language, &model, &alpha).start();
    let client = agent.raw(Protocol::V1_0);
    let (method, parameters) = client.request(&json!({"do": "send", "text": "the moon"}));
    assert_eq!(client.call_as("7.0", method, &parameters)["error"]["code"], -32009);
}

fn requests_without_a_version_use_protocol_0_3(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let alpha = looking();
    let agent = launch(language, &model, &alpha).argument("start").start();
    for path in ["/", "/a2a", "/a2a/"] {
        let client = agent.raw(Protocol::V0_3).at(&agent.url(), path);
        let (method, parameters) = client.request(&json!({"do": "send", "text": "hi"}));
        let response = client.call_as("", method, &parameters);
        assert_eq!(response["result"]["status"]["state"], "completed", "{path}: {response}");
        assert_eq!(response["result"]["kind"], "task");
    }
}

fn disabled_streaming_is_rejected_and_not_announced(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let alpha = looking();
    let agent = launch(language, &model, &alpha).env("A2A_CAPABILITIES_STREAMING", "false").start();
    let card = agent.get("/.well-known/agent-card.json").1;
    assert_ne!(card["capabilities"]["streaming"], true, "{card:#}");
    for protocol in Protocol::ALL {
        let mut client = agent.raw(protocol);
        assert!(client.stream("hi").error.is_some(), "{protocol:?}");
        client.send("hi").completed_with("hello");
    }
}

fn protocol_1_0_disables_0_3(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let agent = language.agent(&manifests::only_1_0()).model(&model).start();
    agent.raw(Protocol::V1_0).send("hi").completed_with("hello");
    agent.raw(Protocol::V1_0).stream("hi").completed_with("hello");
    assert!(agent.raw(Protocol::V0_3).send("hi").error.is_some());
}

fn agents_without_a_model_use_the_handler(language: Language) {
    let agent = language.agent(&manifests::without_model()).start();
    for protocol in Protocol::ALL {
        let mut client = agent.raw(protocol);
        client.send("hi").completed_with("heard hi");
        client.stream("hi").completed_with("heard hi");
        let waiting = client.send("ask");
        assert_eq!((waiting.state.as_str(), waiting.message.as_str()), ("input-required", "what?"), "{waiting:?}");
        client.reply(&waiting, "that").completed_with("heard that");
        let failed = client.send("fail");
        assert_eq!((failed.state.as_str(), failed.message.as_str()), ("failed", "no luck today"), "{failed:?}");
        let panicked = client.send("panic");
        assert_eq!(panicked.state, "failed", "{panicked:?}");
        assert!(!panicked.message.contains("mistake"), "the client must not see the panic message: {panicked:?}");
    }
    assert_eq!(agent.get("/health").0, 200);
}

fn oldest_ended_tasks_are_removed_first(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let alpha = looking();
    let agent = launch(language, &model, &alpha).env("A2A_TASK_RETENTION_MAX_COMPLETED_TASKS", "2").start();
    let mut client = agent.raw(Protocol::V1_0);
    let tasks: Vec<_> = (0..4).map(|_| client.send("hi").task).collect();
    eventually("the oldest task is gone", || client.get(&tasks[0]).error.is_some());
    client.get(&tasks[3]).completed_with("hello");
}
