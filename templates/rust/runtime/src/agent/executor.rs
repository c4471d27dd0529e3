//! Lets a responder answer and reports what it does as A2A events.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use a2a::{
    A2AError, Artifact, Message, Part, PartContent, Role, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState,
    TaskStatus, TaskStatusUpdateEvent, new_artifact_id,
};
use a2a_server::{AgentExecutor, ExecutorContext};
use async_trait::async_trait;
use chrono::{SubsecRound as _, Utc};
use futures::{StreamExt as _, stream, stream::BoxStream};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinSet,
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

/// Answers messages; many at the same time.
#[async_trait]
pub trait Responder: Send + Sync + 'static {
    /// Answers one message. Text for the user is written to `output` piece by piece. It is dropped when the task is canceled.
    async fn respond(&self, request: &Request, output: &mut Output) -> Result<Reply, Failure>;

    /// Drops what is kept for a task that will not be continued.
    fn forget(&self, _task_id: &str) {}
}

/// A message to be answered.
#[derive(Clone, Debug)]
pub struct Request {
    pub task_id: String,
    pub context_id: String,
    /// The message goes on with a task that waited for it.
    pub continues: bool,
    /// The message in words. Attached data is part of it as JSON; attached files are only named.
    pub text: String,
    /// The message as it was sent, with attached files.
    pub message: Message,
}

/// How a task goes on after its text was written.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// Makes the task wait for the user's answer. Without it the task is completed.
    pub question: Option<String>,
    /// Shown beside the state of a completed task.
    pub remark: Option<String>,
    //adl:if handler
    /// Files and data that go with the answer.
    pub parts: Vec<Part>,
    //adl:end
}

impl Reply {
    /// Makes the task wait for the user's answer.
    pub fn question(text: impl Into<String>) -> Self {
        Self { question: Some(text.into()), ..Self::default() }
    }
}

/// Why there is no answer. The message is for the user, the cause for the log only.
#[derive(Clone, Debug)]
pub struct Failure {
    message: String,
    cause: String,
}

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), cause: String::new() }
    }

    pub fn because(message: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { message: message.into(), cause: cause.into() }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::because("the agent failed unexpectedly", error.to_string())
    }
}

/// Takes the text for the user.
pub struct Output {
    sender: UnboundedSender<String>,
    is_empty: bool,
    new_paragraph: bool,
}

impl Output {
    /// Text written to it arrives at the receiver.
    pub fn new() -> (Self, UnboundedReceiver<String>) {
        let (sender, receiver) = unbounded_channel();
        (Self { sender, is_empty: true, new_paragraph: false }, receiver)
    }

    pub fn write(&mut self, text: &str) {
        let break_before = if self.new_paragraph { "\n\n" } else { "" };
        self.new_paragraph = false;
        self.is_empty = false;
        // Nobody listens any more when the task is canceled.
        drop(self.sender.send(format!("{break_before}{text}")));
    }

    /// Keeps the next text apart from an earlier one.
    pub fn begin_paragraph(&mut self) {
        self.new_paragraph = !self.is_empty;
    }

    pub fn is_empty(&self) -> bool {
        self.is_empty
    }
}

/// How often streamed text becomes an event: every event costs a copy of the task.
const FLUSH_INTERVAL: Duration = Duration::from_millis(100);

/// How long tasks may take to fail once the agent stops.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// Runs a responder for the library.
#[derive(Clone)]
pub struct Executor {
    responder: Arc<dyn Responder>,
    running: Arc<Mutex<HashMap<String, CancellationToken>>>,
    stopping: CancellationToken,
}

impl Executor {
    pub fn new(responder: Arc<dyn Responder>) -> Self {
        Self { responder, running: Arc::default(), stopping: CancellationToken::new() }
    }

    /// Waits until no task is running. Those that still are after the time are ended as failed.
    pub async fn drain(&self, limit: Duration) {
        let idle = async || {
            while !self.running.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                sleep(Duration::from_millis(5)).await;
            }
        };
        if timeout(limit, idle()).await.is_err() {
            self.stopping.cancel();
            drop(timeout(STOP_GRACE, idle()).await);
        }
    }
}

impl AgentExecutor for Executor {
    fn execute(&self, context: ExecutorContext) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
        let (sender, receiver) = unbounded_channel();
        let canceled = CancellationToken::new();
        let task_id = context.task_id.clone();
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(task_id.clone(), canceled.clone());
        let executor = self.clone();
        // In a task of its own, so that a panic does not reach the library, which would keep its callers waiting.
        tokio::spawn(async move {
            let mut run = Run::new(&context, &executor, sender);
            run.begin(&context);
            run.respond(context, &canceled).await;
            executor.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&task_id);
        });
        let events = stream::unfold(receiver, |mut receiver| async { Some((receiver.recv().await?, receiver)) });
        events.map(Ok).boxed()
    }

    fn cancel(&self, context: ExecutorContext) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(canceled) = running.get(&context.task_id) {
            canceled.cancel();
        }
        drop(running);
        self.responder.forget(&context.task_id);
        let event = StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id: context.task_id,
            context_id: context.context_id,
            status: status(TaskState::Canceled),
            metadata: None,
        });
        stream::iter([Ok(event)]).boxed()
    }
}

/// One execution of a task.
struct Run<'a> {
    executor: &'a Executor,
    events: UnboundedSender<StreamResponse>,
    task_id: String,
    context_id: String,
    artifact_id: String,
    text: String,
    has_artifact: bool,
}

