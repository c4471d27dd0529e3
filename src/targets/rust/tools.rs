//! The agent's own tools as Rust has them: a method that the user fills in, and types for its arguments.

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{
    names::words,
    project,
    render::literals::{rust_comment, rust_string},
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
    /// What the user's method is for, for the comment above it.
    pub(super) comment: String,
    /// The user's module, which is the name of the file.
    pub(super) module: String,
    /// The user's method.
    pub(super) handler: String,
    /// Type of the method's arguments.
    pub(super) arguments: String,
    /// The names that the user's module imports.
    pub(super) imports: String,
    /// The declarations of that type and of the types it needs.
    pub(super) declaration: String,
    /// Whether the line that begins the method is too long for one line.
    pub(super) is_long: bool,
}

/// What `tools/mod.rs` prints.
#[derive(Debug, Serialize)]
pub(super) struct Catalogue<'a> {
    /// In the order of the formatter.
    modules: Vec<&'a str>,
    tools: &'a [Tool<'a>],
    /// Whether a type of arguments holds a map, and whether one holds a value of any type.
    maps: bool,
    values: bool,
}

impl<'a> Catalogue<'a> {
    pub(super) fn new(tools: &'a [Tool<'a>]) -> Self {
        let mut modules: Vec<_> = tools.iter().map(|tool| tool.module.as_str()).chain([TOOLBOX]).collect();
        modules.sort_by_key(|name| order(name));
        let holds = |text: &str| tools.iter().any(|tool| tool.declaration.contains(text));
        Self {
            modules,
            tools,
            maps: holds("BTreeMap<"),
            values: holds(": Value,") || holds("<Value>") || holds(", Value>"),
        }
    }
}

/// The order in which the formatter puts names: underscores first, numbers by their value.
fn order(name: &str) -> Vec<(u8, u64)> {
    let mut keys = Vec::new();
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter.to_digit(10) {
            _ if letter == '_' => keys.push((0, 0)),
            Some(digit) => {
                let mut number = u64::from(digit);
                while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(10)) {
                    number = number.saturating_mul(10).saturating_add(u64::from(digit));
                    letters.next();
                }
                keys.push((1, number));
            }
            None => keys.push((2, u64::from(letter))),
        }
    }
    keys
}

/// The module of what all tools have at hand.
const TOOLBOX: &str = "toolbox";

/// Names of types in `tools/mod.rs` that no type of arguments may take.
const TAKEN_TYPES: [&str; 12] = [
    "Arc",
    "BTreeMap",
    "Definition",
    "Deserialize",
    "Option",
    "Self",
    "String",
    "Tool",
    "ToolSet",
    "Toolbox",
    "Value",
    "Vec",
];

/// Methods that the user's struct has.
const TAKEN_METHODS: [&str; 3] = ["default", "fmt", "new"];

/// Words that the language keeps for itself.
const KEYWORDS: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "union",
];

/// The most letters of a name; a digest replaces the rest, so that lines fit.
const LONGEST: usize = 40;

pub(super) fn resolve(tools: &[project::Tool]) -> Vec<Tool<'_>> {
    let mut types = Identifiers::with_taken(TAKEN_TYPES);
    let mut methods = Identifiers::with_taken(TAKEN_METHODS.into_iter().chain(KEYWORDS));
    let mut files = ToolFiles::new([TOOLBOX, "mod", "tools"], |stem| KEYWORDS.contains(&stem));
    tools
        .iter()
        .map(|tool| {
            let handler = methods.unique(&snake(&tool.id, "tool"));
            let arguments = types.unique(&format!("{}Arguments", pascal(&tool.id, "Tool")));
            let line =
                format!("    pub async fn {handler}(&self, arguments: {arguments}) -> Result<String, BoxError> {{");
            let mut imports = [TOOLBOX_TYPE, arguments.as_str()];
            imports.sort_unstable();
            let mut declarer = Declarer { types: &mut types, declarations: Vec::new() };
            let comment = format!("/// The arguments of `{handler}`.");
            declarer.object(&arguments, &comment, &schema::object(&tool.schema));
            Tool {
                comment: comment_of(tool),
                declaration: declarer.declarations.join("\n\n"),
                name: &tool.name,
                description: &tool.description,
                schema: &tool.schema,
                module: files.stem(&snake(&tool.id, "tool")),
                is_long: line.len() > WIDTH,
                imports: format!("{{{}}}", imports.join(", ")),
                handler,
                arguments,
            }
        })
        .collect()
}

const TOOLBOX_TYPE: &str = "Toolbox";

/// Columns that a line may have; the formatter of a generated project is set to it.
const WIDTH: usize = 120;

fn comment_of(tool: &project::Tool) -> String {
    let project::Tool { name, description, .. } = tool;
    format!(
        "Answers the model's calls of the tool {name}. The text goes back to the model; so does the text of an error, for the \
         model to try again.\n\nThe model knows the tool by these words:\n\n{description}"
    )
}

/// A legal name of a function, a module or a field.
fn snake(name: &str, prefix: &str) -> String {
    joined(name, prefix, "_", str::to_owned)
}

/// A legal name of a type.
fn pascal(name: &str, prefix: &str) -> String {
    joined(name, prefix, "", |word| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    })
}

