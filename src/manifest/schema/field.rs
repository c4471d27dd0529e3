//! The fields of a manifest, as `adl explain` describes them.

use serde_json::{Map, Value};

use super::node::{Known, Node};
use crate::names::closest;

/// A field of a manifest.
#[derive(Debug, Clone)]
pub struct Field {
    /// The path: `spec.agent.mcp.servers[].url`; `*` stands for the keys of a map.
    pub path: String,
    /// The display name.
    pub title: String,
    /// The description.
    pub description: String,
    /// The type: `integer, 1 to 65535`, `one of http, sse, stdio`.
    pub kind: String,
    /// The default, if any.
    pub default: Option<Value>,
    /// Whether the parent requires it.
    pub required: bool,
    /// Whether other tools reject it.
    pub extension: bool,
    /// The names of its fields.
    pub children: Vec<&'static str>,
    /// A manifest with only an example of the field.
    pub example: Option<Value>,
}

/// No field has the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    /// A similar field, if there is one.
    pub meant: Option<String>,
}

/// Finds a field by its path. `spec.tools[0].id`, `spec.tools[].id` and `spec.tools.id` are equivalent.
pub fn field(path: &str) -> Result<Field, UnknownField> {
    let written = path.replace(['[', ']'], ".");
    let names: Vec<_> = written.split('.').filter(|name| !name.is_empty()).collect();
    let found = follow(&names).filter(|_| !names.is_empty());
    found.ok_or_else(|| {
        let known = field_paths();
        let simple = names.join(".");
        let meant = closest(&simple, known.iter().map(String::as_str)).map(str::to_owned);
        let last = names.last().copied().unwrap_or_default();
        UnknownField { meant: meant.or_else(|| ending_in(&known, last)) }
    })
}

/// The path of the only field with this name.
fn ending_in(known: &[String], name: &str) -> Option<String> {
    let mut ending = known.iter().filter(|path| path.rsplit('.').next() == Some(name));
    ending.next().filter(|_| ending.next().is_none()).cloned()
}

/// The paths of all fields, in the schema's order.
pub fn field_paths() -> Vec<String> {
    let mut found = Vec::new();
    collect(Node::root(), "", &mut found);
    found
}

fn collect(node: Node, path: &str, found: &mut Vec<String>) {
    if let Some(items) = node.items() {
        collect(items, &format!("{path}[]"), found);
    }
    if let Some(entries) = node.entries().filter(|entries| entries.properties().next().is_some()) {
        collect(entries, &format!("{path}.*"), found);
    }
    for (name, child) in node.properties() {
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        found.push(path.clone());
        collect(child, &path, found);
    }
}

/// One component of a path to a field.
enum Step {
    Key(String),
    Item,
}

fn follow(names: &[&str]) -> Option<Field> {
    let (mut node, mut path, mut steps, mut required) = (Node::root(), String::new(), Vec::new(), false);
    for name in names {
        if let Some(items) = node.items() {
            node = items;
            path.push_str("[]");
            steps.push(Step::Item);
            if name.bytes().all(|digit| digit.is_ascii_digit()) {
                continue;
            }
        }
        let Known::Child(child) = node.known(name) else { return None };
        required = node.requires(name);
        let named = node.property(name).is_some();
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(if named { name } else { "*" });
        steps.push(Step::Key(if named || *name != "*" { (*name).to_owned() } else { "example".to_owned() }));
        node = child;
    }
    let target = node.items().unwrap_or(node);
    let children = target.properties().chain(target.entries().into_iter().flat_map(Node::properties));
    Some(Field {
        path,
        title: node.text("title"),
        description: node.text("description"),
        kind: kind(node),
        default: node.keyword("default"),
        required,
        extension: node.is_extension(),
        children: children.map(|(name, _)| name).collect(),
        example: node.example().map(|example| wrap(&steps, example)),
    })
}

/// A manifest that contains only `example`, at the path `steps`.
fn wrap(steps: &[Step], example: Value) -> Value {
    steps.iter().rev().fold(example, |inner, step| match step {
        Step::Key(name) => Value::Object(Map::from_iter([(name.clone(), inner)])),
        Step::Item => Value::Array(vec![inner]),
    })
}

fn kind(node: Node) -> String {
    if let Some(Value::Array(options)) = node.keyword("enum") {
        let words: Vec<_> = options.iter().map(|option| option.as_str().filter(|word| !word.is_empty())).collect();
        let words: Vec<_> = words.iter().map(|word| word.unwrap_or("\"\"")).collect();
        return format!("one of {}", words.join(", "));
    }
    if let Some(Value::String(word)) = node.keyword("const") {
        return format!("always {word}");
    }
    let bounds = bounds(node);
    match (node.text("type").as_str(), node.text("format").as_str(), node.text("pattern").as_str()) {
        (_, "go-duration", _) => "duration, such as 1h30m or 500ms".to_owned(),
        (_, "email", _) => "email address".to_owned(),
        (_, "uri", _) => "URL".to_owned(),
        ("string", _, "") => "string".to_owned(),
        ("string", _, pattern) => format!("string that matches {pattern}"),
        ("boolean", ..) => "true or false".to_owned(),
        ("integer", ..) => format!("integer{bounds}"),
        ("number", ..) => format!("number{bounds}"),
        ("array", ..) => match node.items().map(|items| (items.text("type"), kind(items))) {
            Some((of, _)) if of == "object" => "list of mappings".to_owned(),
            None => "list of mappings".to_owned(),
            Some((_, kind)) => format!("list of: {kind}"),
        },
        ("object", ..) if node.entries().is_some() && node.properties().next().is_none() => {
            "mapping with keys of your own".to_owned()
        }
        _ => "mapping".to_owned(),
    }
}

fn bounds(node: Node) -> String {
    match (node.keyword("minimum"), node.keyword("maximum")) {
        (Some(least), Some(most)) if most.as_i64() == Some(i64::from(i32::MAX)) => format!(", at least {least}"),
        (Some(least), Some(most)) => format!(", {least} to {most}"),
        (Some(least), None) => format!(", at least {least}"),
        (None, Some(most)) => format!(", at most {most}"),
        (None, None) => String::new(),
    }
}
