//! Push notifications: disabled by default; if enabled, they cannot reach the agent's own network.

use std::sync::{Arc, Mutex};

use axum::{Router, routing::post};
use serde_json::json;

use super::support::{Language, LocalServer, ModelServer, Protocol, Reply, each_language, lock, manifests};

each_language![never_calls_registered_local_urls, rejects_push_notifications_if_disabled,];

fn never_calls_registered_local_urls(language: Language) {
    let calls: Arc<Mutex<usize>> = Arc::default();
    let count = calls.clone();
    let hook = LocalServer::start(Router::new().route("/hook", post(async move || *lock(&count) += 1)));
    let model = ModelServer::start(|_| Reply::text("hello"));
    let agent = language.agent(&manifests::with_push()).model(&model).start();
    assert_eq!(agent.get("/.well-known/agent-card.json").1["capabilities"]["pushNotifications"], true);

    let client = agent.raw(Protocol::V0_3);
    let (method, mut parameters) = client.request(&json!({"do": "send", "text": "hi"}));
    let address = format!("{}/hook", hook.url());
    parameters["configuration"]["pushNotificationConfig"] = json!({"url": address});
    let task = client.call(method, &parameters)["result"].clone();
    assert_eq!(task["status"]["state"], "completed", "{task}");
    let registered = client.call("tasks/pushNotificationConfig/list", &json!({"id": task["id"]}));
    assert_eq!(registered["result"][0]["pushNotificationConfig"]["url"], address.as_str(), "{registered}");
    assert_eq!(*lock(&calls), 0);
}

fn rejects_push_notifications_if_disabled(language: Language) {
    let model = ModelServer::start(|_| Reply::text("hello"));
    let agent = language.agent(&manifests::switched_off()).model(&model).start();
    let client = agent.raw(Protocol::V0_3);
    let (method, mut parameters) = client.request(&json!({"do": "send", "text": "hi"}));
    parameters["configuration"]["pushNotificationConfig"] = json!({"url": "http://127.0.0.1:9/hook"});
    let response = client.call(method, &parameters);
    assert_eq!(response["error"]["code"], -32003, "{response}");
}
