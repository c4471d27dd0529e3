use serde_json::{Value, json};

use super::{Config, Dialect, EditError};

fn config(dialect: Dialect, text: &str) -> Config {
    Config::parse(dialect, text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Each row: a text, the path, the new value (null removes), and the result.
fn check(dialect: Dialect, rows: &[(&str, &[&str], Value, &str)]) {
    for (text, path, value, expected) in rows {
        // A text of one line says nothing about line breaks.
        let line_breaks = if text.contains('\n') { ["\n", "\r\n"] } else { ["\n"; 2] };
        for line_break in line_breaks {
            for mark in ["", "\u{feff}"] {
                let [text, expected] = [text, expected].map(|text| format!("{mark}{}", text.replace('\n', line_break)));
                let config = config(dialect, &text);
                let result = if value.is_null() { config.remove(path) } else { config.set(path, value) };
                let result = result.unwrap_or_else(|error| panic!("{error}: {path:?} in\n{text}"));
                assert_eq!(result, expected, "{path:?} in\n{text}");
            }
        }
    }
}

#[test]
fn edits_json_and_keeps_all_other_bytes() {
    let server = json!({"command": "npx", "args": ["-y"]});
    check(
        Dialect::Jsonc,
        &[
            (
                "{\n    // mine\n    \"theme\": 1.0, // dark\n    \"mcpServers\": {\n        \"a\": { \"url\" : \"x\" } // last\n    }\n}",
                &["mcpServers", "b"],
                server.clone(),
                "{\n    // mine\n    \"theme\": 1.0, // dark\n    \"mcpServers\": {\n        \"a\": { \"url\" : \"x\" }, // last\n        \"b\": {\n            \"command\": \"npx\",\n            \"args\": [\n                \"-y\"\n            ]\n        }\n    }\n}",
            ),
            (
                "{\n\t\"m\": {\n\t\t\"a\": 1, /* , */\n\t},\n}\n",
                &["m", "b"],
                json!(2),
                "{\n\t\"m\": {\n\t\t\"a\": 1, /* , */\n\t\t\"b\": 2,\n\t},\n}\n",
            ),
            (
                "{\"m\":{\"a\":{}}}",
                &["m", "b"],
                server.clone(),
                "{\"m\":{\"a\":{}, \"b\": {\"command\": \"npx\", \"args\": [\"-y\"]}}}",
            ),
            ("{}\n", &["m", "b"], json!(1), "{\n  \"m\": {\n    \"b\": 1\n  }\n}\n"),
            ("{\n  \"m\": {}\n}\n", &["m", "b"], json!(1), "{\n  \"m\": {\n    \"b\": 1\n  }\n}\n"),
            ("{\n  \"m\": { // none\n  }\n}\n", &["m", "b"], json!(1), "{\n  \"m\": { // none\n    \"b\": 1\n  }\n}\n"),
            // A changed entry keeps what it does not name, in its place and with its comments.
            (
                "{\"m\": {\"a\": {\"command\": \"x\" /* c */, \"n\": 1e2, \"on\": true}}}",
                &["m", "a"],
                json!({"command": "y", "n": 1e2, "on": true}),
                "{\"m\": {\"a\": {\"command\": \"y\" /* c */, \"n\": 1e2, \"on\": true}}}",
            ),
            (
                "{\n  \"a\": 1,\n  // of b\n  \"b\": 2, // too\n  \"c\": 3\n}",
                &["b"],
                Value::Null,
                "{\n  \"a\": 1,\n  \"c\": 3\n}",
            ),
            ("{\n  \"a\": 1, // one\n  \"b\": 2\n}", &["b"], Value::Null, "{\n  \"a\": 1 // one\n}"),
            ("{\n  \"a\": 1,\n  \"b\": 2,\n}", &["b"], Value::Null, "{\n  \"a\": 1,\n}"),
            ("{\n  \"a\": 1\n}", &["a"], Value::Null, "{}"),
            ("{\"a\": 1, \"b\": 2, \"c\": 3}", &["b"], Value::Null, "{\"a\": 1, \"c\": 3}"),
            ("{\"a\": 1, \"b\": 2}", &["b"], Value::Null, "{\"a\": 1}"),
            ("{\"a\": 1, \"b\": 2}", &["a"], Value::Null, "{\"b\": 2}"),
            ("{\"a\": 1, /* c */ \"b\": 2}", &["b"], Value::Null, "{\"a\": 1 /* c */ }"),
        ],
    );
}

#[test]
fn edits_toml_and_keeps_all_other_bytes() {
    let server = json!({"command": "npx", "args": ["-y", "a\"b"], "env": {"A b": "1"}});
    let rendered =
        "[mcp_servers.b]\ncommand = \"npx\"\nargs = [\"-y\", \"a\\\"b\"]\n\n[mcp_servers.b.env]\n\"A b\" = \"1\"\n";
    check(
        Dialect::Toml,
        &[
            (
                "# top\nx_future = 1 # inline\n\n[mcp_servers.\"a\"] # mine\ntool_timeout_sec = 30\n[mcp_servers.a.env]\nK = 'v'\n\n[other]\nn = 0xDEAD_BEEF\n",
                &["mcp_servers", "b"],
                server.clone(),
                &format!(
                    "# top\nx_future = 1 # inline\n\n[mcp_servers.\"a\"] # mine\ntool_timeout_sec = 30\n[mcp_servers.a.env]\nK = 'v'\n\n{rendered}\n[other]\nn = 0xDEAD_BEEF\n"
                ),
            ),
            ("", &["mcp_servers", "b"], server.clone(), rendered),
            ("a = 1", &["m", "b"], json!({"c": 1}), "a = 1\n\n[m.b]\nc = 1"),
            // The header in a string is none.
            (
                "notes = \"\"\"\n[mcp_servers.a]\n\"\"\"\n[mcp_servers.\"a\"] # mine\nx = 1\n",
                &["mcp_servers", "a", "enabled"],
                json!(false),
                "notes = \"\"\"\n[mcp_servers.a]\n\"\"\"\n[mcp_servers.\"a\"] # mine\nx = 1\nenabled = false\n",
            ),
            ("[m.a]\nenabled = true # yes\n", &["m", "a", "enabled"], json!(false), "[m.a]\nenabled = false # yes\n"),
            (
                "[m]\na = { url = \"x\" } # c\n",
                &["m", "a", "on"],
                json!(true),
                "[m]\na = { url = \"x\", on = true } # c\n",
            ),
            ("m.a.url = \"x\"\nz = 1\n", &["m", "a", "on"], json!(true), "m.a.url = \"x\"\nm.a.on = true\nz = 1\n"),
            ("[m]\na = {}\n", &["m", "a", "on"], json!(true), "[m]\na = { on = true }\n"),
            ("# t\n[m.a.env]\nK = 1\n", &["m", "a", "on"], json!(true), "# t\n[m.a.env]\nK = 1\n\n[m.a]\non = true\n"),
            ("# t\n[m]\nK = 1\n", &["on"], json!(true), "on = true\n\n# t\n[m]\nK = 1\n"),
            (
                "[m.a]\nx = 1\n\n# of b\n[m.b]\nx = 2\n\n[m.b.env]\nK = 1 # k\n\n# of c\n[m.c]\nx = 3\n",
                &["m", "b"],
                Value::Null,
                "[m.a]\nx = 1\n\n# of c\n[m.c]\nx = 3\n",
            ),
            ("[m.a]\nx = 1\n\n[m.b]\nx = 2", &["m", "b"], Value::Null, "[m.a]\nx = 1"),
            ("[m]\na = {x = 1, y = 2, z = 3}\n", &["m", "a", "y"], Value::Null, "[m]\na = {x = 1, z = 3}\n"),
            ("[m]\na = {x = 1, z = 3}\n", &["m", "a", "z"], Value::Null, "[m]\na = {x = 1}\n"),
            ("m.a.x = 1\nm.b.x = 2\n", &["m", "a"], Value::Null, "m.b.x = 2\n"),
        ],
    );
}

#[test]
fn edits_yaml_and_keeps_all_other_bytes() {
    check(
        Dialect::Yaml,
        &[
            (
                "model: x # c\nmcp_servers:\n    a: {url: 'x'}\n\ntools: [a]\n",
                &["mcp_servers", "off"],
                json!({"command": "npx", "args": ["-y"], "env": {"A": "no"}}),
                "model: x # c\nmcp_servers:\n    a: {url: 'x'}\n    \"off\":\n      command: npx\n      args:\n        - \"-y\"\n      env:\n        A: \"no\"\n\ntools: [a]\n",
            ),
            (
                "m:\n  a:\n    enabled: true # yes\n    x: 1\n",
                &["m", "a", "enabled"],
                json!(false),
                "m:\n  a:\n    enabled: false # yes\n    x: 1\n",
            ),
            (
                "m:\n  a:\n    x: 1\n  # of b\n  b:\n    x: 2\nz: 1\n",
                &["m", "b"],
                Value::Null,
                "m:\n  a:\n    x: 1\nz: 1\n",
            ),
            ("m:\n  a:\n    x: 1\nz: 1\n", &["m", "a"], Value::Null, "m: {}\nz: 1\n"),
            ("m: # c\n  # of a\n  a: 1 # d\nz: 1\n", &["m", "a"], Value::Null, "m: {} # c\nz: 1\n"),
            ("m: {}\nz: 1\n", &["m", "a"], json!({"x": 1}), "m:\n  a:\n    x: 1\nz: 1\n"),
            ("m:\nz: 1\n", &["m", "a"], json!({"x": 1}), "m:\n  a:\n    x: 1\nz: 1\n"),
            ("# none\n", &["m", "a"], json!({"x": 1}), "# none\nm:\n  a:\n    x: 1\n"),
        ],
    );
}

#[test]
fn refuses_what_it_cannot_change_alone() {
    for (dialect, text, path) in [
        (Dialect::Jsonc, "{\"m\": [1]}", ["m", "a"]),
        (Dialect::Toml, "m = 1\n", ["m", "a"]),
        (Dialect::Yaml, "m: text\n", ["m", "a"]),
    ] {
        assert_eq!(config(dialect, text).set(&path, &json!(1)), Err(EditError::NotTable), "{text}");
        assert_eq!(config(dialect, text).remove(&path), Err(EditError::Missing), "{text}");
    }
    // An alias uses the table elsewhere; tables in a list have no names.
    let shared = config(Dialect::Yaml, "a: &x\n  k: 1\nb: *x\n");
    assert_eq!(shared.set(&["a", "k"], &json!(2)), Err(EditError::Unsupported));
    let list = config(Dialect::Toml, "[[m]]\nx = 1\n");
    assert_eq!(list.set(&["m", "a"], &json!(2)), Err(EditError::NotTable));
}

#[test]
fn errors_have_a_place_and_do_not_quote_the_file() {
    for (dialect, text, place) in [
        (Dialect::Json, "{\n  \"a\": \"opensesame", (2, 8)),
        (Dialect::Json, "{\"a\": opensesame}", (1, 7)),
        (Dialect::Json, "{\"opensesame\": 1,\n \"opensesame\": 2}", (2, 2)),
        (Dialect::Toml, "a = 1\nopensesame = ]\n", (2, 14)),
        (Dialect::Toml, "opensesame = 1\nopensesame = 2\n", (2, 1)),
        (Dialect::Yaml, "opensesame: 1\nopensesame: 2\n", (2, 1)),
        (Dialect::Yaml, "a: [opensesame\n", (1, 4)),
        (Dialect::Json, "", (1, 1)),
        (Dialect::Yaml, "- a\n", (1, 1)),
    ] {
        let error = Config::parse(dialect, text).expect_err(text);
        assert!(!error.to_string().contains("opensesame"), "{error}");
        assert!(!error.problem.is_empty(), "{text}");
        assert_eq!((error.line, error.column), place, "{text}: {error}");
    }
}

#[test]
fn dialects_of_json_differ_in_what_they_accept() {
    let rows = [("{}", [true, true, true]), ("{ // c\n}", [false, true, true]), ("{\"a\": 1,}", [false, false, true])];
    for (text, accepted) in rows {
        let found = [Dialect::Json, Dialect::JsonWithComments, Dialect::Jsonc].map(|it| it.check(text).is_ok());
        assert_eq!(found, accepted, "{text}");
        assert!(Config::parse(Dialect::Json, text).is_ok());
    }
    assert!(Config::parse(Dialect::Jsonc, "{a: 1}").is_err());
    assert!(Config::parse(Dialect::Jsonc, "{\"a\": 'x'}").is_err());
}

#[test]
fn keys_have_places() {
    let toml = config(Dialect::Toml, "x = 1\n[m.a.env]\nK = {z = 1}\n");
    let places = [vec!["x"], vec!["m", "a"], vec!["m", "a", "env", "K"], vec!["m", "a", "env", "K", "z"]];
    assert_eq!(places.map(|path| toml.place(&path).unwrap()), [(1, 1), (2, 6), (3, 1), (3, 6)]);
    let json = config(Dialect::Json, "\u{feff}{\n \"m\": {\"é\": 1, \"b\": 2}}");
    assert_eq!(json.place(&["m", "b"]), Some((2, 16)));
}
