//! A scripted MCP server over streamable HTTP, at `/mcp` unless told otherwise.

mod wire;

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{Router, http::HeaderMap};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::{
    local::{LocalServer, lock},
    model::header_text,
};

/// A tool of the scripted server.
#[derive(Clone)]
pub(crate) struct McpTool {
    name: String,
    listed: Value,
    delay: Duration,
    answer: Arc<dyn Fn(&Value) -> Value + Send + Sync>,
}

impl fmt::Debug for McpTool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("McpTool").field("name", &self.name).finish_non_exhaustive()
    }
}

impl McpTool {
    /// A tool whose result is computed from its arguments.
    pub(crate) fn new(name: impl Into<String>, answer: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Self {
        let name = name.into();
        let listed = json!({"name": name, "description": format!("Does {name}."),
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}});
        Self { name, listed, delay: Duration::ZERO, answer: Arc::new(answer) }
    }

    /// A tool that always answers with this text.
    pub(crate) fn says(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(name, move |_| json!({"content": [{"type": "text", "text": text}]}))
    }

    /// A tool that always has this result.
    pub(crate) fn results(name: impl Into<String>, result: Value) -> Self {
        Self::new(name, move |_| result.clone())
    }

    /// The same tool, slower.
    pub(crate) fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// The same tool, listed with another field.
    pub(crate) fn listed_with(mut self, field: &str, value: Value) -> Self {
        self.listed[field] = value;
        self
    }
}

/// How requests with an answer are answered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answers {
    /// As one JSON body.
    Json,
    /// As a stream of events, made from the JSON.
    Events(fn(&str) -> String),
}

/// How tools are listed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Listing {
    /// In pages of so many tools.
    Pages(usize),
    /// In pages without end, each the same.
    Repeated,
    /// In pages without end, each with a tool that has a description of so many bytes.
    Endless(usize),
}

/// How a request of an unknown session is refused; the JSON-RPC error carries the request's id or null.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Loss {
    /// 404, error with the id.
    NotFound,
    /// 404 without any body.
    NotFoundBare,
    /// 400, error with the id.
    BadRequest,
    /// 400, error with a null id.
    BadRequestNullId,
}

/// What a GET for the server's own messages meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Get {
    /// A stream that carries `list_changed`.
    Stream,
    /// 405.
    Refused,
    /// No answer at all.
    Hang,
}

/// The server's manners, changed while it runs through [`McpServer::set`].
#[derive(Clone, Debug)]
pub(crate) struct Manners {
    /// How it lists its tools.
    pub(crate) listing: Listing,
    /// How it answers.
    pub(crate) answers: Answers,
    /// How it refuses unknown sessions.
    pub(crate) loss: Loss,
    /// What a GET meets.
    pub(crate) get: Get,
    /// Everything is answered with 503.
    pub(crate) unavailable: bool,
    /// `initialize` is never answered.
    pub(crate) hangs: bool,
    /// What comes to `/mcp` is redirected, with this status and to this URL.
    pub(crate) redirect: Option<(u16, String)>,
    /// It works on one request at a time.
    pub(crate) one_at_a_time: bool,
    /// Calls are refused, with this status and body.
    pub(crate) refusal: Option<(u16, &'static str)>,
}

/// One HTTP request that the server saw.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The HTTP method.
    pub(crate) http: String,
    /// The path.
    pub(crate) path: String,
    /// The JSON-RPC method, empty when there is none.
    pub(crate) method: String,
    /// All headers.
    pub(crate) headers: HeaderMap,
    /// When.
    pub(crate) at: Instant,
}

impl Seen {
    /// A header's value, empty when absent.
    pub(crate) fn header(&self, name: &str) -> String {
        header_text(&self.headers, name)
    }
}

#[derive(Debug)]
struct Shared {
    tools: Mutex<Vec<McpTool>>,
    manners: Mutex<Manners>,
    sessions: Mutex<BTreeSet<String>>,
    count: Mutex<usize>,
    seen: Mutex<Vec<Seen>>,
    notices: broadcast::Sender<String>,
    working: tokio::sync::Mutex<()>,
}

/// The server.
#[derive(Debug)]
pub(crate) struct McpServer {
    server: LocalServer,
    shared: Arc<Shared>,
}

impl McpServer {
    /// Serves these tools.
    pub(crate) fn start(tools: impl IntoIterator<Item = McpTool>) -> Self {
        let server = Self::down(tools);
        server.up();
        server
    }

    /// Has a port and refuses connections until [`McpServer::up`].
    pub(crate) fn down(tools: impl IntoIterator<Item = McpTool>) -> Self {
        let shared = Arc::new(Shared {
            tools: Mutex::new(tools.into_iter().collect()),
            manners: Mutex::new(Manners {
                listing: Listing::Pages(100),
                answers: Answers::Json,
                loss: Loss::NotFound,
                get: Get::Stream,
                unavailable: false,
                hangs: false,
                redirect: None,
                one_at_a_time: false,
                refusal: None,
            }),
            sessions: Mutex::default(),
            count: Mutex::default(),
            seen: Mutex::default(),
            notices: broadcast::channel(16).0,
            working: tokio::sync::Mutex::default(),
        });
        let router = Router::new().fallback(wire::handle).with_state(shared.clone());
        Self { server: LocalServer::down(router), shared }
    }

    /// Listens, again.
    pub(crate) fn up(&self) {
        self.server.up();
    }

    /// Ends as a killed process does: connections break, sessions are forgotten.
    pub(crate) fn kill(&self) {
        self.server.stop();
        self.forget_sessions();
    }

    /// Loses all sessions and goes on.
    pub(crate) fn forget_sessions(&self) {
        lock(&self.shared.sessions).clear();
    }

    /// `http://127.0.0.1:PORT`, without the endpoint.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// The same address with `localhost` in place of 127.0.0.1.
    pub(crate) fn localhost_url(&self) -> String {
        format!("http://localhost:{}", self.server.port())
    }

    /// Changes how it behaves.
    pub(crate) fn set(&self, change: impl FnOnce(&mut Manners)) {
        change(&mut lock(&self.shared.manners));
    }

    /// Replaces the tools without telling anybody.
    pub(crate) fn replace_tools(&self, tools: impl IntoIterator<Item = McpTool>) {
        *lock(&self.shared.tools) = tools.into_iter().collect();
    }

    /// Tells every open stream that the list of tools changed.
    pub(crate) fn announce_change(&self) {
        let notice = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        drop(self.shared.notices.send(notice.to_string()));
    }

    /// How many streams wait for notices.
    pub(crate) fn listeners(&self) -> usize {
        self.shared.notices.receiver_count()
    }

    /// How many sessions are open.
    pub(crate) fn sessions(&self) -> usize {
        lock(&self.shared.sessions).len()
    }

    /// All HTTP requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        lock(&self.shared.seen).clone()
    }

    /// When each request of this JSON-RPC method came.
    pub(crate) fn moments(&self, method: &str) -> Vec<Instant> {
        self.seen().iter().filter(|seen| seen.method == method).map(|seen| seen.at).collect()
    }

    /// How many requests of this JSON-RPC method came.
    pub(crate) fn count(&self, method: &str) -> usize {
        self.moments(method).len()
    }
}
