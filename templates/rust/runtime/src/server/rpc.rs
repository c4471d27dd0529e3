//! Answers JSON-RPC requests of the protocol versions that the agent speaks.

use std::time::Duration;

use a2a::{A2AError, AgentCapabilities, SendMessageRequest, StreamResponse, TaskState, error_code};
use a2a_server::{DefaultRequestHandler, RequestHandler as _, ServiceParams, TaskStore as _};
use futures::{StreamExt as _, stream::BoxStream};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::sleep};

//adl:if push
use super::push::WebHooks;
//adl:end
use super::tasks::MemoryTaskStore;
//adl:if v03
use super::v03;
//adl:end
use crate::agent::executor::Executor;

/// Arrays and objects in each other may be this deep: copying a task takes more time and memory with every level.
const MAX_DEPTH: usize = 100;

/// How many events of a stream may wait for a client that reads slowly.
const MAX_UNREAD: usize = 256;

const NOT_JSON_RPC: &str = "the request is not one of JSON-RPC 2.0";

/// How a request is answered.
pub enum Answer {
    One(Value),
    Stream(BoxStream<'static, Value>),
}

/// Which release of the protocol a client speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Version {
    V1_0,
    //adl:if v03
    V0_3,
    //adl:end
}

/// Answers requests.
pub struct Rpc {
    handler: DefaultRequestHandler,
    store: MemoryTaskStore,
    //adl:if push
    hooks: Option<WebHooks>,
    //adl:end
}

impl Rpc {
    pub fn new(executor: Executor, store: MemoryTaskStore, streaming: bool) -> Self {
        let capabilities = AgentCapabilities {
            streaming: Some(streaming),
            push_notifications: Some(false),
            extended_agent_card: Some(false),
            ..AgentCapabilities::default()
        };
        Self {
            // It knows of no web hooks: the library would let a task fail together with one.
            handler: DefaultRequestHandler::new(executor, store.clone()).with_capabilities(capabilities),
            store,
            //adl:if push
            hooks: None,
            //adl:end
        }
    }
    //adl:if push

    /// Lets clients register web hooks.
    pub fn with_hooks(self, hooks: Option<WebHooks>) -> Self {
        Self { hooks, ..self }
    }
    //adl:end

    /// Answers the text of a request. The version is the header A2A-Version.
    pub async fn answer(&self, body: &[u8], version: &str) -> Answer {
        if is_too_deep(body) {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return failed(&Value::Null, A2AError::invalid_request(message));
        }
        let Ok(mut request) = serde_json::from_slice::<Value>(body) else {
            return failed(&Value::Null, A2AError::parse_error("the request is not valid JSON"));
        };
        if !request.is_object() {
            return failed(&Value::Null, A2AError::invalid_request(NOT_JSON_RPC));
        }
        let id = request["id"].take();
        let is_id = id.is_null() || id.is_string() || id.is_i64() || id.is_u64();
        let params = request["params"].take();
        let method = request["method"].as_str().filter(|method| !method.is_empty());
        let (Some(method), true) = (method, is_id && request["jsonrpc"] == "2.0") else {
            let id = if is_id { id } else { Value::Null };
            return failed(&id, A2AError::invalid_request(NOT_JSON_RPC));
        };
        let Some(version) = choose(version, method) else {
            let message = format!("version {version:?} of the A2A protocol is not supported");
            return failed(&id, A2AError::new(error_code::VERSION_NOT_SUPPORTED, message));
        };
        match self.call(method, params, version).await {
            Ok(Called::Value(result)) => Answer::One(json!({"jsonrpc": "2.0", "id": id, "result": result})),
            Ok(Called::Events(events)) => Answer::Stream(stream(id, version, events)),
            Err(error) if is_streaming(method) => {
                Answer::Stream(futures::stream::iter([error_response(&id, error)]).boxed())
            }
            Err(error) => failed(&id, error),
        }
    }

    async fn call(&self, method: &str, params: Value, version: Version) -> Result<Called, A2AError> {
        //adl:if v03
        if version == Version::V0_3 {
            let name = v03::method(method).ok_or_else(|| A2AError::method_not_found(method))?;
            let called = self.call_1_0(name, v03::params_to_1_0(name, params), version).await?;
            return Ok(match called {
                Called::Value(value) => Called::Value(v03::result_from_1_0(name, value)),
                events @ Called::Events(_) => events,
            });
        }
        //adl:end
        self.call_1_0(method, params, version).await
    }

