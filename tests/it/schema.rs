//! Checks `schema/adl.schema.json`: every property is documented, and the Rust types match the schema.

use std::collections::BTreeSet;

use adl::manifest::{
    Agent, Capabilities, Card, Development, Go, Language, Manifest, Mcp, Metadata, SCHEMA, Sandbox, SecurityScheme,
    Server, Skill, Spec, Switch, Tool,
};
use adl::mcp::ServerDefinition;
use adl::project::{Project, providers::PROVIDERS};
use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Visitor};
use serde_json::{Value, json};

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

/// The subschema at a pointer, with `$ref` resolved.
fn at<'a>(schema: &'a Value, pointer: &str) -> &'a Value {
    let place = schema.pointer(pointer).expect("the schema has this pointer");
    let target = place.get("$ref").map(|reference| reference.as_str().unwrap().trim_start_matches('#'));
    target.map_or(place, |target| schema.pointer(target).unwrap())
}

/// The pointers of all properties.
fn properties(node: &Value, pointer: &str, found: &mut Vec<String>) {
    if let Some(properties) = node.get("properties").and_then(Value::as_object) {
        found.extend(properties.keys().map(|name| format!("{pointer}/properties/{name}")));
    }
    for (key, child) in node.as_object().into_iter().flatten() {
        let inside = format!("{pointer}/{key}");
        match key.as_str() {
            "properties" | "$defs" => {
                child.as_object().unwrap().iter().for_each(|(name, child)| properties_of(child, &inside, name, found));
            }
            "items" | "additionalProperties" => properties(child, &inside, found),
            _ => {}
        }
    }
}

fn properties_of(child: &Value, pointer: &str, name: &str, found: &mut Vec<String>) {
    properties(child, &format!("{pointer}/{name}"), found);
}

fn all_properties(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    properties(schema, "", &mut found);
    assert!(found.len() > 200, "only {} properties were found", found.len());
    found
}

#[test]
fn schema_is_valid() {
    assert!(jsonschema::meta::validate(&schema()).is_ok());
}

#[test]
fn every_property_has_a_title_a_description_and_examples() {
    let schema = schema();
    for pointer in all_properties(&schema) {
        let property = schema.pointer(&pointer).unwrap();
        for keyword in ["title", "description"] {
            let text = property[keyword].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{pointer} has no {keyword}");
        }
        assert!(property["description"].as_str().unwrap().ends_with('.'), "{pointer}: a description is a sentence");
        assert!(
            property["examples"].as_array().is_some_and(|examples| !examples.is_empty()),
            "{pointer} has no example"
        );
    }
}

#[test]
fn every_example_and_default_is_valid() {
    let mut schema = schema();
    let pointers = all_properties(&schema);
    // A single schema with a property for each property of the schema, so that it is only compiled once.
    let places: serde_json::Map<_, _> =
        pointers.iter().map(|pointer| (pointer.clone(), json!({"$ref": format!("#/$defs/whole{pointer}")}))).collect();
    let whole = schema.as_object_mut().unwrap();
    whole.remove("$id");
    let mut definitions = whole["$defs"].clone();
    definitions["whole"] = Value::from(whole.clone());
    let validator = jsonschema::validator_for(&json!({"properties": places, "$defs": definitions})).unwrap();
    for pointer in pointers {
        let property = schema.pointer(&pointer).unwrap();
        for value in property["examples"].as_array().unwrap().iter().chain(property.get("default")) {
            assert!(validator.is_valid(&json!({&pointer: value})), "{pointer}: {value} is not valid");
        }
    }
}

#[test]
fn objects_allow_extension_keys() {
    let schema = schema();
    let owners: BTreeSet<_> = all_properties(&schema)
        .into_iter()
        .map(|pointer| pointer.rsplit_once("/properties/").unwrap().0.to_owned())
        .collect();
    for owner in owners {
        assert_eq!(schema.pointer(&owner).unwrap()["patternProperties"], json!({"^x-": {}}), "{owner}");
    }
}

/// The project of a manifest with this `spec.agent`.
fn project(agent: &Value) -> Project {
    let manifest = json!({
        "metadata": {"name": "x", "description": "x", "version": "0.1.0"},
        "spec": {
            "capabilities": {"streaming": true, "pushNotifications": false, "stateTransitionHistory": false},
            "agent": agent,
            "server": {"port": 8080},
            "language": {"go": {"module": "example.com/x", "version": "1.25"}},
        },
    });
    Project::resolve(&serde_json::from_value(manifest).unwrap())
}

