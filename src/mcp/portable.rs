//! Server definitions that every coding agent can express: the subset that registries contain.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A server definition of a registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortableServer {
    /// How to reach it.
    #[serde(flatten)]
    pub connection: Connection,
    /// Whether agents should use it.
    pub enabled: bool,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "transport", rename_all = "lowercase")]
pub enum Connection {
    /// A program, over its standard input and output.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        args: Vec<String>,
        /// Its environment variables.
        #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
        environment: IndexMap<String, Setting>,
        /// Its working directory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
    },
    /// Streamable HTTP.
    Http {
        /// The URL.
        url: String,
        /// Headers of every request.
        #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
        headers: IndexMap<String, Setting>,
    },
}

/// The value of an environment variable or a header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Setting {
    /// The value itself, which is not a secret.
    Literal {
        /// The value.
        literal: String,
    },
    /// A variable of the environment of the coding agent.
    Variable {
        /// The variable.
        from_env: String,
        /// The scheme before the value in an `Authorization` header: `Bearer`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scheme: Option<String>,
    },
}

/// Whether a registry can contain a server with this name: 1 to 64 lower-case letters, digits, `_` and `-`, the first a
/// letter or a digit.
pub fn is_portable_name(name: &str) -> bool {
    let is_alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    (1..=64).contains(&name.len())
        && name.starts_with(is_alphanumeric)
        && name.chars().all(|c| is_alphanumeric(c) || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_round_trip_as_json() {
        for json in [
            r#"{"transport":"stdio","command":"npx","args":["-y"],"environment":{"A":{"literal":"x"},"B":{"fromEnv":"C"}},"cwd":"sub","enabled":true}"#,
            r#"{"transport":"http","url":"http://x","headers":{"Authorization":{"fromEnv":"T","scheme":"Bearer"}},"enabled":false}"#,
        ] {
            let server: PortableServer = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&server).unwrap(), json);
        }
    }

    #[test]
    fn names_are_portable() {
        let long = "a".repeat(64);
        for (name, portable) in
            [("a", true), ("9-_", true), (&*long, true), ("", false), ("_a", false), ("A", false), ("a.b", false)]
        {
            assert_eq!(is_portable_name(name), portable, "{name}");
        }
        assert!(!is_portable_name(&"a".repeat(65)));
    }
}
