//! Findings for errors of the schema validator. They never show values, because any value may be a secret. The
//! exception is a number or boolean where a string is required, because the message is about its source text.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use crate::diagnostics::{Applicability, Code, Diagnostic, Edit, Suggestion};
use crate::document::pointer::tokens;
use crate::document::{Document, View};
use crate::manifest::duration;
use crate::names::closest;

use super::node::Node;
use super::outdated::is_older_version;
use super::path::path;
use super::remedy::Remedies;

pub(super) fn is_type_fault(fault: &ValidationError<'_>) -> bool {
    matches!(fault.kind(), Kind::Type { .. })
}

/// Returns the finding for a validation error, or `None` if another check reports it.
#[expect(clippy::wildcard_enum_match_arm, reason = "the schema uses few keywords, and each has a message")]
pub(super) fn describe(
    document: &Document,
    remedies: &Remedies<'_>,
    fault: &ValidationError<'_>,
) -> Option<Diagnostic> {
    let pointer = fault.instance_path().as_str();
    let view = document.at(pointer)?;
    let path = path(document.root(), pointer);
    let subject = if pointer.is_empty() { path } else { format!("`{path}`") };
    let place = Place { view, subject, node: Node::at(pointer), remedies };
    Some(match fault.kind() {
        // `unknown_key` reports each key at its own location.
        Kind::AdditionalProperties { .. } => return None,
        Kind::Constant { .. } if view.as_str().is_some_and(is_older_version) => return None,
        Kind::Constant { expected_value } => place.invalid_value(std::slice::from_ref(&**expected_value)),
        Kind::Enum { options } => place.invalid_value(options.as_array().map(Vec::as_slice).unwrap_or_default()),
        Kind::Required { property } => place.missing(property.as_str().unwrap_or_default()),
        Kind::Type { kind } => place.wrong_type(kind),
        Kind::Minimum { limit } => place.out_of_range("at least", limit),
        Kind::Maximum { limit } => place.out_of_range("at most", limit),
        Kind::MinItems { .. } => {
            place.finding(Code::TooFewItems, "must not be empty").help("add an item, or remove the key")
        }
        Kind::Format { format } if format == "go-duration" => place.invalid_duration(),
        Kind::Pattern { .. } | Kind::Format { .. } => place.invalid_format(),
        Kind::OneOfNotValid { .. } => place.missing_choice(),
        Kind::OneOfMultipleValid { .. } => place
            .finding(Code::ConflictingKeys, format!("must have only one of {}", place.choices()))
            .help("keep one of them"),
        other => {
            debug_assert!(false, "the schema uses `{}`, which has no message yet", other.keyword());
            place.finding(Code::WrongType, "does not match the schema")
        }
    })
}

/// The location of an error, with its schema.
struct Place<'a> {
    view: View<'a>,
    /// The path in backticks, or `the manifest`.
    subject: String,
    node: Option<Node>,
    remedies: &'a Remedies<'a>,
}

