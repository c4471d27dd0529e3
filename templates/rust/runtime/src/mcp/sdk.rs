//! HTTP for the library of the protocol, rmcp 3.11. Its own HTTP client would do but for these faults; each can go when its test
//! in `tests/` passes without it.
//!
//! - A session that the server does not know any more is only seen in a 404; many servers answer 400, and a JSON-RPC error
//!   without an id is dropped, so that the caller waits for ever.
//! - Redirects and the endpoints of SSE servers are not held to the server's origin, and headers cannot be.
//! - Event streams with a field that has no colon or that is unknown are refused.
//! - Results are decoded as the first type that fits, and one odd tool or content block makes all of a result unreadable: here
//!   every result but that of the handshake is left as it is.
//! - The stream on which a server sends its notices is not opened again when the first attempt fails.

use std::{
    collections::HashMap,
    mem,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::{StreamExt, stream, stream::BoxStream};
use reqwest::{
    Client, Method, Response, StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION},
    redirect::Policy,
};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, CustomResult, ErrorData, ServerJsonRpcMessage, ServerResult},
    transport::streamable_http_client::{
        SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    },
};
use serde_json::{Map, Value};
use sse_stream::Sse;
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{config::Settings, session::Options};

/// Bounds one response or event of a server, in bytes.
const MAX_RESPONSE: usize = 16 << 20;

/// How long an unused connection is kept. Common servers close theirs after five seconds; a call that is sent just then fails, and
/// cannot be repeated safely.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);

/// Redirects that are followed for one request.
const MAX_REDIRECTS: usize = 5;

const EVENT_STREAM: &str = "text/event-stream";
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// Why a request has no result.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// It did not reach the server: it can be sent once more.
    #[error("{0}")]
    NotSent(String),
    /// The server's own answer is an error.
    #[error("{}", .0.message)]
    Refused(ErrorData),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

impl Failure {
    pub fn new(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        let not_sent = error.is_connect() || error.is_builder();
        // The innermost error says what went wrong, the outer ones what was attempted.
        let mut cause: &dyn std::error::Error = &error.without_url();
        while let Some(source) = cause.source() {
            cause = source;
        }
        if not_sent { Self::NotSent(format!("cannot connect: {cause}")) } else { Self::Failed(cause.to_string()) }
    }
}

impl From<Failure> for StreamableHttpError<Failure> {
    fn from(failure: Failure) -> Self {
        Self::Client(failure)
    }
}

/// What becomes known about a session while it is used.
#[derive(Debug, Default)]
pub struct Signals {
    /// The tools may have changed, or the server may be gone.
    pub changed: Notify,
    /// The session is of no more use.
    pub lost: CancellationToken,
    reason: OnceLock<Failure>,
    /// The stream of notices has been open.
    listened: AtomicBool,
}

impl Signals {
    /// Makes known that the session is of no more use. The first reason counts.
    pub fn lose(&self, reason: Failure) {
        if self.reason.set(reason).is_ok() {
            self.lost.cancel();
        }
    }

    /// Why the session is of no more use.
    pub fn reason(&self) -> Option<&Failure> {
        self.reason.get()
    }
}

/// Sends the requests of one session.
#[derive(Clone)]
pub struct Http {
    client: Client,
    pub url: Url,
    /// The server's own headers, which nobody else gets.
    headers: HeaderMap,
    settings: Settings,
    signals: Arc<Signals>,
}

impl Http {
    /// The connections to all servers. It reads the certificates of the system when it is made, which takes its time.
    pub fn client(options: &Options) -> Result<Client, Failure> {
        let build = || {
            let client = Client::builder().redirect(Policy::none()).pool_idle_timeout(IDLE_TIMEOUT);
            Ok(client.connect_timeout(options.settings.dial_timeout).build()?)
        };
        options.client.get_or_init(build).clone()
    }

