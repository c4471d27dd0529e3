//! Asks a model through an OpenAI-compatible interface.

use std::{collections::BTreeMap, time::Duration};

use async_trait::async_trait;
use reqwest::{Client, Response, StatusCode, header::HeaderMap};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::{
    agent::executor::{Failure, Output},
    environment::{Lookup, duration, format_duration, integer, optional_integer, optional_number, read, text},
    log::describe,
    tool::Definition,
};

const MODEL: &str = "A2A_AGENT_CLIENT_MODEL";
const BASE_URL: &str = "A2A_AGENT_CLIENT_BASE_URL";
const MAX_TOKENS: &str = "A2A_AGENT_CLIENT_MAX_TOKENS";
const TEMPERATURE: &str = "A2A_AGENT_CLIENT_TEMPERATURE";
const MAX_ITERATIONS: &str = "A2A_AGENT_CLIENT_MAX_CHAT_COMPLETION_ITERATIONS";

/// The settings of the model.
#[derive(Clone, Debug)]
pub struct Settings {
    pub provider: String,
    pub model: String,
    pub base_url: String,
    pub api_key: String,
    pub system_prompt: String,
    pub max_tokens: Option<i64>,
    pub temperature: Option<f64>,
    pub timeout: Duration,
    pub max_retries: u64,
    pub max_iterations: u64,
    pub max_conversation_history: u64,
    pub max_conversation_bytes: u64,
}

impl Settings {
    /// Reads the variables. Values that cannot be used become problems.
    pub fn read(lookup: Lookup, problems: &mut Vec<String>) -> Self {
        Self {
            provider: read(lookup, "A2A_AGENT_CLIENT_PROVIDER", text, problems),
            model: read(lookup, MODEL, text, problems),
            base_url: read(lookup, BASE_URL, text, problems),
            api_key: read(lookup, "A2A_AGENT_CLIENT_API_KEY", text, problems),
            system_prompt: read(lookup, "A2A_AGENT_CLIENT_SYSTEM_PROMPT", text, problems),
            max_tokens: read(lookup, MAX_TOKENS, optional_integer, problems),
            temperature: read(lookup, TEMPERATURE, optional_number, problems),
            timeout: read(lookup, "A2A_AGENT_CLIENT_TIMEOUT", duration, problems),
            max_retries: read(lookup, "A2A_AGENT_CLIENT_MAX_RETRIES", integer, problems),
            max_iterations: read(lookup, MAX_ITERATIONS, integer, problems),
            max_conversation_history: read(lookup, "A2A_AGENT_CLIENT_MAX_CONVERSATION_HISTORY", integer, problems),
            max_conversation_bytes: read(lookup, "A2A_AGENT_CLIENT_MAX_CONVERSATION_BYTES", integer, problems),
        }
    }

    /// Says what is wrong with the settings.
    pub fn check(&self, problems: &mut Vec<String>) {
        // The value may hold a credential, so the message never quotes it.
        if !self.base_url.is_empty() && !is_http(&self.base_url) {
            problems.push(format!("{BASE_URL}: must be an http or https URL"));
        }
        if self.max_tokens.is_some_and(|tokens| tokens < 1) {
            problems.push(format!("{MAX_TOKENS}: must be 1 or more"));
        }
        if self.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
            problems.push(format!("{TEMPERATURE}: must be between 0 and 2"));
        }
        if self.max_iterations < 1 {
            problems.push(format!("{MAX_ITERATIONS}: must be 1 or more"));
        }
    }
}

fn is_http(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// What is known about a model provider with an OpenAI-compatible interface.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provider {
    /// Empty: none that is the same for everybody.
    pub base_url: String,
    /// Usually holds the key.
    pub key_variable: String,
}

/// One message of a conversation with the model.
#[derive(Clone, Debug, Serialize)]
pub struct Message {
    pub role: &'static str,
    pub content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<Call>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl Message {
    fn new(role: &'static str, content: impl Into<String>) -> Self {
        Self { role, content: Some(content.into()), tool_calls: Vec::new(), tool_call_id: None }
    }

    pub fn system(text: impl Into<String>) -> Self {
        Self::new("system", text)
    }

    pub fn user(text: impl Into<String>) -> Self {
        Self::new("user", text)
    }

    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new("assistant", text)
    }

    /// The result of a call.
    pub fn tool(call_id: String, text: impl Into<String>) -> Self {
        Self { tool_call_id: Some(call_id), ..Self::new("tool", text) }
    }

    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        let calls = self.tool_calls.iter().map(|call| call.id.len() + call.name.len() + call.arguments.len());
        64 + self.content.as_ref().map_or(0, String::len) + calls.sum::<usize>()
    }
}

