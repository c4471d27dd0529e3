//! Tool results and how they are passed to the model.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::support::{
    Client, EverythingServer, Language, Launch, McpServer, McpTool, ModelServer, Protocol, each_language, manifests,
    needs,
};

each_language![
    calls_time_out_with_an_error_for_the_model,
    error_results_reach_the_model_as_errors,
    unknown_tools_are_errors_for_the_model,
    content_reaches_the_model_as_readable_text,
    structured_content_reaches_the_model_once,
    empty_and_huge_results_reach_the_model,
    content_of_server_everything_reaches_the_model_without_base64,
];

fn launch(language: Language, model: &ModelServer, url: &str) -> Launch {
    language.agent(&manifests::one_server()).model(model).env("ALPHA_URL", url)
}

/// Calls a tool with this result and returns what the model receives.
fn tool_answer(language: Language, result: Value) -> String {
    let alpha = McpServer::start([McpTool::results("look", result)]);
    let model = ModelServer::calling("alpha__look", json!({}));
    let agent = launch(language, &model, &alpha.url()).start();
    agent.wait_for_tool(&model, "alpha__look");
    let answer = agent.raw(Protocol::V1_0).send("look");
    assert_eq!(answer.state, "completed", "{answer:?}");
    model.last().tool_answers().concat()
}

fn calls_time_out_with_an_error_for_the_model(language: Language) {
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
    let tool_answer = model.last().tool_answers().concat();
    assert!(!tool_answer.contains("looked") && tool_answer.contains("500ms"), "{tool_answer}");
    agent.wait_for_tool(&model, "alpha__quick");
}

fn error_results_reach_the_model_as_errors(language: Language) {
    let text =
        tool_answer(language, json!({"isError": true, "content": [{"type": "text", "text": "clouds in the way"}]}));
    assert!(text.contains("clouds in the way") && text.to_lowercase().contains("error"), "{text}");
    let text = tool_answer(language, json!({"isError": true, "content": []}));
    assert!(text.to_lowercase().contains("error"), "{text:?}");
}

fn unknown_tools_are_errors_for_the_model(language: Language) {
    let alpha = McpServer::start([McpTool::says("look", "looked")]);
    let model = ModelServer::calling("alpha__no_such_tool", json!({}));
    let agent = launch(language, &model, &alpha.url()).start();
    let answer = agent.raw(Protocol::V1_0).send("look");
    assert_eq!(answer.state, "completed", "{answer:?}");
    assert!(model.last().tool_answers().concat().contains("alpha__no_such_tool"), "{answer:?}");
}

fn content_reaches_the_model_as_readable_text(language: Language) {
    let base64 = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=";
    let text = tool_answer(
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
    let alone = tool_answer(language, json!({"content": [], "structuredContent": structured}));
    assert!(alone.contains("phobos") && alone.contains("deimos"), "{alone}");
    let copy = json!({"content": [{"type": "text", "text": structured.to_string()}], "structuredContent": structured});
    assert_eq!(tool_answer(language, copy).matches("phobos").count(), 1);
    let beside = tool_answer(
        language,
        json!({"content": [{"type": "text", "text": "see below"}], "structuredContent": structured}),
    );
    assert!(beside.contains("see below") && beside.contains("phobos"), "{beside}");
}

fn empty_and_huge_results_reach_the_model(language: Language) {
    drop(tool_answer(language, json!({"content": []})));
    let huge = "star ".repeat(200_000);
    assert!(tool_answer(language, json!({"content": [{"type": "text", "text": huge}]})).contains("star star"));
}

fn content_of_server_everything_reaches_the_model_without_base64(language: Language) {
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
        let tool_answer = model.last().tool_answers().concat();
        assert!(tool_answer.contains(expected), "{tool}: {tool_answer}");
        let longest =
            tool_answer.split(|character: char| !character.is_ascii_alphanumeric() && !"+/=".contains(character));
        assert!(longest.map(str::len).max() < Some(60), "{tool} sends base64: {tool_answer}");
    }
}
