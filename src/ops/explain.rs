//! `adl explain`: what a finding means, and what a field of a manifest is. Everything is in the program itself.

use crate::diagnostics::Code;
use crate::manifest;
use crate::names::closest;
use crate::project;
use crate::rules;

/// What a word stands for.
#[derive(Debug)]
pub enum Explanation {
    /// A kind of finding; its page says the rest.
    Finding(Code),
    /// A field of the manifest.
    Field(Box<FieldExplanation>),
}

/// A field of the manifest.
#[derive(Debug)]
pub struct FieldExplanation {
    /// What the schema says.
    pub field: manifest::Field,
    /// A manifest with an example of the field, in YAML; empty when there is none.
    pub example: String,
    /// The variable that overrides it when the agent runs: name, and what it does.
    pub variable: Option<(String, String)>,
    /// What counts while the manifest does not say, where something does.
    pub default: Option<String>,
    /// The languages in which it has an effect.
    pub languages: Vec<&'static str>,
}

/// Everything that can be explained.
#[derive(Debug)]
pub struct Topics {
    /// Kinds of findings, by number.
    pub codes: &'static [Code],
    /// Path and title of each field, in the schema's order.
    pub fields: Vec<(String, String)>,
}

/// A word that stands for nothing.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownTopic {
    /// What was meant, where something is near.
    pub meant: Option<String>,
}

/// Explains a code (`ADL0302`, whatever the capitals), its name (`invalid-server-url`) or a field (`spec.agent.mcp`).
pub fn explain(topic: &str) -> Result<Explanation, UnknownTopic> {
    if let Some(code) = Code::from_word(&topic.to_uppercase()).or_else(|| Code::from_word(&topic.to_lowercase())) {
        return Ok(Explanation::Finding(code));
    }
    match manifest::field(topic) {
        Ok(field) => Ok(Explanation::Field(Box::new(explain_field(field)))),
        Err(unknown) => {
            let codes: Vec<_> = Code::ALL.iter().map(ToString::to_string).collect();
            let words = Code::ALL.iter().map(|code| code.name()).chain(codes.iter().map(String::as_str));
            // Codes differ in their digits alone, so a near one says nothing.
            let is_number = topic.to_uppercase().starts_with("ADL");
            let code = closest(topic, words).filter(|_| !is_number).map(str::to_owned);
            Err(UnknownTopic { meant: code.or(unknown.meant).filter(|_| !is_number) })
        }
    }
}

/// Everything that can be explained.
pub fn topics() -> Topics {
    let titled = |path: String| manifest::field(&path).ok().map(|field| (path, field.title));
    Topics { codes: Code::ALL, fields: manifest::field_paths().into_iter().filter_map(titled).collect() }
}

fn explain_field(field: manifest::Field) -> FieldExplanation {
    let variable = project::variable_of_field(&field.path);
    let written = field.default.as_ref().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    let own = variable.as_ref().filter(|_| !field.required).map(|variable| variable.default.clone());
    FieldExplanation {
        example: field.example.as_ref().map(manifest::as_yaml).unwrap_or_default(),
        default: written.or(own.filter(|default| !default.is_empty())),
        languages: rules::honouring_languages(&field.path),
        variable: variable.map(|variable| (variable.name, variable.text)),
        field,
    }
}