/// The model's wish to run a tool.
#[derive(Clone, Debug)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// Meant to be a JSON object, but a model may write anything.
    pub arguments: String,
}

impl Serialize for Call {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let function = json!({"name": self.name, "arguments": self.arguments});
        json!({"id": self.id, "type": "function", "function": function}).serialize(serializer)
    }
}

/// One whole answer of the model: text, calls of tools, or both.
#[derive(Clone, Debug)]
pub struct Completion {
    pub text: String,
    pub calls: Vec<Call>,
    /// The model stopped at its token limit.
    pub truncated: bool,
}

/// Answers a conversation.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks for the next message. Text is passed to `output` as it arrives.
    async fn complete(
        &self,
        messages: &[Message],
        tools: &[Definition],
        output: &mut Output,
    ) -> Result<Completion, Failure>;
}

/// Asks one model.
pub struct ModelClient {
    http: Client,
    settings: Settings,
    url: String,
    api_key: String,
    /// OpenAI's own models take `max_completion_tokens`, every other server knows the older `max_tokens`.
    limit_field: &'static str,
}

impl ModelClient {
    /// Fills in what the settings leave open from the table of providers. An error names the variable that has to be set.
    pub fn new(settings: Settings, providers: &BTreeMap<String, Provider>, lookup: Lookup) -> Result<Self, String> {
        if settings.model.is_empty() {
            return Err(format!("{MODEL}: must be set"));
        }
        let known = providers.get(&settings.provider);
        let own = known.map(|provider| provider.base_url.as_str()).unwrap_or_default();
        let base_url = if settings.base_url.is_empty() { own } else { &settings.base_url };
        if base_url.is_empty() {
            return Err(format!("{BASE_URL}: must be set, since the provider has no fixed address"));
        }
        let key_variable = known.map(|provider| provider.key_variable.as_str()).unwrap_or_default();
        let api_key = match settings.api_key.as_str() {
            "" => lookup(key_variable).unwrap_or_default(),
            key => key.to_owned(),
        };
        if api_key.is_empty() && base_url == own && !base_url.starts_with("http://localhost") {
            tracing::warn!(variable = key_variable, "no key for the model is set");
        }
        let openai = providers.get("openai").is_some_and(|openai| openai.base_url == base_url);
        Ok(Self {
            http: Client::builder().build().map_err(|error| describe(&error))?,
            url: format!("{}/chat/completions", base_url.trim_end_matches('/')),
            limit_field: if openai { "max_completion_tokens" } else { "max_tokens" },
            api_key,
            settings,
        })
    }

    fn body(&self, messages: &[Message], tools: &[Definition]) -> Value {
        let Settings { model, max_tokens, temperature, .. } = &self.settings;
        let mut body = json!({"model": model, "stream": true, "messages": messages});
        if !tools.is_empty() {
            body["tools"] = tools.iter().map(offer).collect();
        }
        if let Some(temperature) = temperature {
            body["temperature"] = json!(temperature);
        }
        if let Some(max_tokens) = max_tokens {
            body[self.limit_field] = json!(max_tokens);
        }
        body
    }

    /// Sends a request, again when that may help, and returns the beginning of the answer.
    async fn send(&self, body: &Value, tools: &[Definition]) -> Result<Response, Failure> {
        for attempt in 0.. {
            let mut request = self.http.post(&self.url).json(body);
            if !self.api_key.is_empty() {
                request = request.bearer_auth(&self.api_key);
            }
            let is_last = attempt >= self.settings.max_retries;
            let pause = match self.within(request.send()).await? {
                Ok(response) if response.status().is_success() => return Ok(response),
                Ok(response) if !is_last && is_passing(response.status()) => pause(response.headers(), attempt),
                Ok(response) => return Err(self.refusal(response, tools).await),
                Err(error) if is_last => {
                    let cause = describe(&error.without_url());
                    return Err(Failure::because("the model server could not be reached", cause));
                }
                Err(_) => pause(&HeaderMap::new(), attempt),
            };
            sleep(pause).await;
        }
        unreachable!("the last attempt returns")
    }

    /// Waits for the server for as long as it may be silent: a long answer may take its time as long as it goes on.
    async fn within<T>(&self, answer: impl Future<Output = T>) -> Result<T, Failure> {
        let limit = self.settings.timeout;
        let silence = |_| Failure::new(format!("the model did not answer within {}", format_duration(limit)));
        timeout(limit, answer).await.map_err(silence)
    }

