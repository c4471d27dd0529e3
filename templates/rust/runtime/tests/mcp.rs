//! The MCP client against scripted servers.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    future::pending,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use agent::{
    mcp::{
        client::McpClient,
        config::{DeclaredServer, Settings, Transport, resolve_servers},
    },
    tool::{Reply, Source},
};
use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::broadcast, time};
use tokio_util::task::AbortOnDropHandle;

/// What the scripted server does next; each test changes a part of it.
#[derive(Clone)]
struct Script {
    tools: Vec<Value>,
    results: Value,
    /// Status, code and message for an unknown session.
    loss: (u16, i64, &'static str),
    /// Makes the response to a request out of its JSON.
    shape: Option<fn(&str) -> String>,
    redirect: Option<(u16, String)>,
    refusal: Option<(u16, &'static str)>,
    initialize_hangs: bool,
    /// Tools per page; the pages never end when it is 0.
    page: usize,
}

struct Server {
    script: Mutex<Script>,
    sessions: Mutex<BTreeSet<String>>,
    seen: Mutex<Vec<(Method, Uri, HeaderMap, Value)>>,
    /// Requests that are not answered.
    hanging: AtomicUsize,
    /// Messages on the streams of sessions: a notice, or the answers of the transport of 2024.
    messages: broadcast::Sender<String>,
    port: u16,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    async fn start(names: &[&str]) -> (Arc<Self>, AbortOnDropHandle<()>) {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let tools = names.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect();
        let script = Script {
            tools,
            results: json!({"content": [{"type": "text", "text": "looked"}]}),
            loss: (404, -32001, "Session not found"),
            shape: None,
            redirect: None,
            refusal: None,
            initialize_hangs: false,
            page: 100,
        };
        let server = Arc::new(Self {
            script: Mutex::new(script),
            sessions: Mutex::default(),
            seen: Mutex::default(),
            hanging: AtomicUsize::new(0),
            messages: broadcast::channel(16).0,
            port: listener.local_addr().unwrap().port(),
        });
        let router = Router::new().fallback(handle).with_state(server.clone());
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        (server, AbortOnDropHandle::new(serving))
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn count(&self, method: &str) -> usize {
        lock(&self.seen).iter().filter(|(.., message)| message["method"] == method).count()
    }

    fn forget_sessions(&self) {
        lock(&self.sessions).clear();
    }

    fn answer(&self, message: &Value) -> Value {
        let script = lock(&self.script).clone();
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}},
                "serverInfo": {"name": "scripted", "version": "1"}}),
            "tools/list" => {
                let first: usize = message["params"]["cursor"].as_str().unwrap_or("0").parse().unwrap();
                let next = first + script.page;
                let page: Vec<_> = script.tools.iter().skip(first).take(script.page.max(1)).collect();
                if next < script.tools.len() {
                    json!({"tools": page, "nextCursor": next.to_string()})
                } else {
                    json!({"tools": page})
                }
            }
            "tools/call" => script.results,
            _ => {
                return json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown method"}});
            }
        };
        json!({"jsonrpc": "2.0", "id": message["id"], "result": result})
    }

    /// A stream of the messages, after the given text.
    fn stream(&self, first: String) -> Response {
        let messages = received(self.messages.subscribe());
        let body = futures::stream::iter([first]).chain(messages).map(Ok::<_, Infallible>);
        ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(body)).into_response()
    }
}

struct Hanging(Arc<Server>);

impl Drop for Hanging {
    fn drop(&mut self) {
        self.0.hanging.fetch_sub(1, Ordering::Relaxed);
    }
}

fn received(receiver: broadcast::Receiver<String>) -> impl futures::Stream<Item = String> + Send {
    futures::stream::unfold(receiver, |mut receiver| async { receiver.recv().await.ok().map(|text| (text, receiver)) })
}

async fn handle(State(server): State<Arc<Server>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body: Bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let session = parts.headers.get("mcp-session-id").map(|id| id.to_str().unwrap().to_owned());
    lock(&server.seen).push((parts.method.clone(), parts.uri.clone(), parts.headers, message.clone()));
    let script = lock(&server.script).clone();
    if let (Some((status, target)), "/mcp") = (script.redirect, parts.uri.path()) {
        return (StatusCode::from_u16(status).unwrap(), [(header::LOCATION, target)]).into_response();
    }
    match (parts.method, parts.uri.path()) {
        (Method::GET, "/sse") => return server.stream("event: endpoint\ndata: /messages\n\n".to_owned()),
        (Method::POST, "/messages") => {
            if !message["id"].is_null() {
                drop(server.messages.send(format!("data: {}\n\n", server.answer(&message))));
            }
            return StatusCode::ACCEPTED.into_response();
        }
        _ if message["method"] == "initialize" && script.initialize_hangs => {
            server.hanging.fetch_add(1, Ordering::Relaxed);
            let _hanging = Hanging(server);
            return pending().await;
        }
        _ => {}
    }
    let known = session.as_ref().is_some_and(|session| lock(&server.sessions).contains(session));
    let json = |body: &Value| ([(header::CONTENT_TYPE, "application/json")], body.to_string());
    if message["method"] == "initialize" {
        let session = format!("session-{}", server.count("initialize"));
        lock(&server.sessions).insert(session.clone());
        return ([("mcp-session-id", session)], json(&server.answer(&message))).into_response();
    }
    if !known {
        let (status, code, text) = script.loss;
        let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": text}});
        return (StatusCode::from_u16(status).unwrap(), json(&error)).into_response();
    }
    if message.is_null() {
        return server.stream(": hello\n\n".to_owned()); // GET, or DELETE which is not looked at
    }
    if message["id"].is_null() {
        return StatusCode::ACCEPTED.into_response();
    }
    if let (Some((status, body)), true) = (script.refusal, message["method"] == "tools/call") {
        return (StatusCode::from_u16(status).unwrap(), body).into_response();
    }
    let answer = server.answer(&message);
    match script.shape {
        None => json(&answer).into_response(),
        Some(shape) => ([(header::CONTENT_TYPE, "text/event-stream")], shape(&answer.to_string())).into_response(),
    }
}