#[test]
fn schema_defaults_match_project_defaults() {
    let client = serde_json::to_value(project(&json!({"mcp": {"enabled": true}})).mcp).unwrap();
    let schema = schema();
    let block = &at(&schema, "/properties/spec/properties/agent/properties/mcp")["properties"];
    let defaults = block.as_object().unwrap().iter().filter_map(|(name, field)| Some((name, field.get("default")?)));
    let mut compared = 0;
    for (name, default) in defaults {
        let field = name.chars().fold(String::new(), |field, letter| {
            if letter.is_uppercase() {
                field + "_" + &letter.to_lowercase().to_string()
            } else {
                field + &letter.to_string()
            }
        });
        assert_eq!(client[&field], *default, "{name}");
        compared += 1;
    }
    assert_eq!(compared, 7);
}

#[test]
fn schema_lists_all_providers() {
    let schema = schema();
    let words = at(&schema, "/properties/spec/properties/agent/properties/provider")["enum"].as_array().unwrap();
    let admitted: BTreeSet<_> = words.iter().filter_map(Value::as_str).filter(|word| !word.is_empty()).collect();
    assert_eq!(admitted, PROVIDERS.iter().map(|provider| provider.name).collect());
}

/// Records the field names of a struct, then returns an error.
struct Fields<'a>(&'a mut BTreeSet<&'static str>);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.extend(fields);
        Err(serde::de::Error::custom("only the names are needed"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(serde::de::Error::custom("no struct"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
        seq tuple tuple_struct map enum identifier ignored_any
    }
}

fn fields<T: for<'de> Deserialize<'de>>() -> BTreeSet<&'static str> {
    let mut fields = BTreeSet::new();
    assert!(T::deserialize(Fields(&mut fields)).is_err());
    assert!(!fields.is_empty());
    fields
}

#[test]
fn types_have_no_unknown_fields() {
    let schema = schema();
    let mcp = "/properties/spec/properties/agent/properties/mcp";
    let types = [
        (String::new(), fields::<Manifest>()),
        ("/properties/metadata".into(), fields::<Metadata>()),
        ("/properties/spec".into(), fields::<Spec>()),
        ("/properties/spec/properties/capabilities".into(), fields::<Capabilities>()),
        ("/properties/spec/properties/card".into(), fields::<Card>()),
        (
            "/properties/spec/properties/card/properties/securitySchemes/additionalProperties".into(),
            fields::<SecurityScheme>(),
        ),
        ("/properties/spec/properties/agent".into(), fields::<Agent>()),
        (mcp.into(), fields::<Mcp>()),
        (format!("{mcp}/properties/servers/items"), fields::<ServerDefinition>()),
        ("/properties/spec/properties/tools/items".into(), fields::<Tool>()),
        ("/properties/spec/properties/skills/items".into(), fields::<Skill>()),
        ("/properties/spec/properties/server".into(), fields::<Server>()),
        ("/properties/spec/properties/language".into(), fields::<Language>()),
        ("/properties/spec/properties/language/properties/go".into(), fields::<Go>()),
        ("/properties/spec/properties/development".into(), fields::<Development>()),
        ("/properties/spec/properties/development/properties/sandbox".into(), fields::<Sandbox>()),
        (
            "/properties/spec/properties/development/properties/sandbox/properties/dockerCompose".into(),
            fields::<Switch>(),
        ),
    ];
    for (pointer, fields) in types {
        let known: BTreeSet<_> =
            at(&schema, &pointer)["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let unknown: Vec<_> = fields.difference(&known).collect();
        assert!(unknown.is_empty(), "{pointer} has no {unknown:?}");
    }
}

#[test]
fn types_have_every_generated_field() {
    let schema = schema();
    let complete = [
        ("/properties/spec/properties/capabilities", fields::<Capabilities>()),
        ("/properties/spec/properties/card", fields::<Card>()),
        ("/properties/spec/properties/agent", fields::<Agent>()),
        ("/properties/spec/properties/agent/properties/mcp", fields::<Mcp>()),
        ("/properties/spec/properties/agent/properties/mcp/properties/servers/items", fields::<ServerDefinition>()),
        ("/properties/spec/properties/tools/items", fields::<Tool>()),
    ];
    // Nothing is generated from these fields yet; `generate` warns about them.
    let left_out = ["supportsExtendedAgentCard", "inject"];
    for (pointer, fields) in complete {
        let known = at(&schema, pointer)["properties"].as_object().unwrap().keys().map(String::as_str);
        let known: BTreeSet<_> = known.filter(|name| !left_out.contains(name)).collect();
        assert_eq!(known, fields, "{pointer}");
    }
}
