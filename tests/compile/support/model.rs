//! A scripted model with the OpenAI-compatible chat completions API, with and without streaming.

use std::{
    future::pending,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::DefaultBodyLimit,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::sleep};
use tokio_stream::wrappers::ReceiverStream;

use super::local::{LocalServer, lock};

/// The response to a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Text, streamed in two pieces.
    Text(String),
    /// Pieces of text with a pause between them.
    Slowly(Vec<String>, Duration),
    /// Tool calls with name and arguments; the arguments are streamed in two pieces.
    Calls(Vec<(String, Value)>),
    /// Text followed by a tool call.
    TextAndCall(String, (String, Value)),
    /// Tool calls without `index`, as some providers stream them.
    CallsWithoutIndex(Vec<(String, Value)>),
    /// An HTTP error status.
    Status(u16),
    /// An HTTP error status with a message.
    Refusal(u16, String),
    /// No response.
    Hang,
    /// Text, after which the connection stays open without further data.
    Stall(String),
    /// Text, after which the connection breaks.
    Break(String),
    /// Status 200 with this body instead of JSON.
    Garbage(String),
}

impl Reply {
    /// A text response.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A call of one tool.
    pub(crate) fn call(tool: impl Into<String>, arguments: Value) -> Self {
        Self::Calls(vec![(tool.into(), arguments)])
    }
}

/// A request to the model.
#[derive(Clone, Debug)]
pub(crate) struct ChatRequest {
    /// The whole body.
    pub(crate) body: Value,
    /// The `Authorization` header; empty if it is missing.
    pub(crate) authorization: String,
}

impl ChatRequest {
    /// The conversation so far.
    pub(crate) fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The texts of all messages with this role.
    pub(crate) fn said_by(&self, role: &str) -> Vec<String> {
        self.messages().iter().filter(|message| message["role"] == role).map(text_of).collect()
    }

    /// The latest message of the user.
    pub(crate) fn user(&self) -> String {
        self.said_by("user").pop().unwrap_or_default()
    }

    /// The tool results since the latest message of the user.
    pub(crate) fn tool_answers(&self) -> Vec<String> {
        let newest = self.messages().iter().rposition(|message| message["role"] == "user").map_or(0, |place| place + 1);
        self.messages()[newest..].iter().filter(|message| message["role"] == "tool").map(text_of).collect()
    }

    /// The names of the offered tools.
    pub(crate) fn tools(&self) -> Vec<String> {
        let offered = self.body["tools"].as_array().map_or(&[][..], Vec::as_slice);
        offered.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    }
}

fn text_of(message: &Value) -> String {
    let content = &message["content"];
    match content.as_array() {
        Some(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        None => content.as_str().unwrap_or_default().to_owned(),
    }
}

type Script = dyn Fn(&ChatRequest) -> Reply + Send + Sync;

/// The model server. It accepts any API key and any model name.
#[derive(Debug)]
pub(crate) struct ModelServer {
    server: LocalServer,
    asked: Arc<Mutex<Vec<ChatRequest>>>,
    offered: Arc<Mutex<Vec<String>>>,
}

impl ModelServer {
    /// A message that is answered with itself instead of by the script. It records the offered tools.
    pub(crate) const ROLL_CALL: &str = "roll call";

    /// Starts a server whose responses are determined by `script`.
    pub(crate) fn start(script: impl Fn(&ChatRequest) -> Reply + Send + Sync + 'static) -> Self {
        let (asked, offered) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let script: Arc<Script> = Arc::new(script);
        let (record, roll) = (asked.clone(), offered.clone());
        let answer = move |headers: HeaderMap, body: Bytes| {
            let request = ChatRequest {
                body: serde_json::from_slice(&body).unwrap_or_default(),
                authorization: header_text(&headers, "authorization"),
            };
            let reply = if request.user() == Self::ROLL_CALL {
                *lock(&roll) = request.tools();
                Reply::text(Self::ROLL_CALL)
            } else {
                lock(&record).push(request.clone());
                script(&request)
            };
            respond(reply, request.body["stream"] == true)
        };
        let server = LocalServer::start(
            Router::new().route("/v1/chat/completions", post(answer)).layer(DefaultBodyLimit::disable()),
        );
        Self { server, asked, offered }
    }

    /// A model that calls `tool` once per message of the user, then answers `tool said: ` and the tool's result.
    pub(crate) fn calling(tool: &str, arguments: Value) -> Self {
        let tool = tool.to_owned();
        Self::start(move |request| match request.tool_answers().last() {
            Some(answer) => Reply::text(format!("tool said: {answer}")),
            None => Reply::call(&tool, arguments.clone()),
        })
    }

    /// The value of `A2A_AGENT_CLIENT_BASE_URL`.
    pub(crate) fn url(&self) -> String {
        format!("{}/v1", self.server.url())
    }

    /// The tools that were offered at the latest roll call.
    pub(crate) fn offered(&self) -> Vec<String> {
        lock(&self.offered).clone()
    }

    /// All requests so far, except roll calls.
    pub(crate) fn asked(&self) -> Vec<ChatRequest> {
        lock(&self.asked).clone()
    }

    /// The latest request.
    #[track_caller]
    pub(crate) fn last(&self) -> ChatRequest {
        lock(&self.asked).last().cloned().expect("the model was asked")
    }
}

/// The value of a header; empty if it is missing.
pub(crate) fn header_text(headers: &HeaderMap, name: &str) -> String {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).unwrap_or_default()
}

