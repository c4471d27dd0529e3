//! What the model is told of the tools of MCP servers and of their results.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::config::{is_illegal_in_name, short_hash};

type Object = Map<String, Value>;

/// A tool of a server, in a form that every model accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerTool {
    /// The name that the server gave it.
    pub name: String,
    pub description: String,
    pub schema: Value,
}

/// Bounds a tool's description, in characters; what a model can make use of is far shorter.
const MAX_DESCRIPTION: usize = 4096;

/// Returns the tools of one server, sorted by name, and the names of those left out: without a name, with one that was there
/// before, or with a schema that cannot be repaired.
pub fn read_tools(listed: &[Value]) -> (Vec<ServerTool>, Vec<String>) {
    let mut tools = BTreeMap::new();
    let mut left_out = Vec::new();
    for tool in listed {
        let name = tool["name"].as_str().unwrap_or_default();
        match repair_schema(&tool["inputSchema"]) {
            Some(schema) if !name.is_empty() && !tools.contains_key(name) => {
                let texts = [&tool["description"], &tool["title"], &tool["annotations"]["title"]];
                let text =
                    texts.into_iter().filter_map(Value::as_str).find(|text| !text.is_empty()).unwrap_or_default();
                let description = clean(text);
                tools.insert(name.to_owned(), ServerTool { name: name.to_owned(), description, schema });
            }
            _ => left_out.push(clean(name).chars().take(100).collect()),
        }
    }
    (tools.into_values().collect(), left_out)
}

/// Removes characters that are not seen or change the order of others, and cuts what is too long.
fn clean(text: &str) -> String {
    let is_hidden = |character: char| match character {
        '\n' | '\t' | '\u{200c}' | '\u{200d}' => false, // the joiners belong to the spelling of some languages
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{e0000}'.. => true, // tags, selectors and private use
        _ => character.is_control(),
    };
    let mut seen = text.chars().filter(|character| !is_hidden(*character));
    let mut cut: String = seen.by_ref().take(MAX_DESCRIPTION).collect();
    if seen.next().is_some() {
        cut.push_str(" [cut]");
    }
    cut
}

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// What providers refuse at the root; the server checks its arguments itself.
const NOT_AT_ROOT: [&str; 11] =
    ["$schema", "$ref", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const"];

/// How deep schemas may nest.
const MAX_DEPTH: usize = 64;

/// Returns the schema of a tool's arguments as one that every model accepts: what has one meaning is repaired, and constraints
/// at the root that providers refuse are loosened. `None` when it has no one meaning.
pub fn repair_schema(schema: &Value) -> Option<Value> {
    let empty = Object::new();
    let given = match schema {
        Value::Null | Value::Bool(true) => &empty,
        given => given.as_object()?,
    };
    let mut root = repair_object(given, given, 0)?;
    let referred = resolve(&root, root.get("$ref"))?.clone();
    let choices = ["anyOf", "oneOf"].map(|key| objects(root.get(key)));
    let mut parts = vec![&root, &referred];
    parts.extend(objects(root.get("allOf")));

    let described = parts.iter().filter_map(|part| part.get("properties")?.as_object());
    let mut properties: Object = described.flatten().map(|(name, schema)| (name.clone(), schema.clone())).collect();
    let mut required: Vec<Value> = Vec::new();
    for choice in &choices {
        properties.extend(either_of(choice));
    }
    for name in parts.iter().flat_map(|part| names(part)).chain(choices.iter().flat_map(|choice| in_all(choice))) {
        if !required.contains(name) {
            required.push(name.clone());
        }
    }
    root.retain(|key, _| !NOT_AT_ROOT.contains(&key.as_str()));
    root.insert("type".to_owned(), json!("object"));
    root.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        root.insert("required".to_owned(), required.into());
    }
    describe_required(&mut root);
    Some(root.into())
}

/// Returns the properties of alternatives; one that differs between them may be either.
fn either_of(choice: &[&Object]) -> Object {
    let mut found: BTreeMap<&String, Vec<&Value>> = BTreeMap::new();
    for (name, schema) in choice.iter().filter_map(|part| part.get("properties")?.as_object()).flatten() {
        let known = found.entry(name).or_default();
        if !known.contains(&schema) {
            known.push(schema);
        }
    }
    let merge = |all: Vec<&Value>| if let [one] = all[..] { one.clone() } else { json!({"anyOf": all}) };
    found.into_iter().map(|(name, all)| (name.clone(), merge(all))).collect()
}

/// Returns what all alternatives require.
fn in_all<'a>(choice: &[&'a Object]) -> Vec<&'a Value> {
    let Some((first, others)) = choice.split_first() else { return Vec::new() };
    names(first).filter(|name| others.iter().all(|other| names(other).any(|required| required == *name))).collect()
}

