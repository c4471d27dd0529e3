//! Sessions with MCP servers.

use std::{
    collections::BTreeSet,
    error::Error,
    mem,
    sync::{Arc, OnceLock},
};

use reqwest::Client;
use rmcp::{
    ClientHandler, RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam, ClientCapabilities,
        ClientConfig, ClientRequest, CustomResult, ErrorCode, Implementation, JsonObject, ListToolsRequest,
        PaginatedRequestParams, ProtocolVersion, RequestId, ServerResult,
    },
    service::{
        ClientInitializeError, ClientLifecycleMode, NotificationContext, Peer, PeerRequestOptions, ServiceError,
        serve_client_with_lifecycle_and_ct,
    },
    transport::{IntoTransport, streamable_http_client::StreamableHttpError},
};
use serde_json::Value;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use super::{
    config::{ServerConfig, Settings, Transport},
    sdk::{Failure, Signals},
};
use crate::log::{Redactor, describe};
//adl:if http

use rmcp::transport::{
    StreamableHttpClientTransport, common::client_side_sse::ExponentialBackoff,
    streamable_http_client::StreamableHttpClientTransportConfig,
};
//adl:end
//adl:if remote

use super::sdk::Http;
//adl:end
//adl:if sse

use super::sse::SseTransport;
//adl:end
//adl:if stdio

use super::stdio::CommandTransport;
//adl:end

/// What one listing of tools may bring; a server might repeat itself for ever. The last is in bytes.
const MAX_PAGES: usize = 250;
const MAX_TOOLS: usize = 5_000;
const MAX_LISTING: usize = 4 << 20;

/// What the sessions with one server are made from.
pub struct Options {
    pub server: ServerConfig,
    /// How logs name the place of the server.
    pub address: String,
    pub settings: Settings,
    /// What the agent calls itself.
    pub agent: Implementation,
    /// For all servers that have a url.
    pub client: Arc<OnceLock<Result<Client, Failure>>>,
    pub redactor: Redactor,
    /// What is to end before the agent does.
    pub tasks: TaskTracker,
    pub stop: CancellationToken,
}

/// The tools of a server as it wrote them, and why the list is not whole.
pub struct Listing {
    pub tools: Vec<Value>,
    pub fault: Option<&'static str>,
}

/// One MCP session with a server. Once lost it is never used again; it ends when nobody holds it any more.
pub struct Session {
    peer: Peer<RoleClient>,
    pub signals: Arc<Signals>,
    /// The running ones.
    calls: TaskTracker,
    _end: DropGuard,
}

impl Session {
    /// Connects to a server. The older protocol, which every server of today knows and which has sessions, is asked for first.
    pub async fn open(options: &Options) -> Result<Self, Failure> {
        match Self::connect(options, ClientLifecycleMode::Initialize).await {
            Err(Failure::Refused(_)) => {
                let preferred_versions = vec![ProtocolVersion::LATEST];
                Self::connect(options, ClientLifecycleMode::Discover { preferred_versions }).await
            }
            outcome => outcome,
        }
    }

    async fn connect(options: &Options, lifecycle: ClientLifecycleMode) -> Result<Self, Failure> {
        let signals = &Arc::<Signals>::default();
        let transport = options.server.transport;
        //adl:if http
        if transport == Transport::Http {
            let streamable =
                StreamableHttpClientTransport::with_client(Http::new(options, signals)?, http_config(options));
            return Self::serve(options, lifecycle, signals, streamable).await;
        }
        //adl:end
        //adl:if sse
        if transport == Transport::Sse {
            let events = SseTransport::open(Http::new(options, signals)?).await?;
            return Self::serve(options, lifecycle, signals, events).await;
        }
        //adl:end
        //adl:if stdio
        if transport == Transport::Stdio {
            let command = CommandTransport::spawn(options, signals)?;
            return Self::serve(options, lifecycle, signals, command).await;
        }
        //adl:end
        Err(Failure::new(format!("this agent does not reach servers over {transport:?}")))
    }

