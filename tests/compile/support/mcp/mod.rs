//! A scripted MCP server with streamable HTTP, at `/mcp` by default.

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
    /// A tool that computes its result from its arguments.
    pub(crate) fn new(name: impl Into<String>, answer: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Self {
        let name = name.into();
        let listed = json!({"name": name, "description": format!("Does {name}."),
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}});
        Self { name, listed, delay: Duration::ZERO, answer: Arc::new(answer) }
    }

    /// A tool that always returns this text.
    pub(crate) fn says(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(name, move |_| json!({"content": [{"type": "text", "text": text}]}))
    }

    /// A tool that always returns this result.
    pub(crate) fn results(name: impl Into<String>, result: Value) -> Self {
        Self::new(name, move |_| result.clone())
    }

    /// The same tool with a delay.
    pub(crate) fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// The same tool with another value of a listed field.
    pub(crate) fn listed_with(mut self, field: &str, value: Value) -> Self {
        self.listed[field] = value;
        self
    }
}

/// The format of responses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answers {
    /// A JSON body.
    Json,
    /// An event stream, created from the JSON.
    Events(fn(&str) -> String),
}

/// How tools are listed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Listing {
    /// In pages with this number of tools.
    Pages(usize),
    /// In an endless number of identical pages.
    Repeated,
    /// In an endless number of pages, each with a tool whose description has this number of bytes.
    Endless(usize),
}

/// The response to a request of an unknown session. The JSON-RPC error contains the id of the request or null.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Loss {
    /// 404, and an error with the id.
    NotFound,
    /// 404 without a body.
    NotFoundBare,
    /// 400, and an error with the id.
    BadRequest,
    /// 400, and an error with a null id.
    BadRequestNullId,
}

/// The response to a GET request for server messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Get {
    /// A stream with `list_changed` notifications.
    Stream,
    /// 405.
    Refused,
    /// No response.
    Hang,
}

/// The behaviour of the server, which [`McpServer::set`] changes.
#[derive(Clone, Debug)]
pub(crate) struct Manners {
    /// How tools are listed.
    pub(crate) listing: Listing,
    /// The format of responses.
    pub(crate) answers: Answers,
    /// The response to unknown sessions.
    pub(crate) loss: Loss,
    /// The response to a GET request.
    pub(crate) get: Get,
    /// Whether all requests get status 503.
    pub(crate) unavailable: bool,
    /// Whether `initialize` gets no response.
    pub(crate) hangs: bool,
    /// The status and the target of a redirect of `/mcp`.
    pub(crate) redirect: Option<(u16, String)>,
    /// Whether requests are handled one at a time.
    pub(crate) one_at_a_time: bool,
    /// The status and the body with which calls are rejected.
    pub(crate) refusal: Option<(u16, &'static str)>,
}

/// An HTTP request that the server received.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The HTTP method.
    pub(crate) http: String,
    /// The path.
    pub(crate) path: String,
    /// The JSON-RPC method; empty if there is none.
    pub(crate) method: String,
    /// All headers.
    pub(crate) headers: HeaderMap,
    /// When it was received.
    pub(crate) at: Instant,
}

impl Seen {
    /// The value of a header; empty if it is missing.
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
    /// Starts a server with these tools.
    pub(crate) fn start(tools: impl IntoIterator<Item = McpTool>) -> Self {
        let server = Self::down(tools);
        server.up();
        server
    }

    /// Reserves a port and refuses connections until [`McpServer::up`].
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

    /// Starts listening.
    pub(crate) fn up(&self) {
        self.server.up();
    }

    /// Stops like a killed process: connections break and sessions are lost.
    pub(crate) fn kill(&self) {
        self.server.stop();
        self.forget_sessions();
    }

    /// Loses all sessions.
    pub(crate) fn forget_sessions(&self) {
        lock(&self.shared.sessions).clear();
    }

    /// `http://127.0.0.1:PORT`, without the endpoint.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// The same URL with `localhost` instead of 127.0.0.1.
    pub(crate) fn localhost_url(&self) -> String {
        format!("http://localhost:{}", self.server.port())
    }

    /// Changes the behaviour.
    pub(crate) fn set(&self, change: impl FnOnce(&mut Manners)) {
        change(&mut lock(&self.shared.manners));
    }

    /// Replaces the tools without a notification.
    pub(crate) fn replace_tools(&self, tools: impl IntoIterator<Item = McpTool>) {
        *lock(&self.shared.tools) = tools.into_iter().collect();
    }

    /// Sends a `list_changed` notification to all open streams.
    pub(crate) fn announce_change(&self) {
        let notice = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        drop(self.shared.notices.send(notice.to_string()));
    }

    /// The number of open streams for notifications.
    pub(crate) fn listeners(&self) -> usize {
        self.shared.notices.receiver_count()
    }

    /// The number of open sessions.
    pub(crate) fn sessions(&self) -> usize {
        lock(&self.shared.sessions).len()
    }

    /// All HTTP requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        lock(&self.shared.seen).clone()
    }

    /// When the requests with this JSON-RPC method were received.
    pub(crate) fn moments(&self, method: &str) -> Vec<Instant> {
        self.seen().iter().filter(|seen| seen.method == method).map(|seen| seen.at).collect()
    }

    /// The number of requests with this JSON-RPC method.
    pub(crate) fn count(&self, method: &str) -> usize {
        self.moments(method).len()
    }
}