    async fn call_1_0(&self, method: &str, params: Value, version: Version) -> Result<Called, A2AError> {
        let context = ServiceParams::new();
        let handler = &self.handler;
        match method {
            "SendMessage" => {
                let mut request: SendMessageRequest = parse(params)?;
                self.prepare(&mut request, version).await?;
                for attempt in 0.. {
                    let sent = handler.send_message(&context, request.clone()).await;
                    if !is_ending(&sent, attempt) {
                        return value(sent);
                    }
                    sleep(ENDING).await;
                }
                unreachable!("the last attempt returns")
            }
            "SendStreamingMessage" => {
                let mut request: SendMessageRequest = parse(params)?;
                self.prepare(&mut request, version).await?;
                for attempt in 0.. {
                    let events = handler.send_streaming_message(&context, request.clone()).await;
                    if !is_ending(&events, attempt) {
                        return events.map(Called::Events);
                    }
                    sleep(ENDING).await;
                }
                unreachable!("the last attempt returns")
            }
            "GetTask" => value(handler.get_task(&context, parse(params)?).await),
            "ListTasks" => {
                let request: a2a::ListTasksRequest = parse(params)?;
                // Without authentication the agent cannot tell whose the other tasks are.
                if request.context_id.as_ref().is_none_or(String::is_empty) {
                    let message = "contextId is required: this agent does not authenticate its callers";
                    return Err(A2AError::invalid_params(message));
                }
                value(handler.list_tasks(&context, request).await)
            }
            "CancelTask" => value(handler.cancel_task(&context, parse(params)?).await),
            "SubscribeToTask" => handler.subscribe_to_task(&context, parse(params)?).await.map(Called::Events),
            "CreateTaskPushNotificationConfig"
            | "GetTaskPushNotificationConfig"
            | "ListTaskPushNotificationConfigs"
            | "DeleteTaskPushNotificationConfig" => {
                //adl:if push
                if let Some(hooks) = &self.hooks {
                    return self.call_hooks(hooks, method, params, version).await;
                }
                //adl:end
                // Nobody is told about tasks.
                Err(A2AError::push_notification_not_supported())
            }
            "GetExtendedAgentCard" => {
                let params = if params.is_null() { json!({}) } else { params };
                value(handler.get_extended_agent_card(&context, parse(params)?).await)
            }
            _ => Err(A2AError::method_not_found(method)),
        }
    }
    //adl:if push

    async fn call_hooks(
        &self,
        hooks: &WebHooks,
        method: &str,
        params: Value,
        version: Version,
    ) -> Result<Called, A2AError> {
        let task_id = params["taskId"].as_str().unwrap_or_default();
        if self.store.get(task_id).await?.is_none() {
            return Err(A2AError::task_not_found(task_id));
        }
        match method {
            "CreateTaskPushNotificationConfig" => value(hooks.set(parse(params)?, version)),
            "GetTaskPushNotificationConfig" => value(hooks.get(&parse(params)?)),
            "ListTaskPushNotificationConfigs" => value(Ok(hooks.list(&parse(params)?))),
            _ => {
                hooks.delete(&parse(params)?);
                Ok(Called::Value(Value::Null))
            }
        }
    }
    //adl:end

    /// Checks a message where the library does not, and makes sure that a task is worked on by one execution at a time.
    async fn prepare(&self, request: &mut SendMessageRequest, version: Version) -> Result<(), A2AError> {
        let message = &mut request.message;
        if message.message_id.is_empty() {
            return Err(A2AError::invalid_params("message.messageId must be set"));
        }
        if message.parts.is_empty() {
            return Err(A2AError::invalid_params("message.parts must hold a part"));
        }
        message.task_id = message.task_id.take().filter(|id| !id.is_empty());
        message.context_id = message.context_id.take().filter(|id| !id.is_empty());
        request.tenant = None; // there is one for all
        if let Some(id) = &message.task_id {
            let task = self.store.get(id).await?.ok_or_else(|| A2AError::task_not_found(id))?;
            if matches!(task.status.state, TaskState::Submitted | TaskState::Working) {
                return Err(A2AError::unsupported_operation("the task is still working"));
            }
        }
        let configuration = request.configuration.as_mut();
        let Some(hook) = configuration.and_then(|configuration| configuration.task_push_notification_config.take())
        else {
            return Ok(());
        };
        //adl:if push
        if let Some(hooks) = &self.hooks {
            return self.register(hooks, hook, &mut request.message, version).await;
        }
        //adl:end
        drop((hook, version));
        Err(A2AError::push_notification_not_supported())
    }
    //adl:if push

