//! The tasks that clients can ask for.

use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use a2a::{A2AError, Artifact, ListTasksRequest, ListTasksResponse, Part, Task, TaskState};
use a2a_server::{TaskStore, task_store::TaskVersion};
use async_trait::async_trait;
use chrono::{SubsecRound as _, Utc};

use super::http::TaskSettings;
//adl:if push
use super::push::WebHooks;
//adl:end
use crate::agent::executor::Responder;

/// Bounds the tasks that wait for an answer of their user.
const MAX_WAITING_TASKS: u64 = 1000;

/// The page size of the A2A specification.
const DEFAULT_PAGE_SIZE: i32 = 50;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Running,
    Completed,
    Failed,
    Waiting,
}

struct Stored {
    task: Task,
    group: Group,
    bytes: u64,
    /// Grows with every change of any task.
    sequence: u64,
}

#[derive(Default)]
struct Tasks {
    by_id: HashMap<String, Stored>,
    sequence: u64,
}

/// Keeps tasks in memory and forgets old ones.
#[derive(Clone)]
pub struct MemoryTaskStore {
    settings: TaskSettings,
    /// Hears of every task that will not be continued.
    responder: Arc<dyn Responder>,
    //adl:if history
    /// Keeps every state of a task in its metadata.
    record_states: bool,
    //adl:end
    //adl:if push
    hooks: Option<WebHooks>,
    //adl:end
    tasks: Arc<Mutex<Tasks>>,
}

impl MemoryTaskStore {
    pub fn new(settings: TaskSettings, responder: Arc<dyn Responder>) -> Self {
        Self {
            // What is optional is off until somebody asks for it.
            settings,
            responder,
            //adl:if history
            record_states: false,
            //adl:end
            //adl:if push
            hooks: None,
            //adl:end
            tasks: Arc::default(),
        }
    }
    //adl:if history

    /// Keeps every state of a task in its metadata, if asked to.
    pub fn record_states(self, record_states: bool) -> Self {
        Self { record_states, ..self }
    }
    //adl:end
    //adl:if push

    /// Tells web hooks about the states of tasks.
    pub fn with_hooks(self, hooks: Option<WebHooks>) -> Self {
        Self { hooks, ..self }
    }
    //adl:end

    fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn save(&self, tasks: &mut Tasks, mut task: Task) -> TaskVersion {
        let before = tasks.by_id.get(&task.id);
        if before.is_some_and(|before| is_terminal(&before.task)) && !is_terminal(&task) {
            return tasks.sequence; // an event that was on its way while the task was canceled
        }
        //adl:if history
        if self.record_states {
            record_state(&mut task, before.map(|before| &before.task));
        }
        //adl:end
        //adl:if push
        let is_new_state = before.is_none_or(|before| before.task.status.state != task.status.state);
        if let Some(hooks) = self.hooks.as_ref().filter(|_| is_new_state) {
            hooks.notify(&task);
        }
        //adl:end
        let group = group_of(&task.status.state);
        if is_terminal(&task) {
            task.artifacts = task.artifacts.map(|artifacts| artifacts.into_iter().map(join_texts).collect());
            self.responder.forget(&task.id);
        }
        tasks.sequence += 1;
        let bytes = if group == Group::Running { 0 } else { size(&task) };
        let stored = Stored { task, group, bytes, sequence: tasks.sequence };
        tasks.by_id.insert(stored.task.id.clone(), stored);
        if group != Group::Running {
            self.drop_oldest(tasks);
        }
        tasks.sequence
    }

    /// Drops the tasks that are too many, the oldest first.
    fn drop_oldest(&self, tasks: &mut Tasks) {
        let limits = &self.settings;
        let mut newest: Vec<_> = tasks.by_id.values().filter(|stored| stored.group != Group::Running).collect();
        newest.sort_by_key(|stored| Reverse(stored.sequence));
        let (mut completed, mut failed, mut waiting) = (0, 0, 0);
        let (mut ended_bytes, mut waiting_bytes) = (0, 0);
        let mut dropped = Vec::new();
        for stored in newest {
            let (count, limit, bytes, max_bytes) = match stored.group {
                Group::Completed => (&mut completed, limits.max_completed_tasks, &mut ended_bytes, limits.max_bytes),
                Group::Failed => (&mut failed, limits.max_failed_tasks, &mut ended_bytes, limits.max_bytes),
                _ => (&mut waiting, MAX_WAITING_TASKS, &mut waiting_bytes, limits.max_waiting_bytes),
            };
            if *count < limit && *bytes + stored.bytes <= max_bytes {
                *count += 1;
                *bytes += stored.bytes;
            } else {
                dropped.push((stored.task.id.clone(), stored.group));
            }
        }
        for (id, group) in dropped {
            tasks.by_id.remove(&id);
            //adl:if push
            if let Some(hooks) = &self.hooks {
                hooks.forget(&id);
            }
            //adl:end
            if group == Group::Waiting {
                self.responder.forget(&id);
            }
        }
    }
}

