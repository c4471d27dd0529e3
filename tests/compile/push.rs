//! Push notifications, where they are switched on.

use std::sync::{Arc, Mutex};

use axum::{Router, body::Bytes, routing::post};
use serde_json::{Value, json};

use super::support::{Agent, LocalServer, ModelServer, Project, Protocol, Reply, eventually, lock, manifests, needs};

#[test]
fn a_registered_address_is_told_when_the_task_is_done() {
    needs!(Go);
    let told: Arc<Mutex<Vec<Value>>> = Arc::default();
    let hear = told.clone();
    let hook = LocalServer::start(
        Router::new()
            .route("/hook", post(async move |body: Bytes| lock(&hear).push(serde_json::from_slice(&body).unwrap()))),
    );
    let model = ModelServer::start(|_| Reply::text("hello"));
    let agent = Agent::of(Project::of(&manifests::switched_off())).model(&model);
    let agent = agent.env("A2A_CAPABILITIES_PUSH_NOTIFICATIONS", "true").start();
    for (protocol, field) in
        [(Protocol::V0_3, "pushNotificationConfig"), (Protocol::V1_0, "taskPushNotificationConfig")]
    {
        lock(&told).clear();
        let client = agent.raw(protocol);
        let (method, mut parameters) = client.request(&json!({"do": "send", "text": "hi"}));
        parameters["configuration"][field] = json!({"url": format!("{}/hook", hook.url())});
        let response = client.call(method, &parameters);
        assert!(response["error"].is_null(), "{response}");
        eventually("the hook hears of the end", || {
            lock(&told).iter().any(|news| news.to_string().to_lowercase().contains("completed"))
        });
    }
}

#[test]
fn push_notifications_are_refused_while_switched_off() {
    needs!(Go);
    let model = ModelServer::start(|_| Reply::text("hello"));
    let agent = Agent::of(Project::of(&manifests::switched_off())).model(&model).start();
    let client = agent.raw(Protocol::V0_3);
    let (method, mut parameters) = client.request(&json!({"do": "send", "text": "hi"}));
    parameters["configuration"]["pushNotificationConfig"] = json!({"url": "http://127.0.0.1:9/hook"});
    let response = client.call(method, &parameters);
    assert_eq!(response["error"]["code"], -32003, "{response}");
}
