//! `adl explain`: describes findings and manifest fields.

use crate::diagnostics::Code;
use crate::manifest::{self, Support, TargetLanguage};
use crate::names::closest;
use crate::project;

/// What a topic refers to.
#[derive(Debug)]
pub enum Explanation {
    /// A code; its page has the details.
    Finding(Code),
    /// A field of the manifest.
    Field(Box<FieldExplanation>),
}

/// A field of the manifest.
#[derive(Debug)]
pub struct FieldExplanation {
    /// The schema's description of the field.
    pub field: manifest::Field,
    /// A manifest with an example of the field, in YAML; empty when there is none.
    pub example: String,
    /// The environment variable that overrides it: name and description.
    pub variable: Option<(String, String)>,
    /// The default, if there is one.
    pub default: Option<String>,
    /// The languages that support it.
    pub languages: Vec<(&'static str, Option<&'static str>)>,
}

/// Everything that can be explained.
#[derive(Debug)]
pub struct Topics {
    /// All codes, by number.
    pub codes: &'static [Code],
    /// Path and title of each field, in the schema's order.
    pub fields: Vec<(String, String)>,
}

/// A topic that does not exist.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownTopic {
    /// A similar topic, if there is one.
    pub meant: Option<String>,
}

/// Explains a code (`ADL0302`, in any case), its name (`invalid-server-url`) or a field (`spec.agent.mcp`).
pub fn explain(topic: &str) -> Result<Explanation, UnknownTopic> {
    if let Some(code) = Code::from_word(&topic.to_uppercase()).or_else(|| Code::from_word(&topic.to_lowercase())) {
        return Ok(Explanation::Finding(code));
    }
    match manifest::field(topic) {
        Ok(field) => Ok(Explanation::Field(Box::new(explain_field(field)))),
        Err(unknown) => {
            let codes: Vec<_> = Code::ALL.iter().map(ToString::to_string).collect();
            let words = Code::ALL.iter().map(|code| code.name()).chain(codes.iter().map(String::as_str));
            // Codes differ only in digits, so a similar code is not a useful suggestion.
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
        languages: languages(&field.path),
        variable: variable.map(|variable| (variable.name, variable.text)),
        field,
    }
}

fn languages(path: &str) -> Vec<(&'static str, Option<&'static str>)> {
    let supported = TargetLanguage::ALL.into_iter().filter_map(|language| match language.support(path) {
        Support::Honoured => Some((language.name(), None)),
        Support::Partly(limit) => Some((language.name(), Some(limit))),
        Support::NotYet | Support::Ignored => None,
    });
    supported.collect()
}
