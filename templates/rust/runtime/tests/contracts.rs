//! The vectors in `contracts/`, which every run-time reads.

use std::{collections::BTreeSet, fs, path::PathBuf, sync::Mutex, time::Duration};

use agent::{
    environment,
    mcp::{
        config::{Address, Settings, Transport, expand, normalise_endpoint, parse_headers, resolve_servers},
        content::{name_tools, read_tools, repair_schema},
        server::Backoff,
    },
};
use serde_json::{Value, json};

/// The cases of one file. Outside of the repository there are none.
fn cases(name: &str) -> Vec<Value> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../contracts");
    if !folder.is_dir() {
        eprintln!("skipped: {} is not there", folder.display());
        return Vec::new();
    }
    let text = fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
    let cases = serde_json::from_str::<Value>(&text).unwrap()["cases"].as_array().unwrap().clone();
    assert!(!cases.is_empty(), "{name}");
    cases
}

fn no_variables(_: &str) -> Option<String> {
    None
}

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().unwrap_or_default()
}

#[test]
fn durations_are_read_and_printed_as_agreed() {
    for case in cases("durations") {
        let found = environment::parse_nanoseconds(text(&case, "text"));
        assert_eq!(found.map(|found| found.to_string()).as_deref(), case["nanoseconds"].as_str(), "{case}");
        if let Some(found) = found {
            assert_eq!(environment::format_nanoseconds(found), text(&case, "printed"));
        }
    }
}

#[test]
fn values_of_the_environment_are_read_as_agreed() {
    fn value<T: Into<Value>>(read: Result<T, String>) -> Result<Value, String> {
        read.map(Into::into)
    }
    for case in cases("environment") {
        let given = text(&case, "text");
        let read = match text(&case, "kind") {
            "boolean" => value(environment::boolean(given)),
            "integer" => value(environment::integer(given)),
            "optional-integer" => value(environment::optional_integer(given)),
            "optional-number" => value(environment::optional_number(given)),
            "duration" => value(environment::duration(given).map(|read| read.as_nanos().to_string())),
            "text" => value(environment::text(given)),
            "list" => {
                let settings = Settings { servers: given.to_owned(), ..Settings::default() };
                let servers = resolve_servers(&settings, &[], &[Transport::Http], &no_variables);
                value(servers.map(|servers| servers.into_iter().map(|server| server.url).collect::<Vec<_>>()))
            }
            "pairs" => {
                let headers = parse_headers(given, &no_variables, &mut Vec::new());
                value(headers.map(Value::from_iter))
            }
            kind => panic!("unknown kind {kind}"),
        };
        if case["refused"] == true {
            read.unwrap_err();
        } else if let (Some(expected), Ok(read)) = (case["value"].as_f64(), &read) {
            assert_eq!(read.as_f64(), Some(expected), "{case}");
        } else {
            assert_eq!(read.as_ref(), Ok(&case["value"]), "{case}");
        }
    }
}

#[test]
fn urls_are_judged_as_agreed() {
    for case in cases("url").iter().filter(|case| case["manifestOnly"] != true) {
        let parsed = Address::parse(text(case, "url")).map(|address| address.to_string());
        assert_eq!(parsed.as_deref().ok(), case["address"].as_str(), "{case}");
    }
}

#[test]
fn endpoints_are_joined_as_agreed() {
    for case in cases("endpoint") {
        match normalise_endpoint(text(&case, "endpoint")) {
            Err(_) => assert!(case["fault"].is_string(), "{case}"),
            Ok(endpoint) => {
                let joined = Address::parse(text(&case, "url")).unwrap().join(&endpoint);
                assert_eq!(joined.to_string(), text(&case, "address"), "{case}");
            }
        }
    }
}