/// The names of required properties.
fn names(schema: &Object) -> impl Iterator<Item = &Value> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten()
}

fn objects(list: Option<&Value>) -> Vec<&Object> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object).collect()
}

/// Adds the properties that are required and not described.
fn describe_required(schema: &mut Object) {
    let required: Vec<_> = names(schema).filter_map(|name| name.as_str().map(str::to_owned)).collect();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for name in required {
            properties.entry(name).or_insert_with(|| json!({}));
        }
    }
}

fn repair(value: &Value, root: &Object, depth: usize) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(true) => Some(json!({})),
        Value::Object(given) if depth <= MAX_DEPTH => repair_object(given, root, depth).map(Value::from),
        _ => None,
    }
}

fn repair_object(given: &Object, root: &Object, depth: usize) -> Option<Object> {
    let repair_all = |list: &[Value]| list.iter().map(|one| repair(one, root, depth + 1)).collect::<Option<Vec<_>>>();
    let is_flag = |key: &str| given.get(key) == Some(&Value::Bool(true));
    let mut result = Object::new();
    for (key, member) in given {
        let repaired = match (key.as_str(), member) {
            ("default" | "const", _) => member.clone(),
            ("properties", Value::Array(list)) if list.is_empty() => json!({}), // as PHP writes an empty map
            ("items", Value::Array(list)) => {
                result.insert("prefixItems".to_owned(), repair_all(list)?.into()); // as drafts before 2020 write them
                continue;
            }
            // Drafts before 6 write a flag beside the bound.
            ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(flag)) => {
                match given.get(if key == "exclusiveMinimum" { "minimum" } else { "maximum" }) {
                    Some(bound) if *flag => bound.clone(),
                    _ => continue,
                }
            }
            ("minimum", _) if is_flag("exclusiveMinimum") => continue,
            ("maximum", _) if is_flag("exclusiveMaximum") => continue,
            (key, Value::Null) if key != "items" => continue,
            (
                "items" | "additionalProperties" | "contains" | "not" | "if" | "then" | "else" | "propertyNames",
                member,
            ) => match member {
                Value::Bool(false) => member.clone(),
                _ => repair(member, root, depth + 1)?,
            },
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", member) => repair_all(member.as_array()?)?.into(),
            ("properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas", member) => {
                let mut schemas = Object::new();
                for (name, schema) in member.as_object()?.iter().filter(|(_, schema)| **schema != Value::Bool(false)) {
                    schemas.insert(name.clone(), repair(schema, root, depth + 1)?);
                }
                schemas.into()
            }
            ("description" | "title", member) => {
                member.as_str().map_or_else(|| clean(&member.to_string()), clean).into()
            }
            _ => member.clone(),
        };
        result.insert(key.clone(), repaired);
    }
    let kinds = match result.get("type") {
        _ if depth == 0 => Vec::new(), // arguments are always an object
        Some(Value::Array(kinds)) => kinds.clone(),
        kind => kind.cloned().into_iter().collect(),
    };
    let kinds = kinds.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
    if kinds.contains(&"array") {
        result.entry("items").or_insert_with(|| json!({}));
    }
    if kinds.contains(&"object") {
        result.entry("properties").or_insert_with(|| json!({}));
    }
    let is_list = |key: &str| result.get(key).is_none_or(Value::is_array);
    let valid = kinds.iter().all(|kind| TYPES.contains(kind)) && is_list("required") && is_list("enum");
    if !valid || !names(&result).all(Value::is_string) {
        return None;
    }
    resolve(root, result.get("$ref"))?;
    describe_required(&mut result);
    Some(result)
}

/// Returns what a reference such as `#/$defs/name` points to; without a reference the root itself.
fn resolve<'a>(root: &'a Object, reference: Option<&Value>) -> Option<&'a Object> {
    let Some(reference) = reference else { return Some(root) };
    let path = reference.as_str()?.strip_prefix('#')?;
    let mut found = root;
    for step in path.split('/').skip(1) {
        found = found.get(&step.replace("~1", "/").replace("~0", "~"))?.as_object()?;
    }
    (path.is_empty() || path.starts_with('/')).then_some(found)
}

/// The longest name of a tool that models accept.
const MAX_NAME: usize = 64;