impl Place<'_> {
    fn finding(&self, code: Code, predicate: impl std::fmt::Display) -> Diagnostic {
        Diagnostic::new(code, self.view.span(), format!("{} {predicate}", self.subject))
    }

    fn out_of_range(&self, bound: &str, limit: &Value) -> Diagnostic {
        self.finding(Code::NumberOutOfRange, format!("must be {bound} {limit}")).help(self.example_or("integer"))
    }

    fn missing(&self, name: &str) -> Diagnostic {
        let headline = format!("missing key `{name}` in {}", self.subject);
        let finding = Diagnostic::new(Code::MissingField, self.view.span(), headline);
        let Some(child) = self.node.and_then(|node| node.property(name)) else { return finding };
        let description = child.text("description");
        let finding = with(finding, self.remedies.missing(self.view, name));
        match child.scalar_example() {
            Some(example) => {
                finding.note(description).help(format!("add it, for example `{name}: {}`", yaml(&example)))
            }
            None => finding.note(description).help(format!("add `{name}`")),
        }
    }

    fn missing_choice(&self) -> Diagnostic {
        self.finding(Code::MissingField, format!("must have one of {}", self.choices())).help("add one of them")
    }

    /// The keys of which exactly one must be present.
    fn choices(&self) -> String {
        let branches = self.node.and_then(|node| node.keyword("oneOf"));
        let branches = branches.as_ref().and_then(Value::as_array);
        let names = branches.into_iter().flatten().filter_map(|branch| branch.pointer("/required/0")?.as_str());
        listed(names)
    }

    fn invalid_value(&self, options: &[Value]) -> Diagnostic {
        let words: Vec<_> = options.iter().filter_map(Value::as_str).collect();
        let shown = words.iter().map(|word| if word.is_empty() { "\"\"" } else { word });
        let wanted = match words.as_slice() {
            [word] => format!("must be `{word}`"),
            _ => format!("must be one of {}", listed(shown)),
        };
        let finding = self.finding(Code::InvalidValue, wanted);
        let meant =
            self.view.as_str().and_then(|text| closest(text, words.iter().copied().filter(|word| !word.is_empty())));
        match meant {
            Some(meant) => finding.help(format!("did you mean `{meant}`?")).suggest(self.replacement(
                meant.to_owned(),
                format!("write `{meant}`"),
                Applicability::Review,
            )),
            None if self.view.as_str() == Some("") => finding.help("write one of these values, or remove the key"),
            None => finding.help("write one of these values"),
        }
    }

    fn invalid_duration(&self) -> Diagnostic {
        let text = self.view.as_str().unwrap_or_default();
        let reason = duration::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
        let finding = self.finding(Code::InvalidDuration, format!("is not a valid duration: {reason}"));
        match duration::suggestion(text) {
            Some(meant) => finding
                .help("use the units `h`, `m`, `s` and `ms` without spaces")
                .suggest(self.replacement(meant.clone(), format!("write `{meant}`"), Applicability::Review)),
            None => finding.help("write numbers with the units `h`, `m`, `s` or `ms`, such as `1h30m` or `500ms`"),
        }
    }

    fn invalid_format(&self) -> Diagnostic {
        let text = |keyword| self.node.map(|node| node.text(keyword)).unwrap_or_default();
        let example = self.node.and_then(Node::scalar_example).map(|example| yaml(&example));
        let finding = self.finding(Code::InvalidFormat, "has an invalid format");
        let description = text("description");
        let finding = if description.is_empty() { finding } else { finding.note(description) };
        let finding = with(finding, self.remedies.invalid_format(self.view));
        let pattern = text("pattern");
        finding.help(match example {
            _ if pattern == r"^\S+@\S+$" => "write `name@version` without spaces".to_owned(),
            Some(example) => format!("use a value such as `{example}`"),
            None => format!("use a value that matches `{pattern}`"),
        })
    }

    fn wrong_type(&self, kind: &TypeKind) -> Diagnostic {
        let wanted = match kind {
            TypeKind::Single(wanted) => wanted.as_str(),
            TypeKind::Multiple(_) => "",
        };
        match (wanted, self.view.value()) {
            (_, Value::Null) => self
                .finding(Code::EmptyValue, format!("must be {}, but is empty", noun(wanted)))
                .help("add a value, or remove the key"),
            ("string", Value::Bool(_) | Value::Number(_)) => self.unquoted_string(),
            ("boolean" | "integer" | "number", Value::String(text)) => self.quoted_scalar(wanted, text),
            (_, found) => self
                .finding(Code::WrongType, format!("must be {}, not {}", noun(wanted), noun(kind_of(found))))
                .help(self.example_or(wanted)),
        }
    }

    fn unquoted_string(&self) -> Diagnostic {
        let raw = self.view.raw();
        if may_be_secret(&self.view) {
            let predicate = "must be a string and needs quotes".to_owned();
            return self.finding(Code::UnquotedString, predicate).help("quote the value");
        }
        let read = if self.view.value().is_boolean() { "a boolean" } else { "a number" };
        let finding =
            self.finding(Code::UnquotedString, format!("must be a string, but `{raw}` without quotes is {read}"));
        let is_duration = self.node.is_some_and(|node| node.text("format") == "go-duration");
        if is_duration && let Some(meant) = duration::suggestion(raw) {
            // In quotes, it would still have no unit.
            let written = self.replacement(meant.clone(), format!("write `{meant}`"), Applicability::Review);
            return finding.help("write a duration with a unit").suggest(written);
        }
        if let Some(remedy) = self.remedies.number(self.view) {
            return finding.help(remedy.text.clone()).suggest(remedy);
        }
        finding.help(format!("write `\"{raw}\"`")).suggest(self.replacement(
            format!("\"{raw}\""),
            "quote the value".to_owned(),
            Applicability::Safe,
        ))
    }

    fn quoted_scalar(&self, wanted: &str, text: &str) -> Diagnostic {
        let finding = self.finding(Code::WrongType, format!("must be {}, not a string", noun(wanted)));
        let meant = match (wanted, text.to_lowercase().as_str()) {
            ("boolean", "true" | "yes" | "on" | "y") => Some("true".to_owned()),
            ("boolean", "false" | "no" | "off" | "n") => Some("false".to_owned()),
            ("boolean", _) => None,
            ("integer", digits) => digits.parse::<i64>().ok().map(|number| number.to_string()),
            (_, digits) => {
                digits.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number.to_string())
            }
        };
        match meant {
            Some(meant) => finding.help(format!("write `{meant}`, without quotes")).suggest(self.replacement(
                meant.clone(),
                format!("write `{meant}`"),
                Applicability::Review,
            )),
            None => finding.help(self.example_or(wanted)),
        }
    }

    fn example_or(&self, wanted: &str) -> String {
        let key = tokens(&self.view.pointer()).last().unwrap_or_default();
        match (self.node.and_then(Node::scalar_example), wanted) {
            (Some(example), _) => format!("use a value such as `{}`", yaml(&example)),
            (None, "array") => format!("write each item on its own line below `{key}:`, after `- `"),
            (None, "object") if !key.is_empty() => {
                format!("write its fields on their own lines below `{key}:`, indented")
            }
            (None, _) => format!("write {}", noun(wanted)),
        }
    }

    fn replacement(&self, replacement: String, text: String, applicability: Applicability) -> Suggestion {
        Suggestion { text, edits: vec![Edit { span: self.view.span(), replacement }], applicability }
    }
}

fn with(finding: Diagnostic, remedy: Option<Suggestion>) -> Diagnostic {
    match remedy {
        Some(remedy) => finding.suggest(remedy),
        None => finding,
    }
}

/// Whether the value is a header or an environment variable, which may be secret.
fn may_be_secret(view: &View<'_>) -> bool {
    let pointer = view.pointer();
    ["/headers/", "/env/"].iter().any(|part| pointer.contains(part))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn noun(kind: &str) -> &'static str {
    match kind {
        "boolean" => "`true` or `false`",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "array" => "a list",
        "object" => "a mapping",
        _ => "something else",
    }
}

/// A scalar in YAML.
fn yaml(value: &Value) -> String {
    match value.as_str() {
        Some(text) if text.starts_with(|c: char| c.is_ascii_digit()) || text.contains(": ") || text.is_empty() => {
            value.to_string()
        }
        Some(text) => text.to_owned(),
        None => value.to_string(),
    }
}

fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
