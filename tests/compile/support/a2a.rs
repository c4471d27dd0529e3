//! The A2A side of the tests: the interface of all clients, and the client that sends raw JSON-RPC.

use std::{
    io::{BufRead, BufReader},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use serde::Deserialize;
use serde_json::{Value, json};

/// A protocol version of A2A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Protocol {
    /// 0.3, `message/send` and its like.
    V0_3,
    /// 1.0, `SendMessage` and its like.
    V1_0,
}

impl Protocol {
    /// Both versions.
    pub(crate) const ALL: [Self; 2] = [Self::V0_3, Self::V1_0];

    /// The version in requests.
    pub(crate) fn version(self) -> &'static str {
        match self {
            Self::V0_3 => "0.3",
            Self::V1_0 => "1.0",
        }
    }
}

/// The state of a task after a command, as seen by the client.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
    /// The id of the task.
    pub(crate) task: String,
    /// The id of its context.
    pub(crate) context: String,
    /// The state, as spelled in protocol 0.3.
    pub(crate) state: String,
    /// The text of the artifacts.
    pub(crate) text: String,
    /// The text of the latest status message.
    pub(crate) message: String,
    /// All states that were received.
    pub(crate) states: Vec<String>,
    /// The error, if the command failed.
    pub(crate) error: Option<String>,
}

impl Answer {
    /// Asserts that the task was completed with this text.
    #[track_caller]
    pub(crate) fn completed_with(&self, text: &str) {
        assert_eq!((self.state.as_str(), self.text.as_str()), ("completed", text), "{self:?}");
    }

    /// Adds the contents of a response or event of either protocol.
    fn add(&mut self, event: &Value) {
        for wrapped in ["task", "statusUpdate", "artifactUpdate", "message"] {
            if event[wrapped].is_object() {
                return self.add(&event[wrapped]);
            }
        }
        if let Some(id) = event["id"].as_str() {
            id.clone_into(&mut self.task);
            event["contextId"].as_str().unwrap_or_default().clone_into(&mut self.context);
            self.text = event["artifacts"].as_array().map_or(&[][..], Vec::as_slice).iter().map(text_of).collect();
        }
        if event["artifact"].is_object() {
            self.text += &text_of(&event["artifact"]);
        }
        if let Some(state) = event["status"]["state"].as_str() {
            self.state = state.trim_start_matches("TASK_STATE_").to_lowercase().replace('_', "-");
            self.states.push(self.state.clone());
            if event["status"]["message"].is_object() {
                self.message = text_of(&event["status"]["message"]);
            }
        }
    }
}

/// The text of the parts of a message or an artifact.
pub(crate) fn text_of(holder: &Value) -> String {
    holder["parts"].as_array().map_or(&[][..], Vec::as_slice).iter().filter_map(|part| part["text"].as_str()).collect()
}

/// A client. The commands are `send` (waits for the result), `begin` (does not wait), `stream`, `get` and `cancel`.
pub(crate) trait Client {
    /// Executes a command `{"do": ..., "text": ..., "task": ..., "context": ...}`.
    fn ask(&mut self, command: &Value) -> Answer;

    /// Sends a message and waits until the task ends or waits for input.
    fn send(&mut self, text: &str) -> Answer {
        self.ask(&json!({"do": "send", "text": text}))
    }

    /// Sends a message and returns when the task exists.
    fn begin(&mut self, text: &str) -> Answer {
        self.ask(&json!({"do": "begin", "text": text}))
    }

    /// Sends a message and reads all events.
    fn stream(&mut self, text: &str) -> Answer {
        self.ask(&json!({"do": "stream", "text": text}))
    }

    /// Sends another message in a context.
    fn send_in(&mut self, context: &str, text: &str) -> Answer {
        self.ask(&json!({"do": "send", "text": text, "context": context}))
    }

    /// Continues a task that waits for input.
    fn reply(&mut self, waiting: &Answer, text: &str) -> Answer {
        self.ask(&json!({"do": "send", "text": text, "context": waiting.context, "task": waiting.task}))
    }

    /// Reads a task.
    fn get(&mut self, task: &str) -> Answer {
        self.ask(&json!({"do": "get", "task": task}))
    }

    /// Cancels a task.
    fn cancel(&mut self, task: &str) -> Answer {
        self.ask(&json!({"do": "cancel", "task": task}))
    }
}

/// A client that sends JSON-RPC over HTTP.
#[derive(Clone, Debug)]
pub(crate) struct RawClient {
    url: String,
    protocol: Protocol,
    http: ureq::Agent,
}

