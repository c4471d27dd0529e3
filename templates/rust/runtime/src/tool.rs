//! The tools that a model can call.

//adl:if tools
use std::pin::Pin;

//adl:end
use async_trait::async_trait;
//adl:if tools
use jsonschema::Validator;
//adl:end
use serde::Deserialize;
//adl:if tools
use serde::de::DeserializeOwned;
//adl:end
use serde_json::Value;

/// What the model is told about a tool.
#[derive(Clone, Debug, Deserialize)]
pub struct Definition {
    pub name: String,
    pub description: String,
    /// The JSON Schema of the arguments, an object.
    pub schema: Value,
}

/// What a call of a tool tells the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub text: String,
    pub is_error: bool,
}

impl Reply {
    pub fn success(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: false }
    }

    /// Tells the model what went wrong.
    pub fn failure(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true }
    }
}

/// Offers tools and runs them; many calls at the same time.
#[async_trait]
pub trait Source: Send + Sync {
    /// Lists what can be called right now.
    fn definitions(&self) -> Vec<Definition>;

    /// Runs the tool of that name; `None` when this source has none. Dropping the future cancels the call.
    async fn call(&self, name: &str, arguments: &Value) -> Option<Reply>;
}
//adl:if tools

/// Any error; the model reads its text.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

type Run = dyn Fn(Value) -> Pin<Box<dyn Future<Output = Result<String, BoxError>> + Send>> + Send + Sync;

/// A tool that is part of this agent.
pub struct Tool {
    definition: Definition,
    /// Checks arguments; `None` for a schema that the library cannot read: then only their type does.
    validator: Option<Validator>,
    run: Box<Run>,
}

impl Tool {
    /// A tool that calls a function. Arguments that do not fit the schema, or the type `A`, do not reach it: the model is told
    /// what is wrong.
    pub fn new<A, F, R>(mut definition: Definition, function: F) -> Self
    where
        A: DeserializeOwned,
        F: Fn(A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<String, BoxError>> + Send + 'static,
    {
        if let Some(schema) = definition.schema.as_object_mut() {
            // Model servers ask for the type.
            schema.entry("type").or_insert_with(|| "object".into());
        }
        let run = move |arguments| -> Pin<Box<dyn Future<Output = Result<String, BoxError>> + Send>> {
            match serde_json::from_value(arguments) {
                Ok(arguments) => Box::pin(function(arguments)),
                Err(error) => Box::pin(async move { Err(format!("invalid arguments: {error}").into()) }),
            }
        };
        Self { validator: validator(&definition.schema), definition, run: Box::new(run) }
    }

    async fn call(&self, arguments: &Value) -> Reply {
        let errors = self.validator.iter().flat_map(|validator| validator.iter_errors(arguments));
        let faults: Vec<_> = errors.map(|error| format!("arguments{}: {error}", error.instance_path())).collect();
        if !faults.is_empty() {
            return Reply::failure(format!("invalid arguments: {}", faults.join(", ")));
        }
        match (self.run)(arguments.clone()).await {
            Ok(text) => Reply::success(text),
            Err(error) => Reply::failure(error.to_string()),
        }
    }
}

/// Every dialect is read as the latest.
fn validator(schema: &Value) -> Option<Validator> {
    let mut schema = schema.clone();
    schema.as_object_mut()?.remove("$schema");
    jsonschema::draft202012::new(&schema).ok()
}

/// Tools that are part of this agent, in the order in which the model is offered them.
pub struct ToolSet(pub Vec<Tool>);

#[async_trait]
impl Source for ToolSet {
    fn definitions(&self) -> Vec<Definition> {
        self.0.iter().map(|tool| tool.definition.clone()).collect()
    }

    async fn call(&self, name: &str, arguments: &Value) -> Option<Reply> {
        let tool = self.0.iter().find(|tool| tool.definition.name == name)?;
        Some(tool.call(arguments).await)
    }
}
//adl:end
