//! Takes HTTP requests to the agent.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing::{get, post},
};
use futures::StreamExt as _;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    time::{Instant, sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

use super::rpc::{Answer, Rpc};
use crate::{
    agent::executor::Executor,
    environment::{Lookup, boolean, duration, format_duration, integer, read, text},
    log::describe,
};

const HOST: &str = "A2A_SERVER_HOST";
const PORT: &str = "A2A_SERVER_PORT";
const AGENT_URL: &str = "A2A_AGENT_URL";
const TLS_ENABLED: &str = "A2A_SERVER_TLS_ENABLED";
const TLS_CERT_PATH: &str = "A2A_SERVER_TLS_CERT_PATH";
const TLS_KEY_PATH: &str = "A2A_SERVER_TLS_KEY_PATH";

/// The settings of the HTTP server.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    pub host: String,
    pub port: u16,
    pub agent_url: String,
    pub debug: bool,
    pub read_timeout: Duration,
    pub idle_timeout: Duration,
    pub shutdown_timeout: Duration,
    pub max_body_bytes: u64,
    pub disable_healthcheck_log: bool,
    pub tls_enabled: bool,
    pub tls_cert_path: String,
    pub tls_key_path: String,
}

impl ServerSettings {
    /// Reads the variables. Values that cannot be used become problems.
    pub fn read(lookup: Lookup, problems: &mut Vec<String>) -> Self {
        Self {
            host: read(lookup, HOST, text, problems),
            port: read(lookup, PORT, port, problems),
            agent_url: read(lookup, AGENT_URL, text, problems),
            debug: read(lookup, "A2A_DEBUG", boolean, problems),
            read_timeout: read(lookup, "A2A_SERVER_READ_TIMEOUT", duration, problems),
            idle_timeout: read(lookup, "A2A_SERVER_IDLE_TIMEOUT", duration, problems),
            shutdown_timeout: read(lookup, "A2A_SERVER_SHUTDOWN_TIMEOUT", duration, problems),
            max_body_bytes: read(lookup, "A2A_SERVER_MAX_BODY_BYTES", integer, problems),
            disable_healthcheck_log: read(lookup, "A2A_SERVER_DISABLE_HEALTHCHECK_LOG", boolean, problems),
            tls_enabled: read(lookup, TLS_ENABLED, boolean, problems),
            tls_cert_path: read(lookup, TLS_CERT_PATH, text, problems),
            tls_key_path: read(lookup, TLS_KEY_PATH, text, problems),
        }
    }

    /// Says what is wrong with the settings.
    pub fn check(&self, problems: &mut Vec<String>) {
        if !self.agent_url.is_empty() && !is_base_url(&self.agent_url) {
            problems.push(format!("{AGENT_URL}: must be an http or https URL without user name, query and fragment"));
        }
        for (variable, path) in [(TLS_CERT_PATH, &self.tls_cert_path), (TLS_KEY_PATH, &self.tls_key_path)] {
            if self.tls_enabled && path.is_empty() {
                problems.push(format!("{variable}: must be set while {TLS_ENABLED} is true"));
            }
        }
    }
}

fn port(value: &str) -> Result<u16, String> {
    let port = integer(value)?;
    u16::try_from(port).map_err(|_| format!("{port} is above 65535"))
}

/// Whether paths can be appended to the address, and whether it can be published.
fn is_base_url(address: &str) -> bool {
    let is_plain = !address.contains(['?', '#', '@']) && !address.contains(char::is_whitespace);
    let uri = address.parse::<axum::http::Uri>().ok().filter(|_| is_plain);
    uri.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(|host| !host.is_empty())
    })
}

/// How many tasks are kept.
#[derive(Clone, Debug)]
pub struct TaskSettings {
    pub max_completed_tasks: u64,
    pub max_failed_tasks: u64,
    pub max_bytes: u64,
    pub max_waiting_bytes: u64,
}