    pub fn new(options: &Options, signals: &Arc<Signals>) -> Result<Self, Failure> {
        let Options { server, settings, .. } = options;
        let client = Self::client(options)?;
        let url = Url::parse(&server.url).map_err(|error| Failure::new(format!("the url cannot be used: {error}")))?;
        let mut headers = HeaderMap::new();
        for (name, value) in &server.headers {
            if let (Ok(name), Ok(mut value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
                value.set_sensitive(true);
                headers.insert(name, value);
            }
        }
        Ok(Self { client, url, headers, settings: settings.clone(), signals: signals.clone() })
    }

    /// Sends a request and follows redirects that keep it whole and stay with the server.
    pub async fn send(
        &self,
        method: Method,
        mut url: Url,
        headers: Headers,
        body: Vec<u8>,
    ) -> Result<Response, Failure> {
        let mut all = self.headers.clone();
        for (name, value) in headers {
            all.insert(name, value); // what the protocol itself sets is not to be overridden
        }
        if !self.is_same_origin(&url) {
            let place = without_secrets(&url);
            return Err(Failure::new(format!("the server names a url of another origin, which is refused: {place}")));
        }
        for _ in 0..MAX_REDIRECTS {
            let request = self.client.request(method.clone(), url.clone()).headers(all.clone());
            let response = request.body(body.clone()).send().await?;
            let status = response.status();
            let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
            let Some(mut target) = location.filter(|_| status.is_redirection()).and_then(|to| url.join(to).ok()) else {
                return Ok(response);
            };
            let place = format!("{status} to {}", without_secrets(&target));
            if !self.is_same_origin(&target) {
                let text = format!("the server redirects to another origin, which is refused: {place}");
                return Err(Failure::new(text));
            }
            if method != Method::GET && !matches!(status.as_u16(), 307 | 308) {
                let text = format!("the server redirects, which loses the message: {place}; set that URL");
                return Err(Failure::new(text));
            }
            // The server does not name its user; setting it works for every url with a host.
            let _ = target.set_username(url.username()).and_then(|()| target.set_password(url.password()));
            url = target;
        }
        Err(Failure::new("the server redirects too often"))
    }

    /// Whether the url has the server's host and port, over a connection that is no less private.
    fn is_same_origin(&self, url: &Url) -> bool {
        let ports = (self.url.port_or_known_default(), url.port_or_known_default());
        let same = self.url.scheme() == url.scheme() && ports.0 == ports.1;
        let more_private = url.scheme() == "https" && ports == (Some(80), Some(443));
        self.url.host() == url.host() && (same || more_private)
    }

    /// Sends a request with the session's headers.
    async fn request(
        &self,
        method: Method,
        session: Option<&str>,
        mut headers: Headers,
        body: Vec<u8>,
    ) -> Result<Response, Failure> {
        let accept = if method == Method::GET { EVENT_STREAM } else { "application/json, text/event-stream" };
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if let Some(id) = session.and_then(|id| HeaderValue::from_str(id).ok()) {
            headers.insert(SESSION_ID, id);
        }
        self.send(method, self.url.clone(), headers, body).await
    }

    async fn post(
        &self,
        message: ClientJsonRpcMessage,
        session: Option<&str>,
        mut headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let body = serde_json::to_vec(&message).map_err(|error| Failure::new(error.to_string()))?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let response = self.request(Method::POST, session, headers, body).await?;
        let status = response.status();
        let given = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
        if status.is_success() && is_event_stream(&response) {
            return Ok(StreamableHttpPostResponse::Sse(events(response, None), given));
        }
        let mut answer: Map<String, Value> = serde_json::from_slice(&read_body(response).await?).unwrap_or_default();
        let [error, result] = ["error", "result"].map(|field| answer.remove(field).unwrap_or_default());
        if session.is_some() && says_session_lost(status, &error) {
            let status = status.as_u16();
            let reason = Failure::NotSent(format!("the server does not know the session any more (HTTP {status})"));
            self.signals.lose(reason.clone());
            return Err(reason);
        }
        let ClientJsonRpcMessage::Request(request) = message else {
            let refusal = || Failure::new(format!("the server answers {status} to a notice"));
            return status.is_success().then_some(StreamableHttpPostResponse::Accepted).ok_or_else(refusal);
        };
        let is_handshake =
            matches!(request.request, ClientRequest::InitializeRequest(_) | ClientRequest::DiscoverRequest(_));
        let message = match (serde_json::from_value(error), result) {
            (Ok(error), _) => ServerJsonRpcMessage::error(error, Some(request.id)),
            (_, result) if status.is_success() && is_handshake && result.is_object() => {
                let result = serde_json::from_value(result).map_err(|error| Failure::new(error.to_string()))?;
                ServerJsonRpcMessage::response(result, request.id)
            }
            (_, result) if status.is_success() && result.is_object() => {
                ServerJsonRpcMessage::response(ServerResult::CustomResult(CustomResult(result)), request.id)
            }
            _ => return Err(Failure::new(format!("the server answers {status}, without a JSON-RPC message"))),
        };
        Ok(StreamableHttpPostResponse::Json(message, given))
    }
}

type Headers = HashMap<HeaderName, HeaderValue>;
type HttpResult<T> = Result<T, StreamableHttpError<Failure>>;

impl StreamableHttpClient for Http {
    type Error = Failure;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let is_call = session.is_some() && matches!(message, ClientJsonRpcMessage::Request(_));
        let post = self.post(message, session.as_deref(), headers);
        if is_call {
            return Ok(post.await?);
        }
        // The library waits for the handshake even when nobody waits for the library any more.
        let outcome = timeout(self.settings.dial_timeout, post).await;
        Ok(outcome.unwrap_or_else(|_| Err(Failure::new("no answer")))?)
    }