async fn respond(reply: Reply, streamed: bool) -> Response {
    match reply {
        Reply::Status(code) => respond_refusal(code, "the scripted model refuses"),
        Reply::Refusal(code, message) => respond_refusal(code, &message),
        Reply::Hang => pending().await,
        Reply::Garbage(body) if streamed => events(vec![format!("data: {body}\n\n")], Duration::ZERO, Ending::Close),
        Reply::Garbage(body) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
        Reply::Stall(text) => events(vec![chunk(&json!({"content": text}), None)], Duration::ZERO, Ending::Stall),
        Reply::Break(text) => events(vec![chunk(&json!({"content": text}), None)], Duration::ZERO, Ending::Break),
        Reply::Text(text) if streamed => {
            let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(place, _)| place);
            let (first, second) = text.split_at(middle);
            text_events(&[first.to_owned(), second.to_owned()], Duration::ZERO)
        }
        Reply::Slowly(pieces, pause) if streamed => text_events(&pieces, pause),
        Reply::Text(text) => whole(&json!({"role": "assistant", "content": text}), "stop"),
        Reply::Slowly(pieces, pause) => {
            sleep(pause * u32::try_from(pieces.len()).unwrap()).await;
            whole(&json!({"role": "assistant", "content": pieces.concat()}), "stop")
        }
        Reply::Calls(calls) if streamed => events(call_chunks(&calls, true), Duration::ZERO, Ending::Close),
        Reply::TextAndCall(text, call) if streamed => {
            let chunks = vec![chunk(&json!({"content": text}), None)];
            events([chunks, call_chunks(&[call], true)].concat(), Duration::ZERO, Ending::Close)
        }
        Reply::TextAndCall(text, call) => {
            let calls = [whole_call(0, &call)];
            whole(&json!({"role": "assistant", "content": text, "tool_calls": calls}), "tool_calls")
        }
        Reply::CallsWithoutIndex(calls) if streamed => {
            events(call_chunks(&calls, false), Duration::ZERO, Ending::Close)
        }
        Reply::Calls(calls) | Reply::CallsWithoutIndex(calls) => {
            let calls: Vec<_> = calls.iter().enumerate().map(|(number, call)| whole_call(number, call)).collect();
            whole(&json!({"role": "assistant", "content": null, "tool_calls": calls}), "tool_calls")
        }
    }
}

fn respond_refusal(code: u16, message: &str) -> Response {
    let refusal = json!({"error": {"message": message, "type": "scripted", "code": "scripted"}});
    (StatusCode::from_u16(code).unwrap(), refusal.to_string()).into_response()
}

fn whole(message: &Value, reason: &str) -> Response {
    let body = json!({
        "id": "scripted", "object": "chat.completion", "created": 0, "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    });
    ([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn whole_call(number: usize, (tool, arguments): &(String, Value)) -> Value {
    json!({"id": format!("call-{number}"), "type": "function",
        "function": {"name": tool, "arguments": arguments.to_string()}})
}

fn text_events(pieces: &[String], pause: Duration) -> Response {
    let mut chunks: Vec<_> = pieces.iter().map(|piece| chunk(&json!({"content": piece}), None)).collect();
    chunks.push(chunk(&json!({}), Some("stop")) + "data: [DONE]\n\n");
    events(chunks, pause, Ending::Close)
}

/// The first chunk of a call contains its id and name, the second the rest of the arguments. With `indexed`, the calls
/// are interleaved.
fn call_chunks(calls: &[(String, Value)], indexed: bool) -> Vec<String> {
    let pieces = calls.iter().enumerate().map(|(number, call)| {
        let (mut begin, arguments) = (whole_call(number, call), call.1.to_string());
        let (first, rest) = arguments.split_at(1);
        begin["function"]["arguments"] = json!(first);
        let mut end = json!({"function": {"arguments": rest}});
        if indexed {
            begin["index"] = json!(number);
            end["index"] = json!(number);
        }
        (begin, end)
    });
    let (begins, ends): (Vec<_>, Vec<_>) = pieces.unzip();
    let deltas: Vec<_> = if indexed {
        [begins, ends].concat()
    } else {
        begins.into_iter().zip(ends).flat_map(|(begin, end)| [begin, end]).collect()
    };
    let mut chunks: Vec<_> = deltas.iter().map(|delta| chunk(&json!({"tool_calls": [delta]}), None)).collect();
    chunks.push(chunk(&json!({}), Some("tool_calls")) + "data: [DONE]\n\n");
    chunks
}

fn chunk(delta: &Value, reason: Option<&str>) -> String {
    let body = json!({
        "id": "scripted", "object": "chat.completion.chunk", "created": 0, "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    });
    format!("data: {body}\n\n")
}

enum Ending {
    Close,
    Stall,
    Break,
}

fn events(chunks: Vec<String>, pause: Duration, ending: Ending) -> Response {
    let (sender, receiver) = mpsc::channel(1);
    drop(tokio::spawn(async move {
        for (number, piece) in chunks.into_iter().enumerate() {
            if number > 0 {
                sleep(pause).await;
            }
            if sender.send(Ok(piece)).await.is_err() {
                return;
            }
        }
        match ending {
            Ending::Close => {}
            Ending::Stall => pending::<()>().await,
            Ending::Break => drop(sender.send(Err(io::Error::other("scripted break"))).await),
        }
    }));
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(ReceiverStream::new(receiver))).into_response()
}