impl RawClient {
    /// A client of the agent at this base URL, with the path `/a2a`.
    pub(crate) fn new(base: &str, protocol: Protocol) -> Self {
        let settings = ureq::Agent::config_builder().http_status_as_error(false);
        let http = settings.timeout_global(Some(Duration::from_secs(90))).build().into();
        Self { url: format!("{base}/a2a"), protocol, http }
    }

    /// The same client with a different path.
    pub(crate) fn at(&self, base: &str, path: &str) -> Self {
        Self { url: format!("{base}{path}"), ..self.clone() }
    }

    /// Calls a method and returns the whole JSON-RPC response.
    #[track_caller]
    pub(crate) fn call(&self, method: &str, parameters: &Value) -> Value {
        self.call_as(self.protocol.version(), method, parameters)
    }

    /// Like [`RawClient::call`] with any `A2A-Version`; an empty version is not sent.
    #[track_caller]
    pub(crate) fn call_as(&self, version: &str, method: &str, parameters: &Value) -> Value {
        self.post(version, method, parameters).body_mut().read_json().unwrap()
    }

    /// Calls a streaming method and returns its events as they arrive, each a JSON-RPC response.
    #[track_caller]
    pub(crate) fn events(&self, method: &str, parameters: &Value) -> impl Iterator<Item = Value> + use<> {
        let response = self.post(self.protocol.version(), method, parameters);
        let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
        assert!(kind.starts_with("text/event-stream"), "{kind}");
        let lines = BufReader::new(response.into_body().into_reader()).lines().map_while(Result::ok);
        lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data:")?.trim()).ok())
    }

    /// Sends a raw body with the protocol's version, and returns the status and the JSON of the response.
    #[track_caller]
    pub(crate) fn send_body(&self, body: &str) -> (u16, Value) {
        let request = self.http.post(&self.url).header("A2A-Version", self.protocol.version());
        let mut response = request.header("Content-Type", "application/json").send(body).unwrap();
        (response.status().as_u16(), response.body_mut().read_json().unwrap_or_default())
    }

    fn post(&self, version: &str, method: &str, parameters: &Value) -> ureq::http::Response<ureq::Body> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters});
        let mut request = self.http.post(&self.url);
        if !version.is_empty() {
            request = request.header("A2A-Version", version);
        }
        request.send_json(&body).unwrap()
    }

    /// The method name and the parameters of a command.
    pub(crate) fn request(&self, command: &Value) -> (&'static str, Value) {
        let does = command["do"].as_str().unwrap();
        let method = match (self.protocol, does) {
            (Protocol::V0_3, "send" | "begin") => "message/send",
            (Protocol::V0_3, "stream") => "message/stream",
            (Protocol::V0_3, "get") => "tasks/get",
            (Protocol::V0_3, _) => "tasks/cancel",
            (Protocol::V1_0, "send" | "begin") => "SendMessage",
            (Protocol::V1_0, "stream") => "SendStreamingMessage",
            (Protocol::V1_0, "get") => "GetTask",
            (Protocol::V1_0, _) => "CancelTask",
        };
        if matches!(does, "get" | "cancel") {
            return (method, json!({"id": command["task"]}));
        }
        (method, self.message(command))
    }

    fn message(&self, command: &Value) -> Value {
        static MESSAGES: AtomicUsize = AtomicUsize::new(0);
        let id = format!("message-{}", MESSAGES.fetch_add(1, Ordering::Relaxed));
        let text = &command["text"];
        let begins = command["do"] == "begin";
        let (mut message, configuration) = match self.protocol {
            Protocol::V0_3 => (
                json!({"kind": "message", "messageId": id, "role": "user", "parts": [{"kind": "text", "text": text}]}),
                json!({"blocking": !begins}),
            ),
            Protocol::V1_0 => (
                json!({"messageId": id, "role": "ROLE_USER", "parts": [{"text": text}]}),
                json!({"returnImmediately": begins}),
            ),
        };
        for (field, value) in [("taskId", &command["task"]), ("contextId", &command["context"])] {
            if value.is_string() {
                message[field] = value.clone();
            }
        }
        json!({"message": message, "configuration": configuration})
    }
}

impl Client for RawClient {
    fn ask(&mut self, command: &Value) -> Answer {
        let (method, parameters) = self.request(command);
        let mut answer = Answer::default();
        let responses: Vec<Value> = if command["do"] == "stream" {
            self.events(method, &parameters).collect()
        } else {
            vec![self.call(method, &parameters)]
        };
        for response in responses {
            match response.get("error") {
                None => answer.add(&response["result"]),
                Some(error) => answer.error = Some(error.to_string()),
            }
        }
        answer
    }
}
