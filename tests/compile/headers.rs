//! Headers and other secrets are only sent to their own server.

use std::{fs, path::Path};

use serde_json::json;

use super::support::{
    Agent, Client, Language, Launch, McpServer, McpTool, ModelServer, Protocol, Reply, Signal, each_language,
    eventually, manifests,
};

each_language![
    headers_are_sent_only_to_their_server,
    rejects_redirects_to_other_origins,
    logs_redirects_that_lose_the_message,
    redirects_within_the_host_keep_headers,
    missing_variables_prevent_the_start,
    mcp_headers_apply_to_servers_of_the_variable,
    literal_credentials_become_variables,
    secrets_are_not_logged_or_sent_to_clients,
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

/// Whether any header of any request to the server contains the text.
fn saw(server: &McpServer, text: &str) -> bool {
    server
        .seen()
        .iter()
        .any(|seen| seen.headers.values().any(|value| String::from_utf8_lossy(value.as_bytes()).contains(text)))
}

fn headers_are_sent_only_to_their_server(language: Language) {
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
    assert!(!saw(&alpha, "scripted-key") && !saw(&beta, "scripted-key"), "only the model receives its key");
    assert!(model.asked().iter().all(|request| request.authorization == "Bearer scripted-key"));
}

fn rejects_redirects_to_other_origins(language: Language) {
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

fn logs_redirects_that_lose_the_message(language: Language) {
    let (model, alpha, beta) = (model(), looking(), looking());
    alpha.set(|manners| manners.redirect = Some((301, format!("{}/moved", alpha.url()))));
    let agent = launch(language, &model, &alpha, &beta).start();
    let target = format!("{}/moved", alpha.url());
    eventually("status and target are in the log", || {
        agent.log().lines().any(|line| line.contains("alpha") && line.contains("301") && line.contains(&target))
    });
}

fn redirects_within_the_host_keep_headers(language: Language) {
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

fn missing_variables_prevent_the_start(language: Language) {
    let (model, alpha, beta) = (model(), looking(), looking());
    let missing = |name: &str| launch(language, &model, &alpha, &beta).without(name).end();
    missing("ALPHA_TOKEN").refused_naming(&["ALPHA_TOKEN", "alpha", "Authorization"]);
    missing("BETA_TEAM").refused_naming(&["BETA_TEAM", "beta", "X-Team"]);
    missing("BETA_URL").refused_naming(&["BETA_URL", "beta", "url"]);
    assert!(alpha.seen().is_empty(), "no server is called before all variables are known");
}

fn mcp_headers_apply_to_servers_of_the_variable(language: Language) {
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

fn literal_credentials_become_variables(language: Language) {
    let project = language.project(&manifests::literal_credential());
    for file in walkdir::WalkDir::new(&project.directory).into_iter().map(Result::unwrap) {
        assert!(!contains(file.path(), "written-in-the-manifest"), "{}", file.path().display());
    }
    let (model, alpha) = (model(), looking());
    let launch = || Agent::of(project).model(&model).env("ALPHA_URL", alpha.url());
    launch().end().refused_naming(&["A2A_MCP_SECRET_ALPHA_AUTHORIZATION", "alpha", "Authorization"]);
    let agent = launch().env("A2A_MCP_SECRET_ALPHA_AUTHORIZATION", "given-at-start").start();
    agent.wait_for_tool(&model, "alpha__look");
    assert!(alpha.seen().iter().all(|seen| seen.header("authorization") == "Bearer given-at-start"));
}

fn contains(path: &Path, text: &str) -> bool {
    path.is_file() && String::from_utf8_lossy(&fs::read(path).unwrap()).contains(text)
}

fn secrets_are_not_logged_or_sent_to_clients(language: Language) {
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