    async fn delete_session(&self, _: Arc<str>, id: Arc<str>, _: Option<String>, headers: Headers) -> HttpResult<()> {
        if !matches!(self.signals.reason(), Some(Failure::NotSent(_))) {
            self.request(Method::DELETE, Some(&id), headers, Vec::new()).await?;
        }
        Ok(())
    }

    /// Opens the stream on which a server sends its notices, or the rest of an interrupted answer. It is tried until it works:
    /// servers may refuse or never answer, and none of that says anything about the session.
    async fn get_stream(
        &self,
        _: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        mut headers: Headers,
    ) -> HttpResult<BoxStream<'static, Result<Sse, SseError>>> {
        if let Some(id) = last_event.and_then(|id| HeaderValue::from_str(&id).ok()) {
            headers.insert(HeaderName::from_static("last-event-id"), id);
        }
        let mut pause = self.settings.retry_interval;
        loop {
            match self.request(Method::GET, session.as_deref(), headers.clone(), Vec::new()).await {
                Ok(response) if response.status().is_success() && is_event_stream(&response) => {
                    if self.signals.listened.swap(true, Ordering::Relaxed) {
                        self.signals.changed.notify_one(); // notices may have been missed
                    }
                    return Ok(events(response, Some(self.signals.clone())));
                }
                Ok(response) if !matches!(response.status().as_u16(), 429 | 500..) => {
                    return Err(StreamableHttpError::ServerDoesNotSupportSse);
                }
                _ => self.signals.changed.notify_one(), // the server may be gone
            }
            sleep(pause).await;
            pause = pause.saturating_mul(2).min(self.settings.retry_max_interval);
        }
    }
}

fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(EVENT_STREAM))
}

async fn read_body(mut response: Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_RESPONSE {
            return Err(too_large());
        }
    }
    Ok(body)
}

fn too_large() -> Failure {
    Failure::new(format!("the server's response exceeds {MAX_RESPONSE} bytes"))
}

