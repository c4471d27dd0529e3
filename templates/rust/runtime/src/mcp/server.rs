//! Keeps MCP servers connected.

use std::{
    fmt::Display,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::FutureExt;
use serde_json::Value;
use tokio::{
    select,
    sync::{Notify, watch},
    time::{Instant, sleep, sleep_until, timeout},
};

use super::{
    config::Settings,
    content::{ServerTool, read_tools, render_result},
    sdk::Failure,
    session::{Listing, Options, Session},
};
use crate::{environment::format_duration, tool::Reply};

/// Waited after a change notice, so that a burst of notices causes one look at the tools. It doubles up to the longest while
/// notices are followed by no change.
const SETTLE_TIME: Duration = Duration::from_millis(50);
const LONGEST_SETTLE_TIME: Duration = Duration::from_secs(1);

/// Counts failed attempts and says how long to wait after each.
pub struct Backoff {
    interval: Duration,
    longest: Duration,
    max_retries: u64,
    pause: Duration,
    pub failures: u64,
}

impl Backoff {
    pub fn new(settings: &Settings) -> Self {
        let Settings { retry_interval: interval, retry_max_interval: longest, max_retries, .. } = *settings;
        Self { interval, longest, max_retries, pause: interval, failures: 0 }
    }

    /// Returns the pause until the next attempt, `None` when there is to be none.
    pub fn fail(&mut self) -> Option<Duration> {
        self.failures += 1;
        if self.max_retries > 0 && self.failures > self.max_retries {
            return None;
        }
        let pause = self.pause;
        self.pause = pause.saturating_mul(2).min(self.longest);
        Some(pause)
    }

    pub fn succeed(&mut self) {
        self.failures = 0;
        self.pause = self.interval;
    }
}

/// How a server stands.
enum Status {
    /// An attempt is due or running, and none has failed since the last session.
    Connecting,
    Connected(Arc<Session>),
    /// Why the last attempt failed.
    Retrying(String),
    /// It was given up, or the agent stops.
    Ended(String),
}

/// Keeps one server connected and its tools known.
///
/// The tools of a server that went away stay known: a call of one makes it try again at once, so that the first call after a
/// restart succeeds. They are dropped when the server is given up.
pub struct Supervisor {
    options: Options,
    /// A call waits for the connection.
    kick: Notify,
    status: watch::Sender<Status>,
    offer: Mutex<Offer>,
}

/// What a server offered last.
#[derive(Default)]
struct Offer {
    tools: Vec<Arc<ServerTool>>,
    left_out: Vec<String>,
    fault: Option<&'static str>,
}

impl Supervisor {
    pub fn new(options: Options) -> Self {
        Self { options, kick: Notify::new(), status: watch::Sender::new(Status::Connecting), offer: Mutex::default() }
    }

    pub fn name(&self) -> &str {
        &self.options.server.name
    }

    pub fn tools(&self) -> Vec<Arc<ServerTool>> {
        self.offer().tools.clone()
    }

    pub fn is_connected(&self) -> bool {
        matches!(*self.status.borrow(), Status::Connected(_))
    }

    pub fn has_ended(&self) -> bool {
        matches!(*self.status.borrow(), Status::Ended(_))
    }

    fn offer(&self) -> MutexGuard<'_, Offer> {
        self.offer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connects, and connects again, until the agent stops or the server is given up.
    pub async fn run(self: Arc<Self>) {
        let (server, address) = (self.name(), self.options.address.as_str());
        let settings = &self.options.settings;
        let mut backoff = Backoff::new(settings);
        //adl:if remote
        if self.options.server.transport != super::config::Transport::Stdio {
            drop(super::sdk::Http::client(&self.options)); // the first attempt is not to wait for it
        }
        //adl:end
        let mut due = Instant::now(); // of the next attempt, unless a call asks for one earlier
        loop {
            let kicked = select! {
                biased;
                () = self.options.stop.cancelled() => break,
                () = self.kick.notified() => true,
                () = sleep_until(due) => false,
            };
            let begun = Instant::now();
            match self.connect().await {
                Ok(session) => {
                    backoff.succeed();
                    self.serve(&session).await;
                    due = begun + settings.retry_interval; // a server that drops every session is not to be hammered
                }
                // An attempt that a call asked for neither counts as a retry nor shifts the next one.
                Err(_) if kicked || self.options.stop.is_cancelled() => {}
                Err(error) => match backoff.fail() {
                    Some(pause) => {
                        let (failures, retry_in) = (backoff.failures, format_duration(pause));
                        tracing::warn!(server, address, error, failures, retry_in, "MCP server not reachable");
                        due = Instant::now() + pause;
                    }
                    None => {
                        let failures = backoff.failures;
                        tracing::error!(server, address, error, failures, "MCP server given up");
                        return self.end(format!("given up after {failures} failed attempts: {error}"));
                    }
                },
            }
        }
        self.end("the agent is stopping".to_owned());
    }

    /// Makes one attempt: a session and the tools, within the dial timeout. Otherwise it returns why there is none.
    async fn connect(&self) -> Result<Arc<Session>, String> {
        let _ = self.kick.notified().now_or_never(); // whoever waits now is served by this attempt
        let attempt = async {
            let session = Session::open(&self.options).await?;
            let listing = session.list_tools().await?;
            Ok((session, listing))
        };
        let outcome = select! {
            outcome = timeout(self.options.settings.dial_timeout, attempt) => self.explain(outcome),
            () = self.options.stop.cancelled() => Err("the agent is stopping".to_owned()),
        };
        match outcome {
            Ok((session, listing)) => {
                self.set_tools(listing);
                let session = Arc::new(session);
                self.status.send_replace(Status::Connected(session.clone()));
                let (server, address, tools) = (self.name(), self.options.address.as_str(), self.offer().tools.len());
                tracing::info!(server, address, tools, "MCP server connected");
                Ok(session)
            }
            Err(error) => {
                self.status.send_replace(Status::Retrying(error.clone()));
                Err(error)
            }
        }
    }

    /// Keeps the tools up to date until the session is lost or the agent stops.
    async fn serve(&self, session: &Arc<Session>) {
        let (stop, signals) = (&self.options.stop, &session.signals);
        let (server, address) = (self.name(), self.options.address.as_str());
        let mut settle = SETTLE_TIME;
        loop {
            let noticed = select! {
                biased;
                () = stop.cancelled() => break,
                () = signals.lost.cancelled() => break,
                () = signals.changed.notified() => true,
                () = sleep(self.options.settings.refresh_interval) => false,
            };
            if noticed {
                select! {
                    () = stop.cancelled() => break,
                    () = signals.lost.cancelled() => break,
                    () = sleep(settle) => {}
                }
                let _ = signals.changed.notified().now_or_never();
            }
            let listing = select! {
                () = stop.cancelled() => break,
                () = signals.lost.cancelled() => break,
                listing = timeout(self.options.settings.dial_timeout, session.list_tools()) => listing,
            };
            // A server may work on one request at a time: that it does not answer while it works on a call says nothing.
            let harmless = matches!(&listing, Ok(Err(Failure::Refused(_)))) || listing.is_err() && session.is_busy();
            settle = (2 * settle).min(LONGEST_SETTLE_TIME);
            match self.explain(listing) {
                Ok(listing) => {
                    if self.set_tools(listing) {
                        settle = SETTLE_TIME;
                        tracing::info!(server, address, tools = self.offer().tools.len(), "MCP tools changed");
                    }
                }
                Err(error) if harmless => tracing::warn!(server, address, error, "MCP server does not list its tools"),
                Err(error) => signals.lose(Failure::new(error)),
            }
        }
        self.abandon(session);
        if let (Some(reason), false) = (signals.reason(), stop.is_cancelled()) {
            tracing::warn!(server, address, error = self.redact(reason), "MCP session lost");
        }
    }

    /// Keeps the tools, and tells whether they differ from those before.
    fn set_tools(&self, listing: Listing) -> bool {
        let (tools, left_out) = read_tools(&listing.tools);
        let next = Offer { tools: tools.into_iter().map(Arc::new).collect(), left_out, fault: listing.fault };
        let (server, address) = (self.name(), self.options.address.as_str());
        let mut offer = self.offer();
        if next.left_out != offer.left_out && !next.left_out.is_empty() {
            let tools = next.left_out.join(", ");
            tracing::warn!(
                server,
                address,
                tools,
                "MCP tools left out: the name is missing or repeated, or the schema is invalid"
            );
        }
        if let (Some(reason), true) = (next.fault, next.fault != offer.fault) {
            tracing::warn!(server, address, reason, "MCP tools not read to the end");
        }
        let changed = next.tools != offer.tools;
        *offer = next;
        changed
    }

    /// Stops using the session, which ends with the calls that run.
    fn abandon(&self, session: &Arc<Session>) {
        self.status.send_if_modified(|status| {
            let is_current = matches!(status, Status::Connected(current) if Arc::ptr_eq(current, session));
            if is_current {
                *status = Status::Connecting;
            }
            is_current
        });
    }

    /// Records that no attempt will follow.
    fn end(&self, failure: String) {
        *self.offer() = Offer::default();
        self.status.send_replace(Status::Ended(failure));
    }

    /// Returns the session. While there is none it asks for an attempt, waits for it, and returns its failure.
    async fn connected(&self) -> Result<Arc<Session>, String> {
        let mut status = self.status.subscribe();
        match &*status.borrow_and_update() {
            Status::Connected(session) => return Ok(session.clone()),
            Status::Ended(failure) => return Err(failure.clone()),
            Status::Connecting | Status::Retrying(_) => self.kick.notify_one(),
        }
        let _ = status.changed().await; // the sender is here
        match status.wait_for(|status| !matches!(status, Status::Connecting)).await.as_deref() {
            Ok(Status::Connected(session)) => Ok(session.clone()),
            Ok(Status::Retrying(failure) | Status::Ended(failure)) => Err(failure.clone()),
            _ => Err("the session was lost again".to_owned()),
        }
    }

    /// Calls a tool within the call timeout.
    pub async fn call(&self, tool: &str, arguments: &Value) -> Reply {
        let limit = self.options.settings.call_timeout;
        timeout(limit, self.call_in_time(tool, arguments)).await.unwrap_or_else(|_| {
            if let Status::Connected(session) = &*self.status.borrow() {
                session.signals.changed.notify_one(); // see whether the server is still there
            }
            let limit = format_duration(limit);
            Reply::failure(format!("MCP server {:?} did not answer the call of {tool:?} within {limit}", self.name()))
        })
    }

    /// Calls a tool. A call that did not reach the server is made once more, on a new session where the old one is lost; one that
    /// may have reached it is not, since tools have effects.
    async fn call_in_time(&self, tool: &str, arguments: &Value) -> Reply {
        let arguments = match arguments {
            Value::Object(arguments) => arguments.clone(),
            Value::Null => serde_json::Map::new(),
            _ => return Reply::failure("the arguments must be a JSON object"),
        };
        let server = format!("MCP server {:?}", self.name());
        let mut again = true;
        loop {
            let session = match self.connected().await {
                Ok(session) => session,
                Err(failure) => return Reply::failure(format!("{server} is not connected: {failure}")),
            };
            let failure = match session.call_tool(tool, arguments.clone()).await {
                Ok(result) if result["isError"] == true => return Reply::failure(render_result(&result)),
                Ok(result) => return Reply::success(render_result(&result)),
                Err(failure) => failure,
            };
            if matches!(failure, Failure::NotSent(_)) {
                session.signals.lose(failure.clone());
                self.abandon(&session);
                if again {
                    again = false;
                    continue;
                }
            }
            session.signals.changed.notify_one(); // see whether the server is still there
            let words = self.redact(&failure);
            return Reply::failure(match failure {
                Failure::Refused(_) => format!("{server} refused the call of {tool:?}: {words}"),
                _ => format!("{server} did not complete the call: {words}"),
            });
        }
    }

    fn redact(&self, text: impl Display) -> String {
        self.options.redactor.redact(&text.to_string())
    }

    /// Puts a failure into words: without secrets, and with the limit that was exceeded.
    fn explain<T, E>(&self, outcome: Result<Result<T, Failure>, E>) -> Result<T, String> {
        match outcome {
            Ok(outcome) => outcome.map_err(|failure| self.redact(failure)),
            Err(_) => Err(format!("no answer within {}", format_duration(self.options.settings.dial_timeout))),
        }
    }
}
