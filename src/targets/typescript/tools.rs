//! The agent's own tools as TypeScript has them: a function that the user fills in, and a type for its arguments.

use serde::Serialize;
use serde_json::Value;

use crate::{
    names::Casing,
    project,
    render::literals::{ts_comment, ts_key},
    targets::{
        identifiers::{Identifiers, ToolFiles},
        schema::{self, Object, Shape, Type},
    },
};

/// One tool.
#[derive(Debug, Serialize)]
pub(super) struct Tool<'a> {
    /// The name that the model sees.
    pub(super) name: &'a str,
    /// What it does.
    pub(super) description: &'a str,
    /// JSON Schema of its arguments.
    pub(super) schema: &'a Value,
    /// What the user's function is for, for the comment above it.
    pub(super) comment: String,
    /// The user's file, without folder and extension.
    pub(super) stem: String,
    /// The user's function.
    pub(super) handler: String,
    /// Type of the function's arguments.
    pub(super) arguments: String,
    /// The declaration of that type.
    pub(super) declaration: String,
    /// Whether the line that begins the function is too long for one line.
    pub(super) is_long: bool,
}

/// Words that no function can be called by, and names of `index.ts`.
const TAKEN: [&str; 53] = [
    "Services",
    "Tool",
    "arguments",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "tools",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

pub(super) fn resolve<'a>(tools: &'a [project::Tool], acronyms: impl IntoIterator<Item = &'a str>) -> Vec<Tool<'a>> {
    let casing = Casing::new(acronyms);
    let mut identifiers = Identifiers::with_taken(TAKEN);
    // A test has the name of its file and `.test`.
    let mut files = ToolFiles::new(["index", "services"], |_| false);
    // Functions first: a function's name then never depends on the arguments of another tool.
    let handlers: Vec<_> = tools.iter().map(|tool| identifiers.unique(&function(&casing.camel(&tool.id)))).collect();
    tools
        .iter()
        .zip(handlers)
        .map(|(tool, handler)| {
            let arguments = identifiers.unique(&format!("{}Arguments", capital(&handler)));
            let line = format!("export function {handler}(args: {arguments}, services: Services, signal: AbortSignal): Promise<string> {{");
            Tool {
                comment: comment(tool),
                declaration: declaration(&arguments, &handler, &tool.schema),
                name: &tool.name,
                description: &tool.description,
                schema: &tool.schema,
                stem: files.stem(&tool.id),
                is_long: line.len() > 120,
                handler,
                arguments,
            }
        })
        .collect()
}

/// A legal name of a function.
fn function(wanted: &str) -> String {
    let legal: String = wanted.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
    if legal.starts_with(|first: char| first.is_ascii_alphabetic()) { legal } else { format!("tool{legal}") }
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

fn comment(tool: &project::Tool) -> String {
    let project::Tool { name, description, .. } = tool;
    format!(
        "Answers the model's calls of the tool {name}. The text goes back to the model; so does the message of an error, for the \
         model to try again.\n\nThe model knows the tool by these words:\n\n{description}"
    )
}

fn declaration(name: &str, handler: &str, schema: &Value) -> String {
    let comment = format!("/** The arguments of {handler}. */\n");
    let object = schema::object(schema);
    if object.properties.is_empty() {
        let values = if object.is_open { "unknown" } else { "never" };
        return format!("{comment}export type {name} = Record<string, {values}>;");
    }
    format!("{comment}export interface {name} {}", members(&object, 0))
}

/// The properties of an object between braces.
fn members(object: &Object<'_>, indent: usize) -> String {
    let margin = " ".repeat(indent + 2);
    let mut lines = String::from("{\n");
    for property in &object.properties {
        let comment = ts_comment(property.description, indent + 2);
        if !comment.is_empty() {
            lines.extend([&margin, &comment, "\n"]);
        }
        let mark = if property.is_required { "" } else { "?" };
        let (key, value) = (ts_key(property.name), type_name(&property.r#type, indent + 2));
        lines.extend([&margin, &key, mark, ": ", &value, ";\n"]);
    }
    lines + &" ".repeat(indent) + "}"
}

fn type_name(r#type: &Type<'_>, indent: usize) -> String {
    let name = match &r#type.shape {
        Shape::Any => return "unknown".to_owned(),
        Shape::Text => "string".to_owned(),
        Shape::Integer | Shape::Number => "number".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::List(items) if items.is_nullable => "unknown[]".to_owned(),
        Shape::List(items) => format!("{}[]", type_name(items, indent)),
        Shape::Map(values) if matches!(values.shape, Shape::Object(_)) => "Record<string, unknown>".to_owned(),
        Shape::Map(values) => format!("Record<string, {}>", type_name(values, indent)),
        Shape::Object(object) => members(object, indent),
    };
    if r#type.is_nullable { format!("{name} | null") } else { name }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_follow_the_schema() {
        let schema = json!({
            "type": "object",
            "required": ["city", "where"],
            "properties": {
                "city": {"type": "string", "description": "Where\nto look"},
                "days": {"type": "integer"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "where": {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]},
                "a note": {"type": ["string", "null"]},
                "labels": {"type": "object", "additionalProperties": {"type": "boolean"}},
                "any": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            },
        });
        let expected = "/** The arguments of look. */
export interface LookArguments {
  /**
   * Where
   * to look
   */
  city: string;
  days?: number;
  tags?: string[];
  where: {
    lat: number;
  };
  \"a note\"?: string | null;
  labels?: Record<string, boolean>;
  any?: unknown;
}";
        assert_eq!(declaration("LookArguments", "look", &schema), expected);
        assert!(declaration("A", "a", &json!({"type": "object"})).ends_with("export type A = Record<string, never>;"));
    }

    #[test]
    fn functions_have_legal_names() {
        for (wanted, name) in [("getWeather", "getWeather"), ("5g", "tool5g"), ("", "tool"), ("größe", "gre")] {
            assert_eq!(function(wanted), name);
        }
    }
}