    async fn serve<E: Error + Send + Sync + 'static, A>(
        options: &Options,
        lifecycle: ClientLifecycleMode,
        signals: &Arc<Signals>,
        transport: impl IntoTransport<RoleClient, E, A>,
    ) -> Result<Self, Failure> {
        let info = ClientConfig::new(ClientCapabilities::default(), options.agent.clone());
        let info = info.with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE); // the default has no handshake
        let handler = Handler { info, signals: signals.clone() };
        let end = options.stop.child_token();
        let service = serve_client_with_lifecycle_and_ct(handler, transport, lifecycle, end.clone()).await;
        let service = service.map_err(|error| handshake_failure(error, signals))?;
        let peer = service.peer().clone();
        let ended = signals.clone();
        options.tasks.spawn(async move {
            drop(service.waiting().await);
            ended.lose(Failure::new("the server ended the session"));
        });
        Ok(Self { peer, signals: signals.clone(), calls: TaskTracker::new(), _end: end.drop_guard() })
    }

    /// Whether a call is running.
    pub fn is_busy(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Reads all pages of the server's tools.
    pub async fn list_tools(&self) -> Result<Listing, Failure> {
        let mut tools: Vec<Value> = Vec::new();
        let mut names = BTreeSet::new();
        let mut cursors = BTreeSet::new();
        let mut cursor = None;
        let mut size = 0;
        for _ in 0..MAX_PAGES {
            let parameters = PaginatedRequestParams::default().with_cursor(cursor.clone());
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(parameters));
            let mut page = match self.request(request).await {
                // A server without tools.
                Err(Failure::Refused(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => break,
                page => page?,
            };
            size += page.to_string().len();
            let next = page["nextCursor"].as_str().filter(|next| !next.is_empty()).map(str::to_owned);
            let found = page.get_mut("tools").and_then(Value::as_array_mut).map(mem::take).unwrap_or_default();
            let new: Vec<_> = found.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect();
            if new.iter().any(|name| names.contains(name)) || !cursors.insert(next.clone()) {
                return Ok(Listing { tools, fault: Some("the server repeats a page of its list") });
            }
            names.extend(new);
            tools.extend(found);
            if tools.len() > MAX_TOOLS || size > MAX_LISTING {
                tools.truncate(MAX_TOOLS);
                return Ok(Listing { tools, fault: Some("the server's list is too long") });
            }
            cursor = next;
            if cursor.is_none() {
                return Ok(Listing { tools, fault: None });
            }
        }
        let fault = cursor.is_some().then_some("the server's list has too many pages");
        Ok(Listing { tools, fault })
    }

    /// Calls a tool and returns the result as the server wrote it.
    pub async fn call_tool(&self, name: &str, arguments: JsonObject) -> Result<Value, Failure> {
        let _running = self.calls.token();
        let parameters = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        self.request(ClientRequest::CallToolRequest(CallToolRequest::new(parameters))).await
    }

    async fn request(&self, request: ClientRequest) -> Result<Value, Failure> {
        if let Some(reason) = self.signals.reason() {
            return Err(Failure::NotSent(reason.to_string()));
        }
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let sent = sent.map_err(|_| Failure::NotSent("the session has ended".to_owned()))?;
        let mut waiting = Waiting { peer: self.peer.clone(), id: Some(sent.id.clone()) };
        let answer = sent.await_response().await;
        waiting.id = None;
        match answer {
            Ok(ServerResult::CustomResult(CustomResult(result))) => Ok(result),
            Ok(result) => serde_json::to_value(result).map_err(|error| Failure::new(error.to_string())),
            Err(ServiceError::McpError(error)) => Err(Failure::Refused(error)),
            Err(ServiceError::TransportSend(error)) => Err(transport_failure(&*error.error)),
            Err(error) => Err(Failure::new(error.to_string())),
        }
    }
}

/// Tells the server when nobody waits for its answer any more.
struct Waiting {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            let peer = self.peer.clone();
            let notice = CancelledNotification::new(CancelledNotificationParam::new(Some(id), None));
            drop(tokio::spawn(async move { peer.send_notification(notice.into()).await }));
        }
    }
}

struct Handler {
    info: ClientConfig,
    signals: Arc<Signals>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        self.info.clone()
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.signals.changed.notify_one();
    }
}
//adl:if http

fn http_config(options: &Options) -> StreamableHttpClientTransportConfig {
    let mut backoff = ExponentialBackoff::default();
    backoff.base_duration = options.settings.retry_interval;
    backoff.max_delay = Some(options.settings.retry_max_interval);
    let mut config = StreamableHttpClientTransportConfig::with_uri(options.server.url.as_str());
    config.retry_config = Arc::new(backoff);
    config.reinit_on_expired_session = false; // the supervisor opens the new session
    config
}
//adl:end

/// Says why a session did not come about.
fn handshake_failure(error: ClientInitializeError, signals: &Signals) -> Failure {
    match error {
        ClientInitializeError::JsonRpcError(error) => Failure::Refused(error),
        ClientInitializeError::TransportError { error, .. } => transport_failure(&*error.error),
        ClientInitializeError::ConnectionClosed(_) => {
            signals.reason().cloned().unwrap_or_else(|| Failure::new("the server ended the connection"))
        }
        _ => Failure::new("the server does not answer as the protocol asks"),
    }
}

/// Finds the failure in what the library made of it.
fn transport_failure(error: &(dyn Error + Send + Sync + 'static)) -> Failure {
    match error.downcast_ref::<StreamableHttpError<Failure>>() {
        Some(StreamableHttpError::Client(failure)) => failure.clone(),
        _ => error.downcast_ref::<Failure>().cloned().unwrap_or_else(|| Failure::new(describe(error))),
    }
}
