//! Headers and other secrets: each reaches its own server and nobody else.

use std::{fs, path::Path};

use serde_json::json;

use super::support::{
    Agent, Client, Language, Launch, McpServer, McpTool, ModelServer, Protocol, Reply, Signal, each_language,
    eventually, manifests,
};

each_language![
    headers_from_variables_reach_their_server_with_every_request_and_no_other,
    a_redirect_to_another_origin_is_refused_and_named,
    a_redirect_that_loses_the_message_is_named_with_its_target,
    a_redirect_within_the_host_keeps_the_headers,
    a_missing_variable_stops_the_start_and_is_named_with_server_and_field,
    servers_of_the_variable_alone_get_the_headers_of_the_variable,
    a_credential_written_in_the_manifest_is_asked_for_as_a_variable,
    no_secret_reaches_the_log_or_the_client,
];

fn looking() -> McpServer {
    McpServer::start([McpTool::says("look", "looked")])
}

fn model() -> ModelServer {
    ModelServer::calling("alpha__look", json!({}))
}

fn launch(language: Language, model: &ModelServer, alpha: &McpServer, beta: &McpServer) -> Launch {
    let agent = language.agent(&manifests::two_servers()).model(model);
    let agent = agent.env("ALPHA_URL", alpha.url()).env("BETA_URL", beta.url());
    agent.env("ALPHA_TOKEN", "alpha-secret").env("BETA_TEAM", "beta-secret")
}

/// Whether any header of any request to this server holds the text.
fn saw(server: &McpServer, text: &str) -> bool {
    server
        .seen()
        .iter()
        .any(|seen| seen.headers.values().any(|value| String::from_utf8_lossy(value.as_bytes()).contains(text)))
}

fn headers_from_variables_reach_their_server_with_every_request_and_no_other(language: Language) {
    let (model, alpha, beta) = (model(), looking(), looking());
    let agent = launch(language, &model, &alpha, &beta).start();
    agent.wait_for_tool(&model, "alpha__look");
    agent.wait_for_tool(&model, "beta__look");
    agent.raw(Protocol::V1_0).send("look").completed_with("tool said: looked");
    eventually("both streams are open", || alpha.listeners() == 1 && beta.listeners() == 1);
    for (server, header, value) in
        [(&alpha, "authorization", "Bearer alpha-secret"), (&beta, "x-team", "team beta-secret")]
    {
        for seen in server.seen() {
            assert_eq!(seen.header(header), value, "{} {}", seen.http, seen.method);
        }
    }
    assert!(!saw(&alpha, "beta-secret") && !saw(&beta, "alpha-secret"));
    assert!(!saw(&alpha, "scripted-key") && !saw(&beta, "scripted-key"), "the model's key is the model's");
    assert!(model.asked().iter().all(|request| request.authorization == "Bearer scripted-key"));
}

fn a_redirect_to_another_origin_is_refused_and_named(language: Language) {
    let (model, alpha, beta) = (model(), looking(), looking());
    let (other_port, other_name) = (looking(), looking());
    alpha.set(|manners| manners.redirect = Some((307, format!("{}/mcp", other_port.url()))));
    beta.set(|manners| manners.redirect = Some((308, format!("{}/mcp", other_name.localhost_url()))));
    let agent = launch(language, &model, &alpha, &beta).start();
    for target in [other_port.url(), other_name.localhost_url()] {
        eventually("the redirect is in the log", || agent.log().contains(&target));
    }
    assert!(other_port.seen().is_empty() && other_name.seen().is_empty(), "nothing is sent there");
}

fn a_redirect_that_loses_the_message_is_named_with_its_target(language: Language) {
    let (model, alpha, beta) = (model(), looking(), looking());
    alpha.set(|manners| manners.redirect = Some((301, format!("{}/moved", alpha.url()))));
    let agent = launch(language, &model, &alpha, &beta).start();
    let target = format!("{}/moved", alpha.url());
    eventually("status and target are in the log", || {
        agent.log().lines().any(|line| line.contains("alpha") && line.contains("301") && line.contains(&target))
    });
}

fn a_redirect_within_the_host_keeps_the_headers(language: Language) {
    let (model, alpha, beta) = (model(), looking(), looking());
    alpha.set(|manners| manners.redirect = Some((307, format!("{}/moved", alpha.url()))));
    let agent = launch(language, &model, &alpha, &beta).start();
    agent.wait_for_tool(&model, "alpha__look");
    assert!(
        alpha
            .seen()
            .iter()
            .filter(|seen| seen.path == "/moved")
            .all(|seen| seen.header("authorization") == "Bearer alpha-secret")
    );
    agent.raw(Protocol::V1_0).send("look").completed_with("tool said: looked");
}

