//! Asks a model and runs the tools that the model calls, until the model has an answer.

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;
use serde_json::{Value, json};

use super::{
    conversation::Conversations,
    executor::{Failure, Output, Reply, Request, Responder},
};
use crate::{
    llm::{Call, Completion, Message, Model, Settings},
    tool::{self, Definition, Source},
};

/// The name of the tool by which the model asks the user; no other tool can have it.
pub const QUESTION_TOOL: &str = "input_required";

/// Bounds the text of one tool's result, in bytes: more of it would leave a model no room for anything else.
const MAX_RESULT: usize = 256 << 10;

/// Answers with a model and tools.
pub struct ToolLoop {
    model: Box<dyn Model>,
    sources: Vec<Arc<dyn Source>>,
    system_prompt: String,
    max_iterations: u64,
    conversations: Conversations,
}

impl ToolLoop {
    /// Where two sources know a tool of the same name, the first one has it.
    pub fn new(model: Box<dyn Model>, settings: &Settings, sources: Vec<Arc<dyn Source>>) -> Self {
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let conversations =
            Conversations::new(size(settings.max_conversation_history), size(settings.max_conversation_bytes));
        Self {
            model,
            sources,
            system_prompt: settings.system_prompt.clone(),
            max_iterations: settings.max_iterations,
            conversations,
        }
    }

    fn definitions(&self) -> Vec<Definition> {
        let ask_user = Definition {
            name: QUESTION_TOOL.to_owned(),
            description:
                "Asks the user for something that is needed to go on, such as a missing detail or a confirmation. \
                          The user's answer is the result."
                    .to_owned(),
            schema: json!({
                "type": "object",
                "properties": {"message": {"type": "string", "description": "What to ask the user."}},
                "required": ["message"],
            }),
        };
        [ask_user].into_iter().chain(self.sources.iter().flat_map(|source| source.definitions())).collect()
    }

    /// Runs a call. One that asks the user has no result yet; what it asks is the error.
    async fn call(&self, call: &Call) -> Result<Message, String> {
        let reply = match parse(&call.arguments) {
            None => tool::Reply::failure(format!("the arguments are not valid JSON: {}", call.arguments)),
            Some(arguments) if call.name == QUESTION_TOOL => match arguments["message"].as_str() {
                Some(question) if !question.is_empty() => return Err(question.to_owned()),
                _ => tool::Reply::failure(r#"the arguments must be {"message": "what to ask the user"}"#),
            },
            Some(arguments) => self.run(&call.name, &arguments).await,
        };
        let text = if reply.is_error { format!("Error: {}", reply.text) } else { reply.text };
        Ok(Message::tool(call.id.clone(), shortened(text)))
    }

    async fn run(&self, name: &str, arguments: &Value) -> tool::Reply {
        for source in &self.sources {
            if let Some(reply) = source.call(name, arguments).await {
                tracing::debug!(tool = name, error = reply.is_error, "tool called");
                return reply;
            }
        }
        tool::Reply::failure(format!("there is no tool called {name:?}"))
    }
}

#[async_trait]
impl Responder for ToolLoop {
    async fn respond(&self, request: &Request, output: &mut Output) -> Result<Reply, Failure> {
        let (history, mut turn) = self.conversations.begin(&request.context_id, &request.task_id, &request.text);
        let system = Some(&self.system_prompt).filter(|prompt| !prompt.is_empty()).map(Message::system);
        let before: Vec<_> = system.into_iter().chain(history).collect();
        for _ in 0..self.max_iterations {
            output.begin_paragraph();
            let messages = [before.as_slice(), &turn].concat();
            let completion = self.model.complete(&messages, &self.definitions(), output).await?;
            turn.push(assistant_message(&completion));
            if completion.calls.is_empty() {
                if output.is_empty() {
                    return Err(Failure::new("the model gave an empty answer"));
                }
                self.conversations.end(&request.context_id, turn);
                let remark = "the answer was cut off at the model's token limit";
                return Ok(Reply { remark: completion.truncated.then(|| remark.to_owned()), ..Reply::default() });
            }
            let mut questions = Vec::new();
            for result in join_all(completion.calls.iter().map(|call| self.call(call))).await {
                match result {
                    Ok(message) => turn.push(message),
                    Err(question) => questions.push(question),
                }
            }
            if !questions.is_empty() {
                self.conversations.wait(&request.task_id, turn);
                return Ok(Reply::question(questions.join("\n\n")));
            }
        }
        Err(Failure::new(format!("no answer after {} requests to the model", self.max_iterations)))
    }

    fn forget(&self, task_id: &str) {
        self.conversations.forget(task_id);
    }
}

fn assistant_message(Completion { text, calls, .. }: &Completion) -> Message {
    let mut message = Message::assistant(text.as_str());
    message.content = message.content.filter(|text| !text.is_empty() || calls.is_empty());
    message.tool_calls.clone_from(calls);
    for call in &mut message.tool_calls {
        // Some servers refuse a history with arguments that are not JSON; the model reads in the result what was wrong.
        if call.arguments.trim().is_empty() || parse(&call.arguments).is_none() {
            call.arguments = "{}".to_owned();
        }
    }
    message
}

/// The value of the arguments, `None` when they are not JSON. None at all are an empty object.
fn parse(arguments: &str) -> Option<Value> {
    if arguments.trim().is_empty() { Some(json!({})) } else { serde_json::from_str(arguments).ok() }
}

fn shortened(mut text: String) -> String {
    if text.len() > MAX_RESULT {
        let end = (0..=MAX_RESULT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        let more = text[end..].chars().count();
        text.truncate(end);
        text += &format!("\n[cut here: {more} more characters are not shown]");
    }
    text
}
