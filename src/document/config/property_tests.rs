//! For any file of each dialect: an edit changes the bytes of its entry only.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Config, Dialect};

/// A file with tables of servers, and the text of each server.
#[derive(Debug, Clone)]
struct Sample {
    dialect: Dialect,
    text: String,
    servers: Vec<String>,
}

/// Ways to write the server `sN` with the URL `http://hN/`.
fn server(dialect: Dialect, index: usize, style: u8) -> String {
    let forms: &[&str] = match dialect {
        Dialect::Json | Dialect::JsonWithComments | Dialect::Jsonc => &[
            "    \"sN\": {\"url\": \"http://hN/\", \"n\": 1.0}",
            "    // of sN, [x] {y}\n    \"sN\": {\n      \"url\": \"http://hN/\", // , }\n      \"n\": 1e2\n    }",
            "    \"sN\": { \"n\" : [1,  2], \"url\" :\t\"http://hN/\" /* \" */ }",
            "    \"sN\": {\n      \"u\\u00e9\": {},\n\n      \"url\": \"http://hN/\"\n    }",
        ],
        Dialect::Toml => &[
            "[m.sN]\nurl = \"http://hN/\"\nn = 0x1F # hex\n",
            "# of sN\n[m.\"sN\"] # [m.x]\n  n = '''\n[m.no]\n'''\n  url = \"http://hN/\" # last\n\n[m.sN.env]\nA = 1.0\n",
            "[ m . sN ]\nurl=\"http://hN/\"\na = [\n  1, # one\n  2,\n]\n",
            "[m.sN.env]\nK = { a = 1, b.c = 2 }\n[m.sN]\nurl = \"http://hN/\"\n",
        ],
        Dialect::Yaml => &[
            "  sN:\n    url: http://hN/\n    n: 0x1F # hex\n",
            "  # of sN\n  sN: {url: \"http://hN/\", n: 1.0}  # last\n",
            "  'sN':\n      n: |\n        # no comment\n        sX:\n      url: 'http://hN/' # url\n",
            "  \"sN\":\n    list:\n    - a\n    -   b\n    url:   http://hN/\n",
        ],
    };
    forms[usize::from(style) % forms.len()].replace('N', &index.to_string())
}

fn sample(dialect: Dialect, styles: &[u8], shape: u8) -> Sample {
    let servers: Vec<_> = styles.iter().enumerate().map(|(index, style)| server(dialect, index, *style)).collect();
    let is = |bit: u8| shape & (1 << bit) != 0;
    let mut text = match dialect {
        Dialect::Json | Dialect::JsonWithComments | Dialect::Jsonc => {
            let end = if is(0) { "," } else { "" };
            let after = if is(1) { "\n    // \"old\": {}" } else { "" };
            format!(
                "// top\n{{\n  \"a\": 1.10,\n  \"m\": {{\n{}{end}{after}\n  }},\n  \"z\": null\n}}\n",
                servers.join(",\n")
            )
        }
        Dialect::Toml => {
            let end = if is(1) { "\n[z]\nn = 1979-05-27\n" } else { "" };
            format!("# top\na = 1_000\n\n{}{end}", servers.join("\n"))
        }
        Dialect::Yaml => {
            let end = if is(1) { "\nz: ~ # end\n" } else { "" };
            format!("# top\na: 1.10\nm:\n{}{end}", servers.concat())
        }
    };
    if is(2) {
        text.truncate(text.trim_end().len());
    }
    let line_break = if is(3) { "\r\n" } else { "\n" };
    let mark = if is(4) { "\u{feff}" } else { "" };
    let servers = servers.iter().map(|server| server.trim_end().replace('\n', line_break)).collect();
    Sample { dialect, text: format!("{mark}{}", text.replace('\n', line_break)), servers }
}

fn samples() -> impl Strategy<Value = (Sample, usize)> {
    let dialect = prop_oneof![Just(Dialect::Jsonc), Just(Dialect::Toml), Just(Dialect::Yaml)];
    (dialect, prop::collection::vec(any::<u8>(), 1..5), any::<u8>(), any::<usize>())
        .prop_map(|(dialect, styles, shape, chosen)| (sample(dialect, &styles, shape), chosen % styles.len()))
}

fn parse(sample: &Sample, text: &str) -> Config {
    Config::parse(sample.dialect, text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_added_entry_is_removed_without_a_trace((sample, _) in samples(), text in "[ -~é\u{7f}]{0,9}") {
        let value = json!({"command": "npx", "args": [text, "-y"], "env": {text.as_str(): "no"}});
        let path = ["m", "on"];
        let added = parse(&sample, &sample.text).set(&path, &value).unwrap();
        let config = parse(&sample, &added);
        prop_assert_eq!(config.get(&path), Some(&value));
        prop_assert_eq!(&config.set(&path, &value).unwrap(), &added);
        for server in &sample.servers {
            prop_assert!(added.contains(server.as_str()), "{}", added);
        }
        prop_assert_eq!(config.remove(&path).unwrap(), sample.text);
    }

    #[test]
    fn a_changed_value_changes_nothing_else((sample, chosen) in samples()) {
        let name = format!("s{chosen}");
        let config = parse(&sample, &sample.text);
        let old = format!("http://h{chosen}/");
        let new = "http://other:80/";
        let changed = config.set(&["m", &name, "url"], &Value::from(new)).unwrap();
        prop_assert_eq!(changed.replace(&format!("\"{new}\""), new), sample.text.replace(&format!("\"{old}\""), &old).replace(&old, new));
    }

    #[test]
    fn a_removed_entry_takes_nothing_else((sample, chosen) in samples()) {
        let name = format!("s{chosen}");
        let result = parse(&sample, &sample.text).remove(&["m", &name]).unwrap();
        prop_assert!(!result.contains(&name), "{}", result);
        let mut rest = result.as_str();
        for (index, server) in sample.servers.iter().enumerate().filter(|(index, _)| *index != chosen) {
            let found = rest.split_once(server.as_str());
            prop_assert!(found.is_some(), "s{} is lost:\n{}", index, result);
            rest = found.unwrap().1;
        }
    }
}