#[test]
fn references_are_filled_in_as_agreed() {
    for case in cases("references") {
        let lookup = |name: &str| case["variables"][name].as_str().map(str::to_owned);
        let mut secrets = Vec::new();
        match expand(text(&case, "text"), &lookup, "a place", &mut secrets) {
            Ok(expanded) => assert_eq!(Some(expanded.as_str()), case["expanded"].as_str(), "{case}"),
            Err(error) => {
                assert!(error.starts_with(&format!("{}: ", text(&case, "missing"))), "{case}: {error}");
                assert!(error.contains("a place"), "{error}");
            }
        }
        assert!(secrets.iter().all(|secret| case["variables"].to_string().contains(secret.as_str())));
    }
}

#[test]
fn servers_are_named_as_agreed() {
    for case in cases("server-names") {
        let address = Address::parse(text(&case, "url")).unwrap().join("/mcp");
        assert_eq!(address.server_name("/mcp", |_| false), text(&case, "name"), "{case}");
    }
}

#[test]
fn tools_are_named_as_agreed() {
    for case in cases("tool-names") {
        let reserved: BTreeSet<_> =
            case["reserved"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
        let mut tools: Vec<_> = case["tools"].as_array().unwrap().iter().collect();
        for _ in 0..2 {
            let given: Vec<_> = tools.iter().map(|tool| (text(tool, "server"), text(tool, "tool"))).collect();
            let expected: Vec<_> = tools.iter().map(|tool| text(tool, "name")).collect();
            assert_eq!(name_tools(&given, &reserved), expected, "{case}");
            tools.reverse();
        }
    }
}

#[test]
fn schemas_of_tools_are_repaired_as_agreed() {
    for case in cases("tool-schemas") {
        assert_eq!(repair_schema(&case["schema"]).unwrap_or_default(), case["repaired"], "{case}");
        let (tools, left_out) = read_tools(&[json!({"name": "tool", "inputSchema": case["schema"]})]);
        let expected = if case["leftOut"] == true { (0, vec!["tool".to_owned()]) } else { (1, vec![]) };
        assert_eq!((tools.len(), left_out), expected, "{case}");
    }
}

#[test]
fn pauses_between_attempts_are_as_agreed() {
    let read = |text: &str| environment::duration(text).unwrap();
    for case in cases("retry") {
        let written = case["retryMaxInterval"].as_str();
        let mut settings = Settings {
            retry_interval: read(text(&case, "retryInterval")),
            retry_max_interval: read(written.unwrap_or("30s")),
            max_retries: case["maxRetries"].as_u64().unwrap(),
            ..Settings::default()
        };
        let mut problems = Vec::new();
        settings.check(&no_variables, written.is_some(), &mut problems);
        assert_eq!(problems.len(), usize::from(case["refused"] == true), "{case}");
        let mut backoff = Backoff::new(&settings);
        let mut pauses: Vec<Option<Duration>> = Vec::new();
        for attempt in case["attempts"].as_array().into_iter().flatten() {
            match attempt.as_str() {
                Some("fail") => pauses.push(backoff.fail()),
                _ => backoff.succeed(),
            }
        }
        let expected = case["pauses"].as_array().into_iter().flatten().map(|pause| Some(read(pause.as_str().unwrap())));
        let given_up = (case["givenUp"] == true).then_some(None);
        assert_eq!(pauses, expected.chain(given_up).collect::<Vec<_>>(), "{case}");
    }
}

#[test]
fn a_lookup_that_finds_nothing_is_a_missing_value() {
    let asked = Mutex::new(Vec::new());
    let lookup = |name: &str| {
        asked.lock().unwrap().push(name.to_owned());
        None
    };
    let mut problems = Vec::new();
    assert_eq!(environment::read(&lookup, "A2A_X", environment::integer, &mut problems), 0);
    assert_eq!(
        (asked.into_inner().unwrap(), problems),
        (vec!["A2A_X".to_owned()], vec!["A2A_X: must be a non-negative integer, not \"\"".to_owned()])
    );
}
