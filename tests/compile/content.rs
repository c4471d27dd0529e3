//! What comes back from a tool, and how it reaches the model.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::support::{
    Client, EverythingServer, Language, Launch, McpServer, McpTool, ModelServer, Protocol, each_language, manifests,
    needs,
};

each_language![
    a_call_that_takes_longer_than_its_limit_is_given_up_and_the_model_told,
    a_result_marked_as_an_error_reaches_the_model_as_an_error,
    an_unknown_tool_is_an_error_for_the_model_and_the_agent_goes_on,
    every_kind_of_content_reaches_the_model_as_readable_text,
    structured_content_reaches_the_model_once,
    empty_and_huge_results_reach_the_model,
    the_contents_of_server_everything_reach_the_model_without_base64,
];

fn launch(language: Language, model: &ModelServer, url: &str) -> Launch {
    language.agent(&manifests::one_server()).model(model).env("ALPHA_URL", url)
}

/// Calls a tool with this result and returns what the model is told.
fn told(language: Language, result: Value) -> String {
    let alpha = McpServer::start([McpTool::results("look", result)]);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha.url()).start();
    agent.wait_for_tool(&model, "alpha__look");
    let answer = agent.raw(Protocol::V1_0).send("look");
    assert_eq!(answer.state, "completed", "{answer:?}");
    model.last().tool_answers().concat()
}

fn a_call_that_takes_longer_than_its_limit_is_given_up_and_the_model_told(language: Language) {
    let alpha = McpServer::start([
        McpTool::says("look", "looked").after(Duration::from_secs(20)),
        McpTool::says("quick", "quick"),
    ]);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha.url()).env("A2A_MCP_CALL_TIMEOUT", "500ms").start();
    agent.wait_for_tool(&model, "alpha__look");
    let begun = Instant::now();
    let answer = agent.raw(Protocol::V1_0).send("look");
    assert_eq!(answer.state, "completed", "{answer:?}");
    assert!((500..3000).contains(&begun.elapsed().as_millis()), "{:?}", begun.elapsed());
    let told = model.last().tool_answers().concat();
    assert!(!told.contains("looked") && told.contains("500ms"), "{told}");
    agent.wait_for_tool(&model, "alpha__quick");
}

fn a_result_marked_as_an_error_reaches_the_model_as_an_error(language: Language) {
    let text = told(language, json!({"isError": true, "content": [{"type": "text", "text": "clouds in the way"}]}));
    assert!(text.contains("clouds in the way") && text.to_lowercase().contains("error"), "{text}");
    let text = told(language, json!({"isError": true, "content": []}));
    assert!(text.to_lowercase().contains("error"), "{text:?}");
}

fn an_unknown_tool_is_an_error_for_the_model_and_the_agent_goes_on(language: Language) {
    let alpha = McpServer::start([McpTool::says("look", "looked")]);
    let model = ModelServer::calling("alpha__no_such_tool", json!({}));
    let agent = launch(language, &model, &alpha.url()).start();
    let answer = agent.raw(Protocol::V1_0).send("look");
    assert_eq!(answer.state, "completed", "{answer:?}");
    assert!(model.last().tool_answers().concat().contains("alpha__no_such_tool"), "{answer:?}");
}

fn every_kind_of_content_reaches_the_model_as_readable_text(language: Language) {
    let base64 = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=";
    let text = told(
        language,
        json!({"content": [
            {"type": "text", "text": "two moons"},
            {"type": "image", "mimeType": "image/png", "data": base64},
            {"type": "audio", "mimeType": "audio/wav", "data": base64},
            {"type": "resource", "resource": {"uri": "sky://notes", "mimeType": "text/plain", "text": "noted by hand"}},
            {"type": "resource", "resource": {"uri": "sky://plate", "mimeType": "application/zip", "blob": base64}},
            {"type": "resource_link", "uri": "sky://catalogue", "name": "the catalogue", "description": "all stars"},
        ]}),
    );
    let readable = [
        "two moons",
        "image/png",
        "audio/wav",
        "sky://notes",
        "noted by hand",
        "sky://plate",
        "application/zip",
        "sky://catalogue",
        "the catalogue",
    ];
    for part in readable {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    assert!(!text.contains(base64) && !text.contains("QUJD"), "{text}");
}

fn structured_content_reaches_the_model_once(language: Language) {
    let structured = json!({"moons": 2, "names": ["phobos", "deimos"]});
    let alone = told(language, json!({"content": [], "structuredContent": structured}));
    assert!(alone.contains("phobos") && alone.contains("deimos"), "{alone}");
    let copy = json!({"content": [{"type": "text", "text": structured.to_string()}], "structuredContent": structured});
    assert_eq!(told(language, copy).matches("phobos").count(), 1);
    let beside =
        told(language, json!({"content": [{"type": "text", "text": "see below"}], "structuredContent": structured}));
    assert!(beside.contains("see below") && beside.contains("phobos"), "{beside}");
}

fn empty_and_huge_results_reach_the_model(language: Language) {
    drop(told(language, json!({"content": []})));
    let huge = "star ".repeat(200_000);
    assert!(told(language, json!({"content": [{"type": "text", "text": huge}]})).contains("star star"));
}

fn the_contents_of_server_everything_reach_the_model_without_base64(language: Language) {
    needs!(Node);
    let everything = EverythingServer::start();
    let cases = [
        ("get-tiny-image", json!({}), "image/png"),
        ("get-structured-content", json!({"location": "New York"}), "temperature"),
        ("get-resource-links", json!({"count": 2}), "://"),
        ("get-resource-reference", json!({"resourceType": "Blob", "resourceId": 1}), "://"),
        ("get-annotated-message", json!({"messageType": "error", "includeImage": true}), "image/png"),
    ];
    for (tool, arguments, expected) in cases {
        let model = ModelServer::calling(&format!("alpha__{tool}"), arguments);
        let agent = launch(language, &model, &everything.url()).start();
        agent.wait_for_tool(&model, &format!("alpha__{tool}"));
        let answer = agent.raw(Protocol::V1_0).send("go");
        assert_eq!(answer.state, "completed", "{answer:?}");
        let told = model.last().tool_answers().concat();
        assert!(told.contains(expected), "{tool}: {told}");
        let longest = told.split(|character: char| !character.is_ascii_alphanumeric() && !"+/=".contains(character));
        assert!(longest.map(str::len).max() < Some(60), "{tool} sends base64: {told}");
    }
}