impl TaskSettings {
    /// Reads the variables. Values that cannot be used become problems.
    pub fn read(lookup: Lookup, problems: &mut Vec<String>) -> Self {
        Self {
            max_completed_tasks: read(lookup, "A2A_TASK_RETENTION_MAX_COMPLETED_TASKS", integer, problems),
            max_failed_tasks: read(lookup, "A2A_TASK_RETENTION_MAX_FAILED_TASKS", integer, problems),
            max_bytes: read(lookup, "A2A_TASK_RETENTION_MAX_BYTES", integer, problems),
            max_waiting_bytes: read(lookup, "A2A_TASK_RETENTION_MAX_WAITING_BYTES", integer, problems),
        }
    }
}

/// The optional parts of the A2A protocol that are switched on.
#[derive(Clone, Debug)]
pub struct CapabilitySettings {
    pub streaming: bool,
    //adl:if push
    pub push_notifications: bool,
    //adl:end
    //adl:if history
    pub state_transition_history: bool,
    //adl:end
}

impl CapabilitySettings {
    /// Reads the variables. Values that cannot be used become problems.
    pub fn read(lookup: Lookup, problems: &mut Vec<String>) -> Self {
        Self {
            // What the manifest switches off has no variable.
            streaming: read(lookup, "A2A_CAPABILITIES_STREAMING", boolean, problems),
            //adl:if push
            push_notifications: read(lookup, "A2A_CAPABILITIES_PUSH_NOTIFICATIONS", boolean, problems),
            //adl:end
            //adl:if history
            state_transition_history: read(lookup, "A2A_CAPABILITIES_STATE_TRANSITION_HISTORY", boolean, problems),
            //adl:end
        }
    }
}

/// How long streams may take to send their last event once the time for running tasks is over.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// How often a quiet stream shows proxies that it is alive.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// How long the check of the running agent may take.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(5);

/// What the server answers with.
pub struct Agent {
    pub card: Value,
    pub rpc: Rpc,
    pub executor: Executor,
    /// Tells whether the agent can do all that it is there for.
    pub ready: Box<dyn Fn() -> bool + Send + Sync>,
}

struct Shared {
    settings: ServerSettings,
    card: String,
    card_tag: HeaderValue,
    agent: Agent,
}

/// A port that is open.
pub struct Server {
    settings: ServerSettings,
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
}

impl Server {
    /// Opens the port. An error names the variable to look at.
    pub async fn bind(settings: ServerSettings) -> Result<Self, String> {
        let tls = if settings.tls_enabled { Some(tls(&settings)?) } else { None };
        // Both families where there is no host, or this machine's only one.
        let hosts: &[&str] = if settings.host.is_empty() { &["::", "0.0.0.0"] } else { &[settings.host.as_str()] };
        let mut failure = None;
        for host in hosts {
            let host = host.trim_start_matches('[').trim_end_matches(']');
            let bound = TcpListener::bind((host, settings.port)).await;
            match bound.and_then(|listener| Ok((listener.local_addr()?, listener))) {
                Ok((address, listener)) => return Ok(Self { settings, listener, address, tls }),
                Err(error) => failure = Some(error),
            }
        }
        let failure = failure.map(|error| error.to_string()).unwrap_or_default();
        Err(format!("{HOST}, {PORT}: cannot listen on port {}: {failure}", settings.port))
    }

    /// The address that clients use: the one in the settings, else this machine's.
    pub fn base_url(&self, scheme: &str) -> String {
        let scheme = if self.settings.tls_enabled { "https" } else { scheme };
        match self.settings.agent_url.as_str() {
            "" => format!("{scheme}://localhost:{}", self.address.port()),
            url => url.to_owned(),
        }
    }