impl<'a> Run<'a> {
    fn new(context: &ExecutorContext, executor: &'a Executor, events: UnboundedSender<StreamResponse>) -> Self {
        Self {
            executor,
            events,
            task_id: context.task_id.clone(),
            context_id: context.context_id.clone(),
            artifact_id: new_artifact_id(),
            text: String::new(),
            has_artifact: false,
        }
    }

    /// Reports the task, which clients want first of every execution.
    fn begin(&self, context: &ExecutorContext) {
        let mut task = context.stored_task.clone().unwrap_or_else(|| Task {
            id: self.task_id.clone(),
            context_id: self.context_id.clone(),
            status: status(TaskState::Submitted),
            artifacts: None,
            history: None,
            metadata: None,
        });
        let history = task.history.get_or_insert_default();
        if let Some(message) = &context.message
            && history.last().is_none_or(|last| last.message_id != message.message_id)
        {
            history.push(message.clone());
        }
        if task.status.state != TaskState::Submitted {
            task.status = status(TaskState::Working);
        }
        self.emit(StreamResponse::Task(task));
        self.status(TaskState::Working, None);
    }

    async fn respond(&mut self, context: ExecutorContext, canceled: &CancellationToken) {
        let Some(message) = context.message else { return };
        let continues = context.stored_task.is_some_and(|task| task.status.state == TaskState::InputRequired);
        let request = Request {
            task_id: context.task_id,
            context_id: context.context_id,
            continues,
            text: text_of(&message),
            message,
        };
        let (mut output, mut texts) = Output::new();
        let responder = self.executor.responder.clone();
        // Dropping the set ends the work.
        let mut work = JoinSet::new();
        work.spawn(async move { responder.respond(&request, &mut output).await });
        let mut flush_at = None;
        let result = loop {
            tokio::select! {
                biased;
                () = canceled.cancelled() => return, // its last event is reported by `cancel`
                () = sleep_until(flush_at.unwrap_or_else(Instant::now)), if flush_at.is_some() => {
                    flush_at = None;
                    self.flush(false);
                }
                Some(text) = texts.recv() => {
                    self.text += &text;
                    flush_at.get_or_insert_with(|| Instant::now() + FLUSH_INTERVAL);
                }
                Some(result) = work.join_next() => break result,
                () = self.executor.stopping.cancelled() => break Ok(Err(Failure::new("the agent is shutting down"))),
            }
        };
        while let Ok(text) = texts.try_recv() {
            self.text += &text;
        }
        let failure = match result {
            Ok(Ok(reply)) => return self.finish(reply),
            Ok(Err(failure)) => failure,
            Err(panic) => Failure::from(panic),
        };
        let error = [failure.message.as_str(), &failure.cause].join(": ");
        tracing::warn!(task = self.task_id, error = error.trim_end_matches(": "), "task failed");
        self.status(TaskState::Failed, Some(failure.message));
    }

    fn finish(&mut self, reply: Reply) {
        //adl:if handler
        if !reply.parts.is_empty() {
            self.artifact(new_artifact_id(), reply.parts, false, true);
        }
        //adl:end
        if !self.text.is_empty() || self.has_artifact {
            self.flush(true);
        }
        match reply.question {
            Some(question) => self.status(TaskState::InputRequired, Some(question)),
            None => self.status(TaskState::Completed, reply.remark),
        }
    }

    fn flush(&mut self, last: bool) {
        let parts = vec![Part::text(std::mem::take(&mut self.text))];
        self.artifact(self.artifact_id.clone(), parts, self.has_artifact, last);
        self.has_artifact = true;
    }

    fn artifact(&self, artifact_id: String, parts: Vec<Part>, append: bool, last_chunk: bool) {
        let artifact = Artifact { artifact_id, name: None, description: None, parts, metadata: None, extensions: None };
        self.emit(StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
            task_id: self.task_id.clone(),
            context_id: self.context_id.clone(),
            artifact,
            append: Some(append),
            last_chunk: Some(last_chunk),
            metadata: None,
        }));
    }

    /// Reports a new state of the task, with a message when there is text.
    fn status(&self, state: TaskState, text: Option<String>) {
        let message = text.map(|text| Message {
            task_id: Some(self.task_id.clone()),
            context_id: Some(self.context_id.clone()),
            ..Message::new(Role::Agent, vec![Part::text(text)])
        });
        self.emit(StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id: self.task_id.clone(),
            context_id: self.context_id.clone(),
            status: TaskStatus { message, ..status(state) },
            metadata: None,
        }));
    }

    fn emit(&self, event: StreamResponse) {
        // The library takes no more events once the task is canceled.
        drop(self.events.send(event));
    }
}

fn status(state: TaskState) -> TaskStatus {
    TaskStatus { state, message: None, timestamp: Some(Utc::now().trunc_subsecs(3)) }
}

/// Puts the parts of a message into words. Files are only named: a model cannot read them as text.
fn text_of(message: &Message) -> String {
    let line = |part: &Part| {
        let name = part.filename.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        let media = part.media_type.as_ref().map(|media| format!(" ({media})")).unwrap_or_default();
        match &part.content {
            PartContent::Text(text) => text.clone(),
            PartContent::Data(value) => value.to_string(),
            PartContent::Url(url) => format!("[attached file{name}{media}: {url}]"),
            PartContent::Raw(bytes) => format!("[attached file{name}{media}: {} bytes]", bytes.len()),
        }
    };
    message.parts.iter().map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