/// Names a url without user, query and fragment, which may hold secrets.
fn without_secrets(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

/// What servers say about a session that they do not know.
const SESSION_FAULTS: [&str; 9] = [
    "session id",
    "session-id",
    "session_id",
    "sessionid",
    "no session",
    "valid session",
    "unknown session",
    "missing session",
    "server not initialized",
];
const LOST_STATES: [&str; 8] =
    ["not found", "unknown", "invalid", "expired", "closed", "terminated", "required", "missing"];

/// Whether the answer to a request with a session means that there is no such session. The protocol asks for 404, but many
/// servers answer 400, with words about the session.
fn says_session_lost(status: StatusCode, error: &Value) -> bool {
    let code = error["code"].as_i64().unwrap_or_default();
    let message = error["message"].as_str().unwrap_or_default().to_lowercase();
    let state = message.trim_start_matches("bad request: ").strip_prefix("session ").unwrap_or_default();
    let state = ["is ", "was ", "has "].iter().find_map(|verb| state.strip_prefix(verb)).unwrap_or(state);
    let says_so = LOST_STATES.iter().any(|lost| state.starts_with(lost))
        || SESSION_FAULTS.iter().any(|fault| message.contains(fault));
    let is_about_the_request = code == -32_600 || (-32_099..=-32_000).contains(&code);
    status == StatusCode::NOT_FOUND || status == StatusCode::BAD_REQUEST && is_about_the_request && says_so
}

/// Reads the events of a response, in any shape that the standard allows. The signals are told when it ends.
pub fn events(response: Response, signals: Option<Arc<Signals>>) -> BoxStream<'static, Result<Sse, SseError>> {
    let reader = EventReader { response, buffer: Vec::new(), searched: 0, after_return: false, signals };
    let events = stream::try_unfold(reader, |mut reader| async {
        let event = reader.next().await.map_err(|failure| SseError::Body(failure.into()))?;
        Ok(event.map(|event| (event, reader)))
    });
    events.boxed()
}

struct EventReader {
    response: Response,
    /// What was read and not returned, with lines that end with line feeds alone.
    buffer: Vec<u8>,
    /// So much of the buffer holds no end of an event.
    searched: usize,
    after_return: bool,
    signals: Option<Arc<Signals>>,
}

impl Drop for EventReader {
    fn drop(&mut self) {
        if let Some(signals) = &self.signals {
            signals.changed.notify_one();
        }
    }
}

impl EventReader {
    async fn next(&mut self) -> Result<Option<Sse>, Failure> {
        loop {
            let end =
                self.buffer.get(self.searched..).and_then(|rest| rest.windows(2).position(|pair| pair == b"\n\n"));
            if let Some(end) = end {
                let rest = self.buffer.split_off(self.searched + end + 2);
                let event = parse_event(&mem::replace(&mut self.buffer, rest));
                self.searched = 0;
                if event.is_some() {
                    return Ok(event);
                }
                continue;
            }
            self.searched = self.buffer.len().saturating_sub(1);
            if self.buffer.len() > MAX_RESPONSE {
                return Err(too_large());
            }
            let Some(chunk) = self.response.chunk().await? else {
                return Ok(parse_event(&mem::take(&mut self.buffer))); // the last one may lack its empty line
            };
            for byte in chunk {
                let is_second = mem::replace(&mut self.after_return, byte == b'\r') && byte == b'\n';
                if !is_second {
                    self.buffer.push(if byte == b'\r' { b'\n' } else { byte });
                }
            }
        }
    }
}

fn parse_event(lines: &[u8]) -> Option<Sse> {
    let lines = String::from_utf8_lossy(lines);
    let mut event = Sse::default();
    for line in lines.trim_start_matches('\u{feff}').lines() {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        match field {
            "data" => event.data = Some(event.data.map_or_else(|| value.clone(), |data| data + "\n" + &value)),
            "event" => event.event = Some(value),
            "id" if !value.is_empty() => event.id = Some(value),
            "retry" => event.retry = value.parse().ok(),
            _ => {}
        }
    }
    (event.data.is_some() || event.id.is_some() || event.retry.is_some()).then_some(event)
}