fn joined(name: &str, prefix: &str, between: &str, change: fn(&str) -> String) -> String {
    let ascii = |word: &String| word.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let mut words: Vec<_> = words(name).iter().map(ascii).filter(|word| !word.is_empty()).collect();
    if !words.first().is_some_and(|first| first.starts_with(|letter: char| letter.is_ascii_alphabetic())) {
        words.insert(0, prefix.to_lowercase());
    }
    let name = words.iter().map(|word| change(word)).collect::<Vec<_>>().join(between);
    if name.len() <= LONGEST {
        return name;
    }
    let digest = Sha256::digest(&name);
    let digest = digest.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
    let start = name.get(..LONGEST - 9).unwrap_or_default().trim_end_matches('_');
    format!("{start}{between}{}{digest:08x}", change("x"))
}

/// A legal name of a field.
fn field(property: &str) -> String {
    let name = snake(property, "field");
    if KEYWORDS.contains(&name.as_str()) { format!("{name}_") } else { name }
}

struct Declarer<'a> {
    types: &'a mut Identifiers,
    declarations: Vec<String>,
}

impl Declarer<'_> {
    fn object(&mut self, name: &str, comment: &str, object: &Object<'_>) {
        if object.properties.is_empty() && object.is_open {
            self.declarations.push(format!("{comment}\npub type {name} = serde_json::Map<String, Value>;"));
            return;
        }
        let index = self.declarations.len();
        self.declarations.push(String::new());
        let mut names = Identifiers::default();
        let mut lines = String::new();
        for property in &object.properties {
            let comment = rust_comment(property.description, 4);
            if !comment.is_empty() {
                lines.extend(["    ", &comment, "\n"]);
            }
            let field = names.unique(&field(property.name));
            if field != property.name {
                lines.extend(["    #[serde(rename = ", &rust_string(property.name), ")]\n"]);
            }
            let optional = |type_name: &str| {
                let is_optional = !property.is_required && !type_name.starts_with("Option<");
                if is_optional { format!("Option<{type_name}>") } else { type_name.to_owned() }
            };
            let type_name = self.type_name(&format!("{name} {}", property.name), &property.r#type);
            let line = format!("    pub {field}: {},", optional(&type_name));
            let shorter = || format!("    pub {field}: {},", optional("Value"));
            let line = if line.len() > WIDTH { shorter() } else { line };
            lines.extend([&line, "\n"]);
        }
        let body = if lines.is_empty() { "{}".to_owned() } else { format!("{{\n{lines}}}") };
        let derive = "#[derive(Clone, Debug, Default, Deserialize)]";
        if let Some(declaration) = self.declarations.get_mut(index) {
            *declaration = format!("{comment}\n{derive}\npub struct {name} {body}");
        }
    }

    fn type_name(&mut self, name: &str, r#type: &Type<'_>) -> String {
        let base = match &r#type.shape {
            Shape::Any => return "Value".to_owned(),
            Shape::Text => "String".to_owned(),
            Shape::Integer => "i64".to_owned(),
            Shape::Number => "f64".to_owned(),
            Shape::Boolean => "bool".to_owned(),
            Shape::List(items) => format!("Vec<{}>", self.type_name(&format!("{name} item"), items)),
            Shape::Map(values) => format!("BTreeMap<String, {}>", self.type_name(&format!("{name} value"), values)),
            Shape::Object(object) => {
                let name = self.types.unique(&pascal(name, "Object"));
                self.object(&name, "/// A part of the arguments.", object);
                name
            }
        };
        if r#type.is_nullable { format!("Option<{base}>") } else { base }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn declared(schema: &Value) -> String {
        let mut declarer = Declarer { types: &mut Identifiers::default(), declarations: Vec::new() };
        declarer.object("Look", "/// Text.", &schema::object(schema));
        declarer.declarations.join("\n\n")
    }

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
                "type": {"type": "object", "additionalProperties": {"type": "boolean"}},
                "any": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            },
        });
        let expected = "/// Text.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Look {
    // Where
    // to look
    pub city: String,
    pub days: Option<i64>,
    pub tags: Option<Vec<String>>,
    pub where_: LookWhere,
    #[serde(rename = \"a note\")]
    pub a_note: Option<String>,
    #[serde(rename = \"type\")]
    pub type_: Option<BTreeMap<String, bool>>,
    pub any: Option<Value>,
}

/// A part of the arguments.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct LookWhere {
    pub lat: f64,
}";
        assert_eq!(
            declared(&schema),
            expected.replace("    pub where_", "    #[serde(rename = \"where\")]\n    pub where_")
        );
        assert!(declared(&json!({"type": "object"})).ends_with("pub struct Look {}"));
    }

    #[test]
    fn names_are_legal() {
        for (wanted, name) in [("getWeather", "get_weather"), ("5g", "tool_5g"), ("", "tool"), ("größe", "gre")] {
            assert_eq!(snake(wanted, "tool"), name);
        }
        let long = "a_long_name_".repeat(10);
        assert!(snake(&long, "tool").len() <= LONGEST && pascal(&long, "Tool").len() <= LONGEST);
        assert_ne!(snake(&long, "tool"), snake(&format!("{long}b"), "tool"));
    }

    #[test]
    fn modules_are_in_the_order_of_the_formatter() {
        let mut names = ["a10", "a_b", "ab", "a2", "a"];
        names.sort_by_key(|name| order(name));
        assert_eq!(names, ["a", "a_b", "a2", "a10", "ab"]);
    }
}