fn settings() -> Settings {
    Settings {
        enabled: true,
        endpoint: "/mcp".to_owned(),
        refresh_interval: Duration::from_secs(3600),
        dial_timeout: Duration::from_secs(5),
        call_timeout: Duration::from_secs(5),
        retry_interval: Duration::from_millis(50),
        retry_max_interval: Duration::from_millis(100),
        direct_tools: 40,
        ..Settings::default()
    }
}

fn declared(transport: &str) -> DeclaredServer {
    let declared = json!({"name": "alpha", "transport": transport, "url": "${URL}",
        "headers": {"Authorization": "Bearer ${TOKEN}"},
        "command": "sh", "args": ["-c", COMMAND], "env": {"GREETING": "${TOKEN}"}});
    serde_json::from_value(declared).unwrap()
}

const ALL: [Transport; 3] = [Transport::Http, Transport::Sse, Transport::Stdio];

/// Connects to a server, which is called `alpha`.
fn connect(url: &str, settings: Settings) -> Arc<McpClient> {
    let settings = Settings { servers: url.to_owned(), ..settings };
    let lookup = |name: &str| Some(if name == "TOKEN" { "secret-token".to_owned() } else { url.to_owned() });
    let servers = resolve_servers(&settings, &[declared("http")], &ALL, &lookup).unwrap();
    let client = McpClient::new(servers, settings, ("agent", "1.0.0"), &[]);
    client.start();
    client
}

async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..500 {
        if holds() {
            return;
        }
        time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not in time: {what}");
}

fn offers(client: &McpClient, name: &str) -> bool {
    client.definitions().iter().any(|definition| definition.name == name)
}

async fn look(client: &McpClient) -> Reply {
    eventually("the tool is offered", || offers(client, "alpha__look")).await;
    client.call("alpha__look", &json!({})).await.unwrap()
}

#[tokio::test]
async fn a_lost_session_is_replaced_within_the_call() {
    let (server, _serving) = Server::start(&["look"]).await;
    let client = connect(&server.url(), settings());
    assert_eq!(look(&client).await, Reply::success("looked"));
    for loss in [
        (404, -32001, "x"),
        (400, -32000, "Bad Request: No valid session ID provided"),
        (400, -32600, "Session expired"),
    ] {
        lock(&server.script).loss = loss;
        server.forget_sessions();
        assert_eq!(look(&client).await, Reply::success("looked"), "{loss:?}");
    }
    assert_eq!(server.count("initialize"), 4);
    lock(&server.script).refusal = Some((400, "the court is not in session"));
    assert!(look(&client).await.is_error);
    assert_eq!(server.count("initialize"), 4);
    client.close().await;
    eventually("the session is deleted", || lock(&server.seen).iter().any(|(method, ..)| method == Method::DELETE))
        .await;
}

#[tokio::test]
async fn event_streams_of_any_shape_are_read() {
    let shapes: [fn(&str) -> String; 5] = [
        |body| format!("data: {body}\r\r"),
        |body| format!("\u{feff}data: {body}\r\n\r\n"),
        |body| format!("data\nid\nretry\n: a comment\nunknown: x\n\nevent\ndata\ndata:{body}\n\n"),
        |body| format!("event: message\ndata: {}\n\n", body.replacen(':', ":\ndata: ", 1)),
        |body| format!("data: {body}"),
    ];
    for (number, shape) in shapes.into_iter().enumerate() {
        let (server, _serving) = Server::start(&["look"]).await;
        lock(&server.script).shape = Some(shape);
        let client = connect(&server.url(), settings());
        assert_eq!(look(&client).await, Reply::success("looked"), "shape {number}");
    }
}

