//! Servers whose tools, schemas, results or streams are unusual: what has a meaning is used, the rest is left out and named.

use serde_json::{Value, json};

use super::support::{
    Agent, Answers, Client, Language, Launch, McpServer, McpTool, ModelServer, Protocol, Reply, each_language,
    eventually, manifests,
};

each_language![
    arguments_are_checked_against_the_schema_of_an_own_tool,
    an_odd_schema_is_repaired_or_its_tool_left_out_and_named,
    a_description_is_cut_and_cleaned,
    a_refused_tool_is_named,
    legal_event_streams_of_any_shape_are_read,
    an_unknown_content_block_is_named_and_the_rest_kept,
];

fn launch(language: Language, model: &ModelServer, alpha: &McpServer) -> Launch {
    language.agent(&manifests::one_server()).model(model).env("ALPHA_URL", alpha.url())
}

/// The definitions that the model was offered last.
fn definitions(agent: &Agent, model: &ModelServer) -> Vec<Value> {
    agent.raw(Protocol::V1_0).send("which tools?");
    model.last().body["tools"].as_array().unwrap().iter().map(|tool| tool["function"].clone()).collect()
}

fn named<'a>(definitions: &'a [Value], name: &str) -> Option<&'a Value> {
    definitions.iter().find(|definition| definition["name"] == name)
}

fn arguments_are_checked_against_the_schema_of_an_own_tool(language: Language) {
    for arguments in [json!({}), json!({"text": 7}), json!({"text": null})] {
        let model = ModelServer::calling("word_count", arguments.clone());
        let agent = language.agent(&manifests::switched_off()).model(&model).start();
        let answer = agent.raw(Protocol::V1_0).send("go");
        assert_eq!(answer.state, "completed", "{answer:?}");
        let told = model.last().tool_answers().concat();
        assert!(told.contains("text") && !told.contains("words"), "{arguments}: {told}");
    }
}

fn an_odd_schema_is_repaired_or_its_tool_left_out_and_named(language: Language) {
    let with_schema = |name: &str, schema: Value| McpTool::says(name, "done").listed_with("inputSchema", schema);
    let alpha = McpServer::start([
        McpTool::says("good", "done"),
        with_schema("null_required", json!({"type": "object", "properties": {}, "required": null})),
        with_schema("bare_array", json!({"type": "object", "properties": {"a": {"type": "array"}}})),
        with_schema("choice", json!({"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}]})),
        with_schema("hopeless", json!({"type": "object", "properties": {"a": {"type": 42}}})),
    ]);
    let model = ModelServer::start(|_| Reply::text("these"));
    let agent = launch(language, &model, &alpha).start();
    agent.wait_for_tool(&model, "alpha__good");
    let offered = definitions(&agent, &model);
    let parameters =
        |name: &str| named(&offered, name).unwrap_or_else(|| panic!("{name}: {offered:?}"))["parameters"].clone();
    assert_eq!(parameters("alpha__null_required"), json!({"type": "object", "properties": {}}));
    assert_eq!(parameters("alpha__bare_array")["properties"]["a"], json!({"type": "array", "items": {}}));
    assert_eq!(parameters("alpha__choice"), json!({"type": "object", "properties": {"a": {"type": "string"}}}));
    assert!(named(&offered, "alpha__hopeless").is_none(), "{offered:?}");
    eventually("tool and server are named", || {
        agent.log().lines().any(|line| line.contains("\"WARN\"") && line.contains("hopeless") && line.contains("alpha"))
    });
}

fn a_description_is_cut_and_cleaned(language: Language) {
    let odd = format!("Looks\u{0}\u{1b}[2J \u{202e}around. {}", "very long ".repeat(20_000));
    let alpha = McpServer::start([McpTool::says("look", "looked").listed_with("description", odd.into())]);
    let model = ModelServer::start(|_| Reply::text("these"));
    let agent = launch(language, &model, &alpha).start();
    agent.wait_for_tool(&model, "alpha__look");
    let offered = definitions(&agent, &model);
    let description = named(&offered, "alpha__look").unwrap()["description"].as_str().unwrap();
    assert!(description.starts_with("Looks") && description.contains("around."), "{description:.200}");
    assert!(description.len() <= 8 << 10, "{} bytes", description.len());
    let odd = |character: char| {
        (character.is_control() && character != '\n') || ('\u{202a}'..='\u{202e}').contains(&character)
    };
    assert!(!description.contains(odd), "{description:.200}");
}

/// A provider that refuses the request because of one tool names it by its number.
fn a_refused_tool_is_named(language: Language) {
    let alpha = McpServer::start([McpTool::says("look", "looked")]);
    let model = ModelServer::start(|request| {
        let place = request.tools().iter().position(|name| name == "alpha__look").unwrap_or_default();
        Reply::Refusal(400, format!("Invalid schema for function: tools[{place}].function.parameters is not valid"))
    });
    let agent = launch(language, &model, &alpha).start();
    agent.wait_for_tool(&model, "alpha__look");
    assert_eq!(agent.raw(Protocol::V1_0).send("go").state, "failed");
    eventually("the log names the tool", || {
        agent.log().lines().any(|line| line.contains("task failed") && line.contains("alpha__look"))
    });
}

fn legal_event_streams_of_any_shape_are_read(language: Language) {
    let shapes: [fn(&str) -> String; 5] = [
        |body| format!("data: {body}\r\r"),
        |body| format!("data: {body}\r\n\r\n"),
        |body| format!("\u{feff}data: {body}\n\n"),
        |body| format!("data\nid\nretry\n: a comment\n\nevent\ndata\ndata:{body}\n\n"),
        |body| format!("event: message\ndata: {}\n\n", body.replacen(':', ":\ndata: ", 1)),
    ];
    let alpha = McpServer::start([McpTool::says("look", "looked")]);
    let model = ModelServer::calling("alpha__look", json!({}));
    for (number, shape) in shapes.into_iter().enumerate() {
        alpha.set(|manners| manners.answers = Answers::Events(shape));
        let agent = launch(language, &model, &alpha).env("A2A_MCP_CALL_TIMEOUT", "5s").start();
        let offers = || agent.offered(&model).contains(&"alpha__look".to_owned());
        eventually(&format!("the tools of shape {number} are read"), offers);
        let answer = agent.raw(Protocol::V1_0).send("look");
        assert_eq!(answer.text, "tool said: looked", "shape {number}: {answer:?}");
    }
}

fn an_unknown_content_block_is_named_and_the_rest_kept(language: Language) {
    let content = json!([{"type": "text", "text": "two moons"}, {"type": "video", "mimeType": "video/mp4", "data": "QUJD"},
        {"type": "text", "text": "and a star"}]);
    let alpha = McpServer::start([McpTool::results("look", json!({"content": content}))]);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha).start();
    agent.wait_for_tool(&model, "alpha__look");
    let answer = agent.raw(Protocol::V1_0).send("look");
    assert_eq!(answer.state, "completed", "{answer:?}");
    let told = model.last().tool_answers().concat();
    assert!(["two moons", "video", "and a star"].iter().all(|part| told.contains(part)), "{told}");
    assert!(!told.contains("QUJD"), "{told}");
}
