//! Servers with unusual tools, schemas, results or streams: valid parts are used, the rest is ignored and logged.

use serde_json::{Value, json};

use super::support::{
    Agent, Answers, Client, Language, Launch, McpServer, McpTool, ModelServer, Protocol, Reply, each_language,
    eventually, manifests,
};

each_language![
    validates_arguments_of_own_tools,
    repairs_schemas_or_omits_the_tool,
    truncates_and_sanitizes_descriptions,
    logs_tools_that_the_provider_rejects,
    accepts_valid_event_streams,
    keeps_known_content_beside_unknown_content,
];

fn launch(language: Language, model: &ModelServer, alpha: &McpServer) -> Launch {
    language.agent(&manifests::one_server()).model(model).env("ALPHA_URL", alpha.url())
}

/// The tool definitions that the model received last.
fn definitions(agent: &Agent, model: &ModelServer) -> Vec<Value> {
    agent.raw(Protocol::V1_0).send("which tools?");
    model.last().body["tools"].as_array().unwrap().iter().map(|tool| tool["function"].clone()).collect()
}

fn named<'a>(definitions: &'a [Value], name: &str) -> Option<&'a Value> {
    definitions.iter().find(|definition| definition["name"] == name)
}

fn validates_arguments_of_own_tools(language: Language) {
    for arguments in [json!({}), json!({"text": 7}), json!({"text": null})] {
        let model = ModelServer::calling("word_count", arguments.clone());
        let agent = language.agent(&manifests::switched_off()).model(&model).start();
        let answer = agent.raw(Protocol::V1_0).send("go");
        assert_eq!(answer.state, "completed", "{answer:?}");
        let told = model.last().tool_answers().concat();
        assert!(told.contains("text") && !told.contains("words"), "{arguments}: {told}");
    }
}

fn repairs_schemas_or_omits_the_tool(language: Language) {
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

fn truncates_and_sanitizes_descriptions(language: Language) {
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

/// A provider that rejects a request because of one tool identifies the tool by its index.
fn logs_tools_that_the_provider_rejects(language: Language) {
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

fn accepts_valid_event_streams(language: Language) {
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

fn keeps_known_content_beside_unknown_content(language: Language) {
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