    /// Registers the web hook that comes with a message; its task must exist for that.
    async fn register(
        &self,
        hooks: &WebHooks,
        mut hook: a2a::TaskPushNotificationConfig,
        message: &mut a2a::Message,
        version: Version,
    ) -> Result<(), A2AError> {
        let id = message.task_id.get_or_insert_with(a2a::new_task_id).clone();
        if self.store.get(&id).await?.is_none() {
            let task = a2a::Task {
                id: id.clone(),
                context_id: message.context_id.get_or_insert_with(a2a::new_context_id).clone(),
                status: a2a::TaskStatus {
                    state: TaskState::Submitted,
                    message: None,
                    timestamp: Some(chrono::Utc::now()),
                },
                artifacts: None,
                history: None,
                metadata: None,
            };
            self.store.create(task).await?;
        }
        hook.task_id = id;
        hooks.set(hook, version).map(drop)
    }
    //adl:end
}

/// What a method returns.
enum Called {
    Value(Value),
    Events(BoxStream<'static, Result<StreamResponse, A2AError>>),
}

fn value<T: Serialize>(result: Result<T, A2AError>) -> Result<Called, A2AError> {
    let value = serde_json::to_value(result?).map_err(|error| A2AError::internal(error.to_string()))?;
    Ok(Called::Value(value))
}

fn parse<T: DeserializeOwned>(params: Value) -> Result<T, A2AError> {
    if !params.is_object() {
        return Err(A2AError::invalid_params("params must be an object"));
    }
    serde_json::from_value(params).map_err(|error| A2AError::invalid_params(format!("invalid params: {error}")))
}

/// How long the library may take to forget an execution that has reported its last event.
const ENDING: Duration = Duration::from_millis(5);

/// Whether a task is refused only because the library is still forgetting its last execution.
fn is_ending<T>(result: &Result<T, A2AError>, attempt: u32) -> bool {
    attempt < 100
        && result
            .as_ref()
            .is_err_and(|error| error.code == error_code::INVALID_REQUEST && error.message.contains("in progress"))
}

/// The version that a request is made for, `None` for one that nobody speaks. Clients of the older protocol send no version; its
/// methods all have a slash, so that a method without one tells the newer.
fn choose(version: &str, method: &str) -> Option<Version> {
    let is_release = |release: &str| {
        let rest = version.strip_prefix(release);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    if is_release("1.0") || version.is_empty() && !method.contains('/') {
        return Some(Version::V1_0);
    }
    //adl:if v03
    if is_release("0.3") || version.is_empty() {
        return Some(Version::V0_3);
    }
    //adl:end
    None
}

/// The events of a stream as responses. A task goes on when its client reads too slowly or is gone.
fn stream(
    id: Value,
    version: Version,
    mut events: BoxStream<'static, Result<StreamResponse, A2AError>>,
) -> BoxStream<'static, Value> {
    let (sender, mut receiver) = mpsc::channel(MAX_UNREAD);
    tokio::spawn(async move {
        while let Some(event) = events.next().await {
            let json = event
                .and_then(|event| serde_json::to_value(event).map_err(|error| A2AError::internal(error.to_string())));
            let response = match json {
                Ok(event) => json!({"jsonrpc": "2.0", "id": id, "result": shown(event, version)}),
                Err(error) => error_response(&id, error),
            };
            if sender.try_send(response).is_err() {
                return;
            }
        }
    });
    futures::stream::poll_fn(move |context| receiver.poll_recv(context)).boxed()
}

fn shown(event: Value, version: Version) -> Value {
    match version {
        Version::V1_0 => event,
        //adl:if v03
        Version::V0_3 => v03::event_from_1_0(event),
        //adl:end
    }
}

/// Whether clients of a method read a stream, even of an error alone.
fn is_streaming(method: &str) -> bool {
    matches!(method, "SendStreamingMessage" | "SubscribeToTask" | "message/stream" | "tasks/resubscribe")
}

fn failed(id: &Value, error: A2AError) -> Answer {
    Answer::One(error_response(id, error))
}

/// An error as a response. The text of an unexpected one is kept from the client.
fn error_response(id: &Value, mut error: A2AError) -> Value {
    if error.code == error_code::INTERNAL_ERROR {
        tracing::error!(error = error.message, "request failed");
        error.message = "internal error".to_owned();
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error.to_jsonrpc_error()})
}

/// Whether arrays and objects are nested too deeply.
fn is_too_deep(json: &[u8]) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}
