//! The npm packages that an agent stands on: `package.json` and `package-lock.json`, pinned.
//!
//! Both come from those of the run-time code, which name the packages of every feature. What a project does not need is left out
//! of them, and so is what only that needs.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::{
    project::{Feature, Project},
    render::{Source, source},
};

const MANIFEST: Source = source!("typescript/runtime/package.json");
const LOCK: Source = source!("typescript/runtime/package-lock.json");

/// The packages that an agent runs on, beside those that every agent does.
const OF_FEATURES: [(&str, Feature); 3] =
    [("@modelcontextprotocol/client", Feature::Mcp), ("ajv", Feature::Tools), ("openai", Feature::Model)];

/// `package.json` and `package-lock.json` of a project.
pub(super) fn files(project: &Project, package: &str) -> (Value, Value) {
    let known: Value = serde_json::from_str(MANIFEST.text).unwrap_or_default();
    let lock: Value = serde_json::from_str(LOCK.text).unwrap_or_default();
    let mut dependencies = object(&known, "dependencies");
    dependencies.retain(|name, _| OF_FEATURES.iter().all(|(of, feature)| of != name || project.has(*feature)));
    let development = object(&known, "devDependencies");
    let version = if is_semantic(&project.version) { project.version.as_str() } else { "0.0.0" };
    let manifest = json!({
        "name": package,
        "version": version,
        "description": project.description,
        "private": true,
        "type": "module",
        "engines": known.get("engines"),
        "scripts": {
            "start": "node src/main.ts",
            "dev": "node --watch src/main.ts",
            "build": "tsc -p tsconfig.build.json",
            "check": "tsc",
            "lint": "eslint . && prettier --check src *.js *.json",
            "format": "prettier --write src *.js *.json",
            "test": "node --test \"src/**/*.test.ts\"",
        },
        "dependencies": dependencies,
        "devDependencies": development,
    });
    let locked = object(&lock, "packages");
    let running = reachable(&locked, dependencies.keys());
    let all = reachable(&locked, dependencies.keys().chain(development.keys()));
    let root = json!({
        "name": package,
        "version": version,
        "dependencies": dependencies,
        "devDependencies": development,
        "engines": known.get("engines"),
    });
    let mut packages = Map::from_iter([(String::new(), root)]);
    for (path, mut entry) in locked {
        if !all.contains(&path) {
            continue;
        }
        if let Some(fields) = entry.as_object_mut() {
            fields.retain(|field, _| field != "dev" && field != "devOptional");
            if !running.contains(&path) {
                fields.insert("dev".to_owned(), Value::Bool(true));
            }
        }
        packages.insert(path, entry);
    }
    let lock = json!({
        "name": package,
        "version": version,
        "lockfileVersion": lock.get("lockfileVersion"),
        "requires": true,
        "packages": packages,
    });
    (manifest, lock)
}

fn object(value: &Value, field: &str) -> Map<String, Value> {
    value.get(field).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The places in `node_modules` of the packages and of all that they need.
fn reachable<'a>(locked: &Map<String, Value>, names: impl Iterator<Item = &'a String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<_> = names.map(|name| format!("node_modules/{name}")).collect();
    while let Some(path) = open.pop() {
        let Some(entry) = locked.get(&path) else { continue };
        if !found.insert(path.clone()) {
            continue;
        }
        let optional = object(entry, "peerDependenciesMeta");
        let peers = object(entry, "peerDependencies").into_iter().filter(|(name, _)| !optional.contains_key(name));
        let needed =
            object(entry, "dependencies").into_iter().chain(object(entry, "optionalDependencies")).chain(peers);
        open.extend(needed.filter_map(|(name, _)| place(locked, &path, &name)));
    }
    found
}

/// Where a package finds another: in its own `node_modules`, or in those of the packages around it.
fn place(locked: &Map<String, Value>, from: &str, name: &str) -> Option<String> {
    let mut around = from;
    loop {
        let path =
            if around.is_empty() { format!("node_modules/{name}") } else { format!("{around}/node_modules/{name}") };
        if locked.contains_key(&path) {
            return Some(path);
        }
        if around.is_empty() {
            return None;
        }
        around = around.rsplit_once("node_modules/").map_or("", |(before, _)| before.trim_end_matches('/'));
    }
}

/// Whether npm takes a text as a version: three numbers without leading zeros, and nothing else.
fn is_semantic(version: &str) -> bool {
    let is_number = |part: &str| {
        part.bytes().all(|digit| digit.is_ascii_digit()) && (part == "0" || !part.is_empty() && !part.starts_with('0'))
    };
    let parts: Vec<_> = version.split('.').collect();
    parts.len() == 3 && parts.into_iter().all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_host_of_a_registry_is_locked() {
        assert!(!LOCK.text.contains("\"resolved\"") && LOCK.text.contains("\"integrity\""));
    }

    #[test]
    fn every_package_is_found_from_where_it_is_needed() {
        let lock: Value = serde_json::from_str(LOCK.text).unwrap();
        let locked = object(&lock, "packages");
        let found = place(&locked, "node_modules/eslint", "ajv").unwrap();
        assert_eq!(found, "node_modules/eslint/node_modules/ajv");
        let found = place(&locked, &found, "json-schema-traverse").unwrap();
        assert_eq!(found, "node_modules/eslint/node_modules/json-schema-traverse");
        let known: Value = serde_json::from_str(MANIFEST.text).unwrap();
        let names = [object(&known, "dependencies"), object(&known, "devDependencies")];
        let all = reachable(&locked, names.iter().flat_map(Map::keys));
        assert_eq!(all.len(), locked.len() - 1, "all but the project itself");
    }
}
