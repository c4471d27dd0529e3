//! The agent card, as clients of both protocol versions read it: each ignores the members of the other.

use serde_json::{Map, Value, json};

use crate::project::{Card, Project, Protocol, SecurityKind, SecurityScheme};

/// The part of the card that does not depend on where the agent runs.
pub(super) fn fixed(project: &Project) -> Value {
    let card = &project.card;
    let mut members = Map::new();
    let mut add = |name: &str, value: Value| members.insert(name.to_owned(), value);
    add("name", json!(project.name));
    add("description", json!(project.description));
    add("version", json!(project.version));
    add("defaultInputModes", json!(card.input_modes));
    add("defaultOutputModes", json!(card.output_modes));
    if let Some(url) = &card.documentation_url {
        add("documentationUrl", json!(url));
    }
    if let Some(url) = &card.icon_url {
        add("iconUrl", json!(url));
    }
    if !card.security_schemes.is_empty() {
        let schemes = card.security_schemes.iter().map(|scheme| (scheme.name.clone(), security_scheme(scheme, card)));
        add("securitySchemes", Value::Object(schemes.collect()));
    }
    if !card.security.is_empty() {
        if card.protocol == Protocol::Both {
            add("security", requirements(card, |scopes| json!(scopes), |schemes| schemes));
        }
        let lists = requirements(card, |scopes| json!({"list": scopes}), |schemes| json!({"schemes": schemes}));
        add("securityRequirements", lists);
    }
    let skill = |skill: &crate::project::Skill| json!({"id": skill.id, "name": skill.name, "description": skill.description, "tags": skill.tags});
    add("skills", card.skills.iter().map(skill).collect());
    Value::Object(members)
}

/// A scheme in the form of protocol 1.0, and beside it in that of 0.3 where that is served.
fn security_scheme(scheme: &SecurityScheme, card: &Card) -> Value {
    let (of_1_0, name, mut of_0_3) = match &scheme.kind {
        SecurityKind::ApiKey { parameter, location } => (
            json!({"location": location, "name": parameter}),
            "apiKeySecurityScheme",
            json!({"type": "apiKey", "in": location, "name": parameter}),
        ),
        SecurityKind::Http { scheme, bearer_format } => {
            let mut new = json!({"scheme": scheme});
            let mut old = json!({"type": "http", "scheme": scheme});
            if let Some(format) = bearer_format {
                set(&mut new, "bearerFormat", format);
                set(&mut old, "bearerFormat", format);
            }
            (new, "httpAuthSecurityScheme", old)
        }
        SecurityKind::MutualTls => (json!({}), "mtlsSecurityScheme", json!({"type": "mutualTLS"})),
    };
    let mut of_1_0 = of_1_0;
    if let Some(description) = &scheme.description {
        set(&mut of_1_0, "description", description);
        set(&mut of_0_3, "description", description);
    }
    let mut members = if card.protocol == Protocol::Both { of_0_3 } else { json!({}) };
    if let Some(members) = members.as_object_mut() {
        members.insert(name.to_owned(), of_1_0);
    }
    members
}

fn set(object: &mut Value, field: &str, text: &str) {
    if let Some(members) = object.as_object_mut() {
        members.insert(field.to_owned(), json!(text));
    }
}

fn requirements(card: &Card, scopes: fn(&[String]) -> Value, wrap: fn(Value) -> Value) -> Value {
    let all = card.security.iter().map(|entry| {
        let schemes = entry.iter().map(|one| (one.scheme.clone(), scopes(&one.scopes)));
        wrap(Value::Object(schemes.collect()))
    });
    all.collect()
}
