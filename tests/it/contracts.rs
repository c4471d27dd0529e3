//! The test vectors in `contracts/` that apply to the Rust code. Each run-time uses the same files.

use std::fs;
use std::path::Path;

use adl::manifest::duration::{self, DurationError};
use adl::mcp::{self, EndpointFault, UrlFault};
use serde::Deserialize;
use serde_json::Value;

use super::support::{MANIFEST, Sandbox};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contract {
    about: String,
    cases: Vec<Value>,
}

/// The test cases of a contract.
fn cases(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("contracts").join(name).with_extension("json");
    let contract: Contract = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(!contract.about.is_empty() && !contract.cases.is_empty(), "{name}");
    contract.cases
}

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().expect("the field is a string")
}

#[test]
fn joins_endpoints() {
    for case in cases("endpoint") {
        let found = mcp::normalise_endpoint(text(&case, "endpoint")).map_err(|fault| match fault {
            EndpointFault::Blank => "space",
            EndpointFault::ControlCharacter => "control-character",
            EndpointFault::Query => "query",
            EndpointFault::Fragment => "fragment",
            EndpointFault::Escape => "escape",
        });
        match found {
            Ok(endpoint) => {
                let joined = mcp::join_endpoint(text(&case, "url"), &endpoint);
                assert_eq!(joined.as_deref(), Some(text(&case, "address")), "{case}");
            }
            Err(fault) => assert_eq!(fault, text(&case, "fault"), "{case}"),
        }
    }
}

#[test]
fn checks_urls() {
    for case in cases("url") {
        let fault = mcp::check_url(text(&case, "url")).err().map(|fault| match fault {
            UrlFault::Space => "space",
            UrlFault::ControlCharacter => "control-character",
            UrlFault::Comma => "comma",
            UrlFault::NoScheme => "no-scheme",
            UrlFault::Scheme { .. } => "scheme",
            UrlFault::NoHost => "no-host",
            UrlFault::Host => "host",
            UrlFault::UserInformation => "user-information",
            UrlFault::Port => "port",
            UrlFault::Escape => "escape",
        });
        assert_eq!(fault, case["fault"].as_str(), "{case}");
    }
}

#[test]
fn finds_references() {
    for case in cases("references") {
        let names: Vec<_> = mcp::references(text(&case, "text")).map(|reference| reference.name).collect();
        assert_eq!(Value::from(names), case["names"], "{case}");
    }
}

#[test]
fn parses_and_prints_durations() {
    for case in cases("durations") {
        match duration::parse(text(&case, "text")) {
            Ok(duration) => {
                assert_eq!(duration.0.to_string(), text(&case, "nanoseconds"), "{case}");
                assert_eq!(duration.to_string(), text(&case, "printed"), "{case}");
                assert_eq!(duration::parse(&duration.short()), Ok(duration), "{case}");
            }
            Err(error) => {
                let fault = match error {
                    DurationError::Empty => "empty",
                    DurationError::Space => "space",
                    DurationError::Malformed => "malformed",
                    DurationError::MissingUnit => "missing-unit",
                    DurationError::UnknownUnit { .. } => "unknown-unit",
                    DurationError::Overflow => "overflow",
                };
                assert_eq!(fault, text(&case, "fault"), "{case}");
            }
        }
    }
}

/// Whether `adl env check` accepts an environment file with these variables for an agent with an MCP server and a
/// model.
fn accepts(variables: &[(&str, &str)]) -> bool {
    let mcp = "    mcp: {enabled: true, servers: [{name: tools, transport: http, url: \"http://tools\"}]}\n  tools:\n";
    let lines: String = variables.iter().map(|(name, text)| format!("{name}='{text}'\n")).collect();
    let sandbox = Sandbox::new().file("agent.yaml", &MANIFEST.replacen("  tools:\n", mcp, 1)).file(".env", &lines);
    sandbox.run(&["env", "check"]).status == Some(0)
}

#[test]
fn checks_values_of_environment_variables() {
    assert!(accepts(&[]));
    for case in cases("environment") {
        let variable = match text(&case, "kind") {
            "boolean" => "A2A_DEBUG",
            "integer" => "A2A_MCP_MAX_RETRIES",
            "optional-integer" => "A2A_AGENT_CLIENT_MAX_TOKENS",
            "optional-number" => "A2A_AGENT_CLIENT_TEMPERATURE",
            "duration" => "A2A_SERVER_READ_TIMEOUT",
            "text" => "A2A_AGENT_CLIENT_SYSTEM_PROMPT",
            "list" => "A2A_MCP_SERVERS",
            "pairs" => "A2A_MCP_HEADERS",
            kind => unreachable!("{kind}"),
        };
        assert_eq!(accepts(&[(variable, text(&case, "text"))]), case["refused"] != true, "{case}");
    }
}

#[test]
fn checks_retry_intervals() {
    for case in cases("retry") {
        let mut variables = vec![("A2A_MCP_RETRY_INTERVAL", text(&case, "retryInterval"))];
        variables.extend(case["retryMaxInterval"].as_str().map(|maximum| ("A2A_MCP_RETRY_MAX_INTERVAL", maximum)));
        assert_eq!(accepts(&variables), case["refused"] != true, "{case}");
    }
}
