//! Tool names: they identify the server and are valid for models.

use std::collections::BTreeSet;

use serde_json::json;

use super::support::{
    Client, Language, Launch, McpServer, McpTool, ModelServer, Protocol, Reply, each_language, eventually, manifests,
};

each_language![
    same_tool_name_on_two_servers_reaches_both,
    mcp_call_tool_requires_the_server_if_ambiguous,
    long_and_invalid_names_become_valid_unique_and_stable,
    servers_of_the_variable_are_named_after_their_url,
    manifest_texts_arrive_unchanged,
];

fn launch(language: Language, model: &ModelServer, alpha: &McpServer, beta: &McpServer) -> Launch {
    let agent = language.agent(&manifests::two_servers()).model(model).env("ALPHA_TOKEN", "t").env("BETA_TEAM", "t");
    agent.env("ALPHA_URL", alpha.url()).env("BETA_URL", beta.url())
}

/// A model that calls the tool named in the user's message.
fn obedient() -> ModelServer {
    ModelServer::start(|request| match request.tool_answers().last() {
        Some(answer) => Reply::text(answer),
        None => Reply::call(request.user(), json!({})),
    })
}

fn is_valid(name: &str) -> bool {
    let tail = |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '-';
    name.len() <= 64 && name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(tail)
}

fn same_tool_name_on_two_servers_reaches_both(language: Language) {
    let alpha = McpServer::start([McpTool::says("look", "alpha looked")]);
    let beta = McpServer::start([McpTool::says("look", "beta looked")]);
    let model = obedient();
    let agent = launch(language, &model, &alpha, &beta).start();
    for (server, text) in [("alpha", "alpha looked"), ("beta", "beta looked")] {
        let tool = format!("{server}__look");
        agent.wait_for_tool(&model, &tool);
        agent.raw(Protocol::V1_0).send(&tool).completed_with(text);
    }
    assert_eq!((alpha.count("tools/call"), beta.count("tools/call")), (1, 1));
}

fn mcp_call_tool_requires_the_server_if_ambiguous(language: Language) {
    let alpha = McpServer::start([McpTool::says("look", "alpha looked")]);
    let beta = McpServer::start([McpTool::says("look", "beta looked")]);
    let model = ModelServer::start(|request| match request.tool_answers().last() {
        Some(answer) => Reply::text(answer),
        None if request.user() == "either" => Reply::call("mcp_call_tool", json!({"name": "look"})),
        None => Reply::call("mcp_call_tool", json!({"name": "look", "server": request.user(), "arguments": {}})),
    });
    let agent = launch(language, &model, &alpha, &beta).start();
    agent.wait_for_tool(&model, "alpha__look");
    agent.wait_for_tool(&model, "beta__look");
    let mut client = agent.raw(Protocol::V1_0);
    client.send("alpha").completed_with("alpha looked");
    client.send("beta").completed_with("beta looked");
    let either = client.send("either").text;
    assert!(either.contains("alpha") && either.contains("beta") && !either.contains("looked"), "{either}");
}

fn long_and_invalid_names_become_valid_unique_and_stable(language: Language) {
    let long = "reads_the_whole_sky_very_slowly_and_then_tells_everything_about_".to_owned();
    let awkward = [
        "a.b",
        "a/b",
        "a b",
        "A.b",
        "a-b",
        "a_b",
        "größe",
        "🔭",
        "__",
        "-dash",
        "1st",
        "look\nup",
        &format!("{long}stars"),
        &format!("{long}moons"),
    ]
    .map(str::to_owned);
    let tools =
        || awkward.clone().into_iter().enumerate().map(|(number, name)| McpTool::says(name, format!("tool {number}")));
    let (alpha, beta) = (McpServer::start(tools().chain([McpTool::says("look", "looked")])), McpServer::start([]));
    let model = obedient();
    let offered = || {
        let agent = launch(language, &model, &alpha, &beta).start();
        agent.wait_for_tool(&model, "alpha__look");
        let offered = agent.offered(&model);
        (agent, offered)
    };
    let (agent, first) = offered();
    assert!(first.iter().all(|name| is_valid(name)), "{first:?}");
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), first.len(), "{first:?}");
    assert!(first.contains(&"alpha__a-b".to_owned()) && first.contains(&"alpha__a_b".to_owned()), "{first:?}");

    let own = ["alpha__look", "alpha__touch", "word_count", "input_required", "mcp_list_tools", "mcp_call_tool"];
    let reached: BTreeSet<_> = first
        .iter()
        .filter(|name| !own.contains(&name.as_str()))
        .map(|name| agent.raw(Protocol::V1_0).send(name).text)
        .collect();
    let expected: BTreeSet<_> = (0..awkward.len()).map(|number| format!("tool {number}")).collect();
    assert_eq!(reached, expected);

    drop(agent);
    assert_eq!(offered().1, first);
}

fn servers_of_the_variable_are_named_after_their_url(language: Language) {
    let tool = || [McpTool::says("look", "looked")];
    let (alpha, beta, stranger) = (McpServer::start(tool()), McpServer::start(tool()), McpServer::start(tool()));
    let model = obedient();
    let urls = |servers: &[&McpServer]| servers.iter().map(|server| server.url()).collect::<Vec<_>>().join(",");
    let strangers = |list: String| {
        let agent = launch(language, &model, &alpha, &beta).env("A2A_MCP_SERVERS", list).start();
        agent.wait_for_tool(&model, "beta__look");
        let port = stranger.url().rsplit(':').next().unwrap().to_owned();
        let named = |offered: Vec<String>| offered.into_iter().filter(|name| name.contains(&port)).collect::<Vec<_>>();
        eventually("the stranger is named after its port", || named(agent.offered(&model)).len() == 1);
        named(agent.offered(&model))
    };
    let first = strangers(urls(&[&stranger, &beta]));
    assert_eq!(strangers(urls(&[&alpha, &beta, &stranger])), first, "another server does not rename its tools");
}

fn manifest_texts_arrive_unchanged(language: Language) {
    let text = manifests::obstacle_course();
    let document = adl::document::parse(adl::diagnostics::FileId::default(), text.as_str()).document.unwrap();
    let (metadata, spec) = (&document.value()["metadata"], &document.value()["spec"]);
    let model = ModelServer::start(|_| Reply::text("these"));
    let launch = language.agent(&text).model(&model).env("ONE", "one").env("KEY", "key");
    let agent = launch.env("A2A_AGENT_CLIENT_PROVIDER", "openai").start();
    let card = agent.get("/.well-known/agent-card.json").1;
    for field in ["name", "description", "version"] {
        assert_eq!(card[field], metadata[field]);
    }
    for field in ["defaultOutputModes", "documentationUrl"] {
        assert_eq!(card[field], spec["card"][field]);
    }
    agent.raw(Protocol::V1_0).send("which tools?").completed_with("these");
    let asked = model.last().body;
    assert_eq!(asked["messages"][0]["content"], spec["agent"]["systemPrompt"]);
    let offered = asked["tools"].as_array().unwrap();
    for tool in spec["tools"].as_array().unwrap() {
        let found = offered.iter().map(|one| &one["function"]).find(|one| one["name"] == tool["name"]);
        let found = found.unwrap_or_else(|| panic!("{}: {offered:?}", tool["name"]));
        assert_eq!(found["description"], tool["description"]);
        assert_eq!(found["parameters"]["properties"], tool["schema"].get("properties").cloned().unwrap_or_default());
    }
}