fn a_missing_variable_stops_the_start_and_is_named_with_server_and_field(language: Language) {
    let (model, alpha, beta) = (model(), looking(), looking());
    let missing = |name: &str| launch(language, &model, &alpha, &beta).without(name).end();
    missing("ALPHA_TOKEN").refused_naming(&["ALPHA_TOKEN", "alpha", "Authorization"]);
    missing("BETA_TEAM").refused_naming(&["BETA_TEAM", "beta", "X-Team"]);
    missing("BETA_URL").refused_naming(&["BETA_URL", "beta", "url"]);
    assert!(alpha.seen().is_empty(), "nobody is called before all is known");
}

fn servers_of_the_variable_alone_get_the_headers_of_the_variable(language: Language) {
    let (model, alpha, beta, stranger) = (model(), looking(), looking(), looking());
    let with_headers = |headers: &str| {
        launch(language, &model, &alpha, &beta)
            .env("A2A_MCP_SERVERS", format!("{},{}", alpha.url(), stranger.url()))
            .env("A2A_MCP_HEADERS", headers)
    };
    let agent = with_headers("X-Key=${STRANGER_KEY},X-Plain=a=b").env("STRANGER_KEY", "stranger-secret").start();
    agent.wait_for_tool(&model, "alpha__look");
    eventually("the stranger is asked for its tools", || stranger.count("tools/list") > 0);
    for seen in stranger.seen() {
        assert_eq!((seen.header("x-key").as_str(), seen.header("x-plain").as_str()), ("stranger-secret", "a=b"));
    }
    assert!(!saw(&alpha, "stranger-secret") && saw(&alpha, "alpha-secret"));
    assert!(!saw(&stranger, "alpha-secret"));
    with_headers("X-Key=${STRANGER_KEY}").end().refused_naming(&["STRANGER_KEY", "A2A_MCP_HEADERS"]);
    with_headers("no pair").end().refused_naming(&["A2A_MCP_HEADERS"]);
}

fn a_credential_written_in_the_manifest_is_asked_for_as_a_variable(language: Language) {
    let project = language.project(&manifests::literal_credential());
    for file in walkdir::WalkDir::new(&project.directory).into_iter().map(Result::unwrap) {
        assert!(!holds(file.path(), "written-in-the-manifest"), "{}", file.path().display());
    }
    let (model, alpha) = (model(), looking());
    let launch = || Agent::of(project).model(&model).env("ALPHA_URL", alpha.url());
    launch().end().refused_naming(&["A2A_MCP_SECRET_ALPHA_AUTHORIZATION", "alpha", "Authorization"]);
    let agent = launch().env("A2A_MCP_SECRET_ALPHA_AUTHORIZATION", "given-at-start").start();
    agent.wait_for_tool(&model, "alpha__look");
    assert!(alpha.seen().iter().all(|seen| seen.header("authorization") == "Bearer given-at-start"));
}

fn holds(path: &Path, text: &str) -> bool {
    path.is_file() && String::from_utf8_lossy(&fs::read(path).unwrap()).contains(text)
}

fn no_secret_reaches_the_log_or_the_client(language: Language) {
    let (alpha, beta) = (looking(), McpServer::down([]));
    let model = ModelServer::start(|_| Reply::Status(401));
    let beta_url = beta.url().replace("http://", "http://user:hidden-password@");
    let launch =
        launch(language, &model, &alpha, &beta).env("A2A_DEBUG", "true").env("A2A_AGENT_CLIENT_MAX_RETRIES", "0");
    let agent = launch.env("BETA_URL", format!("{beta_url}/?key=hidden-key")).start();
    let failed = agent.raw(Protocol::V1_0).send("look");
    assert_eq!(failed.state, "failed", "{failed:?}");
    alpha.kill();
    agent.signal(Signal::TERM);
    let log = agent.wait().log;
    for secret in ["alpha-secret", "beta-secret", "scripted-key", "hidden-password", "hidden-key"] {
        assert!(!log.contains(secret), "{secret} is in the log:\n{log}");
        assert!(!format!("{failed:?}").contains(secret));
    }
}