    /// Answers requests until it is to stop. Then it closes the port at once, and every connection as soon as its request is
    /// answered.
    pub async fn serve(self, agent: Agent, stop: impl Future<Output = ()>) {
        let url = agent.card["url"].as_str().unwrap_or_default().to_owned();
        tracing::info!(address = %self.address, url, "agent listening");
        let limit = self.settings.shutdown_timeout;
        let executor = agent.executor.clone();
        let app = router(self.settings.clone(), agent);
        let connections = GracefulShutdown::new();
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        drop(stream.set_nodelay(true));
                        self.connect(stream, &app, &connections);
                    }
                    Err(error) => {
                        tracing::error!(error = %error, "cannot accept connections");
                        sleep(Duration::from_millis(100)).await; // too many are open
                    }
                },
            }
        }
        drop(self.listener);
        tracing::info!(limit = format_duration(limit), "agent stopping");
        let closed = tokio::spawn(connections.shutdown());
        executor.drain(limit).await;
        if timeout(SHUTDOWN_GRACE, closed).await.is_err() {
            tracing::warn!("connections were cut off");
        }
    }

    fn connect(&self, stream: tokio::net::TcpStream, app: &Router, connections: &GracefulShutdown) {
        let (app, idle_timeout, watcher) = (app.clone(), self.settings.idle_timeout, connections.watcher());
        let tls = self.tls.clone();
        tokio::spawn(async move {
            match tls {
                None => converse(stream, app, idle_timeout, watcher).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = timeout(idle_timeout, tls.accept(stream)).await {
                        converse(stream, app, idle_timeout, watcher).await;
                    }
                }
            }
        });
    }
}

/// Serves one connection to its end.
async fn converse<S>(stream: S, app: Router, idle_timeout: Duration, watcher: hyper_util::server::graceful::Watcher)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut http = http1::Builder::new();
    // A connection without a request waits for the headers of the next one.
    http.timer(TokioTimer::new()).header_read_timeout(idle_timeout);
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    // Clients go away without a word, which is not worth one here.
    drop(watcher.watch(connection).await);
}

fn tls(settings: &ServerSettings) -> Result<TlsAcceptor, String> {
    let load = || -> Result<ServerConfig, Box<dyn std::error::Error>> {
        let certificates = CertificateDer::pem_file_iter(&settings.tls_cert_path)?.collect::<Result<Vec<_>, _>>()?;
        let key = PrivateKeyDer::from_pem_file(&settings.tls_key_path)?;
        Ok(ServerConfig::builder().with_no_client_auth().with_single_cert(certificates, key)?)
    };
    let config = load().map_err(|error| format!("{TLS_CERT_PATH}, {TLS_KEY_PATH}: {error}"))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Asks the agent on this machine whether it runs.
pub async fn is_healthy(settings: &ServerSettings) -> bool {
    let scheme = if settings.tls_enabled { "https" } else { "http" };
    let host = match settings.host.as_str() {
        "" => "localhost".to_owned(),
        host if host.contains(':') && !host.starts_with('[') => format!("[{host}]"),
        host => host.to_owned(),
    };
    // The certificate is for the agent's name, not for this machine's.
    let client = reqwest::Client::builder().no_proxy().tls_danger_accept_invalid_certs(true);
    let Ok(client) = client.timeout(HEALTH_TIMEOUT).build() else { return false };
    let answer = client.get(format!("{scheme}://{host}:{}/health", settings.port)).send().await;
    answer.is_ok_and(|response| response.status() == StatusCode::OK)
}

fn router(settings: ServerSettings, agent: Agent) -> Router {
    let card = serde_json::to_string_pretty(&agent.card).unwrap_or_default();
    let tag = format!("\"{:016x}\"", hash(&card));
    let card_tag = HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""));
    let shared = Arc::new(Shared { settings, card, card_tag, agent });
    let rpc = post(answer);
    Router::new()
        .route("/", rpc.clone())
        .route("/a2a", rpc.clone())
        .route("/a2a/", rpc)
        .route("/health", get(async || json_response(StatusCode::OK, &json!({"status": "healthy"}))))
        .route("/ready", get(ready))
        .route("/.well-known/agent-card.json", get(card_document))
        .fallback(async || json_response(StatusCode::NOT_FOUND, &json!({"error": "not found"})))
        .method_not_allowed_fallback(async || {
            json_response(StatusCode::METHOD_NOT_ALLOWED, &json!({"error": "method not allowed"}))
        })
        .layer(middleware::from_fn_with_state(shared.clone(), log_request))
        .with_state(shared)
}