#[async_trait]
impl TaskStore for MemoryTaskStore {
    async fn create(&self, task: Task) -> Result<TaskVersion, A2AError> {
        Ok(self.save(&mut self.tasks(), task))
    }

    async fn update(&self, task: Task) -> Result<TaskVersion, A2AError> {
        Ok(self.save(&mut self.tasks(), task))
    }

    async fn get(&self, task_id: &str) -> Result<Option<Task>, A2AError> {
        Ok(self.tasks().by_id.get(task_id).map(|stored| stored.task.clone()))
    }

    async fn list(&self, request: &ListTasksRequest) -> Result<ListTasksResponse, A2AError> {
        let before = match request.page_token.as_deref().unwrap_or_default() {
            "" => u64::MAX,
            token => token.parse().map_err(|_| A2AError::invalid_params("the page token is not one of this agent"))?,
        };
        let tasks = self.tasks();
        let matches = |stored: &&Stored| {
            let Task { context_id, status, .. } = &stored.task;
            request.context_id.as_ref().is_none_or(|wanted| wanted.is_empty() || wanted == context_id)
                && request
                    .status
                    .as_ref()
                    .is_none_or(|state| *state == TaskState::Unspecified || *state == status.state)
                && request.status_timestamp_after.is_none_or(|after| status.timestamp.is_some_and(|time| time >= after))
        };
        let mut matching: Vec<_> = tasks.by_id.values().filter(matches).collect();
        matching.sort_by_key(|stored| Reverse(stored.sequence));
        let total_size = i32::try_from(matching.len()).unwrap_or(i32::MAX);
        matching.retain(|stored| stored.sequence < before);
        let page_size = request.page_size.filter(|size| *size > 0).unwrap_or(DEFAULT_PAGE_SIZE);
        let page = &matching[..matching.len().min(usize::try_from(page_size).unwrap_or(usize::MAX))];
        let last = page.last().filter(|_| page.len() < matching.len());
        let shown = |stored: &&Stored| {
            let mut task = stored.task.clone();
            task.artifacts = task.artifacts.filter(|_| request.include_artifacts == Some(true));
            task
        };
        Ok(ListTasksResponse {
            tasks: page.iter().map(shown).collect(),
            next_page_token: last.map(|stored| stored.sequence.to_string()).unwrap_or_default(),
            page_size,
            total_size,
        })
    }

    async fn begin_cancel(&self, task_id: &str) -> Result<Task, A2AError> {
        let mut tasks = self.tasks();
        let stored = tasks.by_id.get(task_id).ok_or_else(|| A2AError::task_not_found(task_id))?;
        if is_terminal(&stored.task) {
            return Err(A2AError::task_not_cancelable(task_id));
        }
        let mut task = stored.task.clone();
        task.status.state = TaskState::Canceled;
        task.status.message = None;
        task.status.timestamp = Some(Utc::now().trunc_subsecs(3));
        self.save(&mut tasks, task.clone());
        Ok(task)
    }
}

fn is_terminal(task: &Task) -> bool {
    task.status.state.is_terminal()
}

fn group_of(state: &TaskState) -> Group {
    match state {
        TaskState::Completed | TaskState::Canceled => Group::Completed,
        TaskState::Failed | TaskState::Rejected => Group::Failed,
        TaskState::InputRequired => Group::Waiting,
        _ => Group::Running,
    }
}

/// Makes one part of the many in which a streamed text arrived.
fn join_texts(mut artifact: Artifact) -> Artifact {
    let mut parts: Vec<Part> = Vec::new();
    for part in artifact.parts {
        let is_plain = |part: &Part| part.metadata.is_none() && part.filename.is_none() && part.media_type.is_none();
        match (parts.last_mut().filter(|last| is_plain(last)).map(|last| &mut last.content), &part.content) {
            (Some(a2a::PartContent::Text(text)), a2a::PartContent::Text(more)) if is_plain(&part) => {
                text.push_str(more)
            }
            _ => parts.push(part),
        }
    }
    artifact.parts = parts;
    artifact
}

/// About how many bytes a task takes.
fn size(task: &Task) -> u64 {
    serde_json::to_vec(task).map_or(0, |json| json.len() as u64)
}
//adl:if history

/// Adds the state of the task to those in its metadata, unless it is the one from before.
fn record_state(task: &mut Task, before: Option<&Task>) {
    if before.is_some_and(|before| before.status.state == task.status.state) {
        task.metadata = task.metadata.take().or_else(|| before.and_then(|before| before.metadata.clone()));
        return;
    }
    let known = before.and_then(|before| before.metadata.as_ref()?.get("stateTransitions").cloned());
    let mut states = known.and_then(|states| states.as_array().cloned()).unwrap_or_default();
    states.push(serde_json::json!({"state": task.status.state, "timestamp": task.status.timestamp}));
    task.metadata.get_or_insert_default().insert("stateTransitions".to_owned(), states.into());
}
//adl:end