    /// Puts a refusal into words. The server's message may repeat the request, so only the fixed words beside it are logged, and
    /// the tool it is about.
    async fn refusal(&self, mut response: Response, tools: &[Definition]) -> Failure {
        let status = response.status();
        let mut text = Vec::new();
        while let Ok(Ok(Some(chunk))) = self.within(response.chunk()).await {
            text.extend(chunk);
            if text.len() > MAX_REFUSAL {
                break;
            }
        }
        let body: Value = serde_json::from_slice(&text).unwrap_or_default();
        let error = &body["error"];
        let code = error["code"].as_str().unwrap_or_default();
        let words = match status.as_u16() {
            _ if code == "context_length_exceeded" => "the conversation is too long for the model",
            401 | 403 => "the model server refused the agent's credentials",
            404 => "the model server does not know the model or the address",
            429 => "the model server takes no more requests for now",
            500.. => "the model server failed",
            _ => "the model server refused the request",
        };
        let text = |field: &str| error[field].as_str().unwrap_or_default().to_owned();
        let tool = refused_tool(&format!("{} {}", text("param"), text("message")), tools).unwrap_or_default();
        let facts = [("type", text("type")), ("code", code.to_owned()), ("param", text("param")), ("tool", tool)];
        let facts: Vec<_> = facts
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name} {value:?}"))
            .collect();
        Failure::because(format!("{words} (HTTP {})", status.as_u16()), facts.join(", "))
    }
}

/// Bounds what is read of a refusal, in bytes.
const MAX_REFUSAL: usize = 1 << 16;

fn offer(Definition { name, description, schema }: &Definition) -> Value {
    let mut function = json!({"name": name, "parameters": schema});
    if !description.is_empty() {
        function["description"] = json!(description);
    }
    json!({"type": "function", "function": function})
}

/// Whether a refusal may pass.
fn is_passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 409 | 429 | 500..)
}

/// How long to wait before the next attempt: as the server asks, if that is not too long.
fn pause(headers: &HeaderMap, attempt: u64) -> Duration {
    let asked = headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
    match asked {
        Some(seconds @ 1..=60) => Duration::from_secs(seconds),
        _ => Duration::from_millis(500 << attempt.min(4)),
    }
}

/// The name of the tool that a refusal is about, as `tools[3].function` or by its name.
fn refused_tool(reason: &str, tools: &[Definition]) -> Option<String> {
    if let Some((_, place)) = reason.split_once("tools[").or_else(|| reason.split_once("tools.")) {
        let digits: String = place.chars().take_while(char::is_ascii_digit).collect();
        if let Ok(index) = digits.parse::<usize>() {
            return tools.get(index).map(|tool| tool.name.clone());
        }
    }
    let mut words = reason.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '-');
    words.find_map(|word| tools.iter().find(|tool| tool.name == word)).map(|tool| tool.name.clone())
}

#[async_trait]
impl Model for ModelClient {
    async fn complete(
        &self,
        messages: &[Message],
        tools: &[Definition],
        output: &mut Output,
    ) -> Result<Completion, Failure> {
        let mut response = self.send(&self.body(messages, tools), tools).await?;
        let mut answer = Answer::default();
        let mut lines = Lines::default();
        while !answer.ended {
            let broke_off = |error: reqwest::Error| Failure::because(BROKE_OFF, describe(&error.without_url()));
            let Some(chunk) = self.within(response.chunk()).await?.map_err(broke_off)? else { break };
            lines.add(&chunk)?;
            while let Some(line) = lines.next() {
                let text = answer.add_line(&line)?;
                if !text.is_empty() {
                    output.write(&text);
                }
            }
        }
        answer.completion()
    }
}

const UNREADABLE: &str = "the model server's answer could not be read";
const BROKE_OFF: &str = "the model server's answer broke off";

/// Bounds the text and the calls of one answer, in bytes. No model writes as much on purpose.
const MAX_ANSWER: usize = 4 << 20;

/// Splits a body into lines.
#[derive(Default)]
struct Lines {
    rest: Vec<u8>,
}

impl Lines {
    fn add(&mut self, chunk: &[u8]) -> Result<(), Failure> {
        self.rest.extend(chunk);
        if self.rest.len() > 2 * MAX_ANSWER { Err(too_long()) } else { Ok(()) }
    }