/// Returns the name of each tool, given by server and tool, for the model: `<server>__<tool>` where that is legal, no other
/// server and tool can have it, and nobody has it yet, else one with a hash. The same tools get the same names, whatever their
/// order.
pub fn name_tools(tools: &[(&str, &str)], reserved: &BTreeSet<String>) -> Vec<String> {
    let is_legal = |name: &str| {
        let begins = name.starts_with(|first: char| first.is_ascii_alphabetic());
        begins && name.len() <= MAX_NAME && !name.contains(is_illegal_in_name)
    };
    let plain = |(server, tool): &(&str, &str)| {
        let name = format!("{server}__{tool}");
        let is_ambiguous = server.contains("__") || server.ends_with('_');
        (is_legal(&name) && !is_ambiguous && !reserved.contains(&name)).then_some(name)
    };
    let mut taken: BTreeSet<String> = tools.iter().filter_map(plain).chain(reserved.iter().cloned()).collect();
    let name = |tool: &(&str, &str)| {
        plain(tool).unwrap_or_else(|| {
            let mut salt = String::new();
            loop {
                let name = hashed_name(*tool, &salt);
                if taken.insert(name.clone()) {
                    return name;
                }
                salt.push('\0');
            }
        })
    };
    tools.iter().map(name).collect()
}

/// Returns a legal name that says as much as there is room for, and is made unique by a hash.
fn hashed_name((server, tool): (&str, &str), salt: &str) -> String {
    let suffix = format!("_{}", short_hash(&format!("{server}\0{tool}{salt}")));
    let mut name = format!("{server}__{tool}").replace(is_illegal_in_name, "_");
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert_str(0, "mcp_");
    }
    name.truncate(MAX_NAME - suffix.len());
    name.trim_end_matches('_').to_owned() + &suffix
}

/// From this length on a string in structured content that is base64 counts as data.
const SHORTEST_ENCODED: usize = 256;

/// Puts the result of a tool into text. Images, audio and blobs are described: their bytes would mean nothing to the model and
/// fill its context.
pub fn render_result(result: &Value) -> String {
    let structured = &result["structuredContent"];
    let blocks = result["content"].as_array().into_iter().flatten();
    let mut parts: Vec<_> = blocks.filter(|block| !repeats(block, structured)).map(render_block).collect();
    parts.retain(|part| !part.is_empty());
    if !structured.is_null() {
        parts.push(without_data(structured).to_string());
    }
    if parts.is_empty() { "(the tool returned no content)".to_owned() } else { parts.join("\n\n") }
}

fn render_block(block: &Value) -> String {
    match block["type"].as_str() {
        Some("text") => text(&block["text"]).to_owned(),
        Some(kind @ ("image" | "audio")) => {
            format!("[{kind}: {}]", data_facts(text(&block["mimeType"]), &block["data"]))
        }
        Some("resource_link") => {
            let mut facts = vec![short_uri(text(&block["uri"]))];
            facts.extend(["name", "title", "description", "mimeType"].map(|field| text(&block[field]).to_owned()));
            facts.extend(block["size"].as_u64().map(|size| format!("{size} bytes")));
            facts.retain(|fact| !fact.is_empty());
            format!("[link: {}]", facts.join(", "))
        }
        Some("resource") => {
            let resource = &block["resource"];
            let uri = short_uri(text(&resource["uri"]));
            match &resource["blob"] {
                Value::Null => format!("[resource: {uri}]\n{}", text(&resource["text"])),
                blob => format!("[resource: {uri}, {}]", data_facts(text(&resource["mimeType"]), blob)),
            }
        }
        _ => format!("[content of type {}, which cannot be shown]", block["type"]),
    }
}

fn data_facts(kind: &str, base64: &Value) -> String {
    let kind = if kind.is_empty() { "unknown type" } else { kind };
    format!("{kind}, {} bytes, not shown", text(base64).trim_end_matches('=').len() * 3 / 4)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Leaves out the content of a URI that holds it.
fn short_uri(uri: &str) -> String {
    match uri.split_once(',') {
        Some((head, content)) if head.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:")) => {
            format!("{head} ({} characters, not shown)", content.chars().count())
        }
        _ => uri.to_owned(),
    }
}

/// Whether the content is a text that says the same as the structured content, as the protocol recommends. The latter is shown
/// then, since data can be told from text in it.
fn repeats(block: &Value, structured: &Value) -> bool {
    let is_text = structured.is_object() && block["type"] == "text";
    is_text && serde_json::from_str::<Value>(text(&block["text"])).is_ok_and(|same| same == *structured)
}

/// Returns the JSON value with a note in place of each string that is base64 data.
fn without_data(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(without_data).collect(),
        Value::Object(object) => object.iter().map(|(key, one)| (key.clone(), without_data(one))).collect(),
        Value::String(string) => {
            let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/_-".contains(&byte);
            if string.len() >= SHORTEST_ENCODED && string.trim_end_matches('=').bytes().all(is_digit) {
                format!("[{}]", data_facts("base64 data", value)).into()
            } else {
                short_uri(string).into()
            }
        }
        _ => value.clone(),
    }
}