#[tokio::test]
async fn one_odd_tool_or_block_leaves_the_others() {
    let (server, _serving) = Server::start(&["look"]).await;
    {
        let mut script = lock(&server.script);
        script.tools.extend([
            json!({"name": "odd"}),
            json!({"name": 7}),
            json!("no tool"),
            json!({"name": "bad", "inputSchema": []}),
        ]);
        script.results =
            json!({"content": [{"type": "video", "data": "QUJD"}, {"type": "text", "text": "two moons"}, 7]});
    }
    let client = connect(&server.url(), settings());
    let reply = look(&client).await;
    assert!(
        reply.text.contains("two moons") && reply.text.contains("video") && !reply.text.contains("QUJD"),
        "{reply:?}"
    );
    assert!(offers(&client, "alpha__odd") && !offers(&client, "alpha__bad"));
}

#[tokio::test]
async fn a_notice_brings_the_new_tools() {
    let (server, _serving) = Server::start(&["look"]).await;
    let client = connect(&server.url(), settings());
    look(&client).await;
    eventually("the client listens", || server.messages.receiver_count() == 1).await;
    lock(&server.script).tools = vec![json!({"name": "listen"})];
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    server.messages.send(format!("data: {notice}\n\n")).unwrap();
    eventually("the new tool is offered", || offers(&client, "alpha__listen") && !offers(&client, "alpha__look")).await;
}

#[tokio::test]
async fn redirects_stay_with_the_server() {
    let (server, _serving) = Server::start(&["look"]).await;
    let (other, _other_serving) = Server::start(&["look"]).await;
    for (status, target, follows) in [
        (307, format!("{}/moved", server.url()), true),
        (308, format!("{}/mcp", other.url()), false),
        (307, format!("http://localhost:{}/mcp", server.port), false),
        (301, format!("{}/moved", server.url()), false),
    ] {
        lock(&server.script).redirect = Some((status, target.clone()));
        let client = connect(&server.url(), settings());
        if follows {
            assert_eq!(look(&client).await, Reply::success("looked"));
            let seen = lock(&server.seen);
            assert!(seen.iter().all(|(.., headers, _)| headers["authorization"] == "Bearer secret-token"));
        } else {
            let call = json!({"name": "look", "server": "alpha"});
            time::sleep(Duration::from_millis(100)).await;
            assert!(client.call("mcp_call_tool", &call).await.unwrap().is_error);
            assert!(!offers(&client, "alpha__look"), "{status} {target}");
        }
        client.close().await;
    }
    assert!(lock(&other.seen).is_empty());
}

#[tokio::test]
async fn an_attempt_that_is_given_up_leaves_no_request() {
    let (server, _serving) = Server::start(&["look"]).await;
    lock(&server.script).initialize_hangs = true;
    let client = connect(&server.url(), Settings { dial_timeout: Duration::from_millis(100), ..settings() });
    eventually("there are three attempts", || server.count("initialize") > 2).await;
    lock(&server.script).initialize_hangs = false;
    assert_eq!(look(&client).await, Reply::success("looked"));
    eventually("no request is left", || server.hanging.load(Ordering::Relaxed) == 0).await;
    time::timeout(Duration::from_secs(1), client.close()).await.expect("the client closes at once");
}

#[tokio::test]
async fn listings_are_read_page_by_page_and_end() {
    let names: Vec<_> = (0..5).map(|number| format!("tool{number}")).collect();
    let (server, _serving) = Server::start(&names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    lock(&server.script).page = 2;
    let client = connect(&server.url(), settings());
    eventually("all are offered", || names.iter().all(|name| offers(&client, &format!("alpha__{name}")))).await;
    client.close().await;
    lock(&server.script).page = 0;
    let client = connect(&server.url(), settings());
    eventually("the first is offered", || offers(&client, "alpha__tool0")).await;
}

#[tokio::test]
async fn a_url_that_ends_with_sse_is_reached_over_the_transport_of_2024() {
    let (server, _serving) = Server::start(&["look"]).await;
    let client = connect(&format!("{}/sse", server.url()), settings());
    assert_eq!(look(&client).await, Reply::success("looked"));
    client.close().await;
}

/// A server in a shell: it tells the variable `GREETING`, and ends when it is told `stop`.
const COMMAND: &str = r#"
echo starting >&2
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}' ;;
    *stop*) echo out of order >&2; exit 1 ;;
    *'"tools/call"'*) result="{\"content\":[{\"type\":\"text\",\"text\":\"$GREETING$A2A_SECRET\"}]}" ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[tokio::test]
async fn a_command_is_run_started_again_and_ended() {
    let lookup = |_: &str| Some("hello".to_owned());
    let servers = resolve_servers(&settings(), &[declared("stdio")], &ALL, &lookup).unwrap();
    let client = McpClient::new(servers, settings(), ("agent", "1.0.0"), &[]);
    client.start();
    assert_eq!(look(&client).await, Reply::success("hello"));
    let stopped = client.call("alpha__look", &json!({"then": "stop"})).await.unwrap();
    assert!(stopped.is_error, "{stopped:?}");
    assert_eq!(look(&client).await, Reply::success("hello"));
    time::timeout(Duration::from_secs(3), client.close()).await.expect("the command ends");
}