    fn next(&mut self) -> Option<String> {
        let end = self.rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
        let line = self.rest.drain(..=end).collect::<Vec<_>>();
        Some(String::from_utf8_lossy(&line[..end]).into_owned())
    }
}

fn too_long() -> Failure {
    Failure::new(format!("the model's answer is longer than {} MiB", MAX_ANSWER >> 20))
}

/// One piece of an answer; servers leave out what the interface promises.
#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    error: Value,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: Option<i64>,
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: Option<i64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionDelta>,
}

#[derive(Default, Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
}

/// Puts an answer together from the pieces in which it is streamed.
#[derive(Default)]
struct Answer {
    text: String,
    calls: Vec<(Option<i64>, Call)>,
    finish_reason: Option<String>,
    chunks: usize,
    size: usize,
    /// The server said that it is at its end.
    ended: bool,
}

impl Answer {
    /// Takes one line of the answer and returns the new text in it.
    fn add_line(&mut self, line: &str) -> Result<String, Failure> {
        let Some(data) = line.strip_prefix("data:").map(str::trim) else { return Ok(String::new()) };
        if data.is_empty() || data == "[DONE]" {
            self.ended |= data == "[DONE]";
            return Ok(String::new());
        }
        let chunk: Chunk =
            serde_json::from_str(data).map_err(|error| Failure::because(UNREADABLE, error.to_string()))?;
        if !chunk.error.is_null() {
            return Err(Failure::new("the model server reported an error in the middle of its answer"));
        }
        self.chunks += 1;
        let mut text = String::new();
        for choice in chunk.choices.unwrap_or_default() {
            if choice.index.unwrap_or(0) != 0 {
                continue;
            }
            let delta = choice.delta.unwrap_or_default();
            text.extend(delta.content);
            text.extend(delta.refusal);
            for call in delta.tool_calls.unwrap_or_default() {
                self.add_call(call);
            }
            self.finish_reason = choice.finish_reason.or(self.finish_reason.take());
        }
        self.text += &text;
        self.size += text.len();
        if self.size > MAX_ANSWER { Err(too_long()) } else { Ok(text) }
    }

    fn add_call(&mut self, delta: CallDelta) {
        let id = delta.id.unwrap_or_default();
        let function = delta.function.unwrap_or_default();
        let name = function.name.unwrap_or_default();
        let place = self.find(delta.index, &id, &name).unwrap_or_else(|| {
            let call = Call { id, name: String::new(), arguments: String::new() };
            self.calls.push((delta.index, call));
            self.calls.len() - 1
        });
        let call = &mut self.calls[place].1;
        if !name.is_empty() {
            call.name = name;
        }
        let arguments = function.arguments.unwrap_or_default();
        call.arguments += &arguments;
        self.size += arguments.len();
    }

    /// The call that a delta goes on with, `None` for a new one. The index tells, but some providers leave it out, and some give
    /// every call the index 0; then an ID, or else a name, begins a new call.
    fn find(&self, index: Option<i64>, id: &str, name: &str) -> Option<usize> {
        if index.is_some() {
            let goes_on = |known: &Call| id.is_empty() || known.id.is_empty() || known.id == id;
            return self.calls.iter().rposition(|(known, call)| *known == index && goes_on(call));
        }
        if !id.is_empty() {
            return self.calls.iter().position(|(_, call)| call.id == id);
        }
        if name.is_empty() { self.calls.len().checked_sub(1) } else { None }
    }

    /// The whole answer. What broke off is no answer: a tool would be called with half of its arguments.
    fn completion(self) -> Result<Completion, Failure> {
        if self.chunks == 0 {
            return Err(Failure::new(UNREADABLE));
        }
        let truncated = match self.finish_reason.as_deref() {
            None if !self.ended => return Err(Failure::new(BROKE_OFF)),
            Some("content_filter") => return Err(Failure::new("the model's content filter stopped the answer")),
            reason => reason == Some("length"),
        };
        if truncated && self.calls.last().is_some_and(|(_, call)| call.arguments.is_empty()) {
            let words = "the model reached its token limit before it wrote the arguments of a tool";
            return Err(Failure::new(words));
        }
        let with_id = |(place, (_, call)): (usize, (Option<i64>, Call))| match call.id.as_str() {
            "" => Call { id: format!("call_{}", place + 1), ..call },
            _ => call,
        };
        let calls = self.calls.into_iter().enumerate().map(with_id).collect();
        Ok(Completion { text: self.text, calls, truncated })
    }
}
