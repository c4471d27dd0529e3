//! What was said before.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use crate::llm::Message;

/// Bounds the conversations in memory, and the tasks that wait for an answer; the ones that were not used for the longest time are
/// forgotten first.
const MAX_ENTRIES: usize = 1000;

/// A user's message, what the model and the tools said, and the model's answer.
pub type Turn = Vec<Message>;

/// A map that drops what was not used for the longest time when it holds too many entries or bytes.
struct Recent<T> {
    entries: HashMap<String, (T, usize)>,
    /// The keys, the latest at the end.
    order: VecDeque<String>,
    bytes: usize,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { entries: HashMap::new(), order: VecDeque::new(), bytes: 0 }
    }
}

impl<T> Recent<T> {
    fn put(&mut self, key: &str, value: T, bytes: usize) {
        self.take(key);
        self.entries.insert(key.to_owned(), (value, bytes));
        self.order.push_back(key.to_owned());
        self.bytes += bytes;
        if self.entries.len() > MAX_ENTRIES {
            self.drop_oldest();
        }
    }

    fn take(&mut self, key: &str) -> Option<T> {
        let (value, bytes) = self.entries.remove(key)?;
        self.order.retain(|known| known != key);
        self.bytes -= bytes;
        Some(value)
    }

    fn drop_oldest(&mut self) {
        if let Some(key) = self.order.front().cloned() {
            self.take(&key);
        }
    }
}

/// Remembers what was said under every context ID. Turns enter the history as a whole when they end, so that two messages at once
/// in one conversation do not mix.
pub struct Conversations {
    max_messages: usize,
    max_bytes: usize,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    histories: Recent<Vec<Turn>>,
    waiting: Recent<Turn>,
}

impl Conversations {
    /// Keeps up to `max_messages` of each conversation and about `max_bytes` of all together.
    pub fn new(max_messages: usize, max_bytes: usize) -> Self {
        Self { max_messages, max_bytes, memory: Mutex::default() }
    }

    /// What was said before, and the turn that the text begins, or goes on with when the task waited for it.
    pub fn begin(&self, context_id: &str, task_id: &str, text: &str) -> (Vec<Message>, Turn) {
        let mut memory = self.memory();
        let history = memory.histories.entries.get(context_id).map(|(turns, _)| turns.concat()).unwrap_or_default();
        let Some(mut turn) = memory.waiting.take(task_id) else { return (history, vec![Message::user(text)]) };
        turn.extend(open_calls(&turn).into_iter().map(|id| Message::tool(id, text)).collect::<Vec<_>>());
        (history, turn)
    }

    /// Adds a finished turn to the history.
    pub fn end(&self, context_id: &str, turn: Turn) {
        let mut memory = self.memory();
        let mut turns = memory.histories.take(context_id).unwrap_or_default();
        turns.push(turn);
        let turns = trim(turns, self.max_messages);
        let bytes = turns.iter().map(|turn| size(turn)).sum();
        memory.histories.put(context_id, turns, bytes);
        memory.fit(self.max_bytes);
    }

    /// Keeps a turn until its task is continued.
    pub fn wait(&self, task_id: &str, turn: Turn) {
        let mut memory = self.memory();
        let bytes = size(&turn);
        memory.waiting.put(task_id, turn, bytes);
        memory.fit(self.max_bytes);
    }

    /// Drops the turn of a task that will not be continued.
    pub fn forget(&self, task_id: &str) {
        self.memory().waiting.take(task_id);
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn fit(&mut self, max_bytes: usize) {
        while self.histories.bytes + self.waiting.bytes > max_bytes {
            if self.histories.bytes > 0 { self.histories.drop_oldest() } else { self.waiting.drop_oldest() }
        }
    }
}

fn size(turn: &[Message]) -> usize {
    turn.iter().map(Message::size).sum()
}

/// Drops the oldest turns until at most `limit` messages are left. A single turn that is too long keeps the user's message and the
/// answer: tool calls leave together with their results, as no server takes one without the other.
fn trim(mut turns: Vec<Turn>, limit: usize) -> Vec<Turn> {
    while turns.len() > 1 && turns.iter().map(Vec::len).sum::<usize>() > limit {
        turns.remove(0);
    }
    match turns.as_mut_slice() {
        [turn] if turn.len() > limit => {
            let answer = turn.last().and_then(|message| message.content.clone()).unwrap_or_default();
            turn.truncate(1);
            turn.push(Message::assistant(answer));
            if limit < 2 { Vec::new() } else { turns }
        }
        _ => turns,
    }
}

/// The calls of a turn that have no result yet.
fn open_calls(turn: &[Message]) -> Vec<String> {
    let mut open = Vec::new();
    for message in turn {
        open.extend(message.tool_calls.iter().map(|call| call.id.clone()));
        open.retain(|id| message.tool_call_id.as_ref() != Some(id));
    }
    open
}
