//! Which servers a project has: its own and those of the user.

use std::collections::BTreeMap;

use super::read::{Entry, Registry};
use crate::coding_agents::Scope;
use crate::mcp::PortableServer;

/// A server that is effective in a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveServer {
    /// Its name.
    pub name: String,
    /// The registry with its definition.
    pub scope: Scope,
    /// Its definition, with the state in the project.
    pub server: PortableServer,
    /// The coding agents that get it; `None` for all.
    pub targets: Option<Vec<String>>,
    /// Whether the project only switches it.
    pub is_overridden: bool,
}

/// An override of a server that the user does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    /// The name.
    pub name: String,
}

/// The servers of a project, by name, and the overrides without a server.
pub fn effective(user: &Registry, project: &Registry) -> (Vec<EffectiveServer>, Vec<Orphan>) {
    let mut servers = BTreeMap::new();
    let mut orphans = Vec::new();
    let registries = [(Scope::User, user), (Scope::Project, project)];
    for (scope, (name, entry)) in
        registries.into_iter().flat_map(|(scope, it)| it.servers.iter().map(move |it| (scope, it)))
    {
        match entry {
            Entry::Definition { server, targets } => {
                let (name, server, targets) = (name.clone(), server.clone(), targets.clone());
                servers.insert(name.clone(), EffectiveServer { name, scope, server, targets, is_overridden: false });
            }
            Entry::Override { enabled } => match servers.get_mut(name) {
                Some(inherited) => {
                    inherited.server.enabled = *enabled;
                    inherited.is_overridden = true;
                }
                None => orphans.push(Orphan { name: name.clone() }),
            },
        }
    }
    (servers.into_values().collect(), orphans)
}

#[cfg(test)]
mod tests {
    use super::super::read_registry;
    use super::*;

    fn registry(scope: Scope, servers: &str) -> Registry {
        let text = format!(r#"{{"schemaVersion": 1, "servers": {servers}}}"#);
        let (registry, faults) = read_registry(scope, &text);
        assert_eq!(faults, []);
        registry
    }

    #[test]
    fn a_project_replaces_switches_and_adds() {
        let user = registry(
            Scope::User,
            r#"{"a": {"transport": "stdio", "command": "x", "args": ["1"]}, "b": {"transport": "stdio", "command": "x"},
                "c": {"transport": "stdio", "command": "x", "enabled": false, "targets": ["codex"]}}"#,
        );
        let project = registry(
            Scope::Project,
            r#"{"a": {"transport": "stdio", "command": "y"}, "b": {"inherits": "user", "enabled": false},
                "c": {"inherits": "user", "enabled": true}, "d": {"transport": "http", "url": "http://h"},
                "e": {"inherits": "user", "enabled": false}}"#,
        );
        let (servers, orphans) = effective(&user, &project);
        let rows = servers.iter().map(|it| (it.name.as_str(), it.scope, it.server.enabled, it.is_overridden));
        assert_eq!(
            rows.collect::<Vec<_>>(),
            [
                ("a", Scope::Project, true, false),
                ("b", Scope::User, false, true),
                ("c", Scope::User, true, true),
                ("d", Scope::Project, true, false),
            ]
        );
        // A definition is replaced as a whole, arguments included.
        assert_eq!(serde_json::to_value(&servers[0].server).unwrap()["args"], serde_json::Value::Null);
        assert_eq!(servers[2].targets.as_deref(), Some(&["codex".to_owned()][..]));
        assert_eq!(orphans, [Orphan { name: "e".to_owned() }]);
    }
}