fn hash(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

async fn log_request(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = next.run(request).await;
    if path != "/health" || !shared.settings.disable_healthcheck_log {
        let duration = format_duration(Duration::from_micros(begun.elapsed().as_micros() as u64));
        tracing::info!(method = %method, path, status = response.status().as_u16(), duration, "request");
    }
    response
}

async fn ready(State(shared): State<Arc<Shared>>) -> Response {
    if (shared.agent.ready)() {
        json_response(StatusCode::OK, &json!({"status": "ready"}))
    } else {
        json_response(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "not ready"}))
    }
}

/// The card may be read by anybody, from any page, and be kept for a while.
async fn card_document(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let common = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=60")),
        (header::ETAG, shared.card_tag.clone()),
    ];
    if headers.get(header::IF_NONE_MATCH) == Some(&shared.card_tag) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (common, kind, shared.card.clone()).into_response()
}

/// Answers a JSON-RPC request. Web pages of other hosts are refused: a browser sends what they like to an agent on its user's
/// machine, but not with this content type unasked.
async fn answer(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Body) -> Response {
    if is_cross_origin(&headers) {
        return refused(StatusCode::FORBIDDEN, "pages of other hosts may not use the agent");
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the content type must be application/json");
    }
    let settings = &shared.settings;
    let limit = usize::try_from(settings.max_body_bytes).unwrap_or(usize::MAX);
    let body = match timeout(settings.read_timeout, read_body(body, limit)).await {
        Err(_) => return refused(StatusCode::REQUEST_TIMEOUT, "the request took too long to arrive"),
        Ok(Err(error)) => return refused(StatusCode::BAD_REQUEST, &format!("the request broke off: {error}")),
        Ok(Ok(None)) => return refused(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"),
        Ok(Ok(Some(body))) => body,
    };
    let version = headers.get("a2a-version").and_then(|version| version.to_str().ok()).unwrap_or_default();
    match shared.agent.rpc.answer(&body, version).await {
        Answer::One(response) => json_response(StatusCode::OK, &response),
        Answer::Stream(responses) => {
            let events = responses.map(|response| Ok::<_, Infallible>(Event::default().data(response.to_string())));
            let events = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE_INTERVAL));
            ([("x-accel-buffering", "no")], events).into_response()
        }
    }
}

/// Reads a body; `None` when it is too large. Some more of that is read, since a client that is still writing would not see the
/// answer.
async fn read_body(body: Body, limit: usize) -> Result<Option<Vec<u8>>, String> {
    let mut stream = body.into_data_stream();
    let (mut bytes, mut size) = (Vec::new(), 0_usize);
    while let Some(chunk) = stream.next().await {
        let chunk: Bytes = chunk.map_err(|error| describe(&error))?;
        size = size.saturating_add(chunk.len());
        if size <= limit {
            bytes.extend_from_slice(&chunk);
        } else if size > limit.saturating_mul(4).saturating_add(1 << 20) {
            return Ok(None);
        }
    }
    Ok((size <= limit).then_some(bytes))
}

fn json_response(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn refused(status: StatusCode, message: &str) -> Response {
    json_response(status, &json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": message}}))
}

/// Whether a browser sends the request for a page of another host.
fn is_cross_origin(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    if let Some(site) = text("sec-fetch-site") {
        return site != "same-origin" && site != "none";
    }
    let origin = text("origin").map(|origin| origin.split_once("://").map_or("", |(_, host)| host));
    origin.is_some_and(|origin| Some(origin) != text("host"))
}
