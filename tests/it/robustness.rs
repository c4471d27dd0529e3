//! Robustness of the parser: any input yields a result without panicking, with valid locations.

use std::fs;
use std::path::Path;

use adl::diagnostics::FileId;
use adl::document::parse;
use proptest::prelude::*;
use serde_json::Value;
use walkdir::WalkDir;

use super::invariants;

/// Fragments of YAML syntax, and some that only resemble it.
const PIECES: &[&str] = &[
    "a",
    "b",
    "key",
    "é",
    "😀",
    "\u{202e}",
    "\u{feff}",
    "'",
    "\"",
    "\\",
    "\\u00",
    "\\x4",
    ": ",
    ":",
    "- ",
    "-",
    "? ",
    ", ",
    "[",
    "]",
    "{",
    "}",
    "|",
    ">",
    "|2\n",
    ">-\n",
    "&x ",
    "*x",
    "*x ",
    "<<: ",
    "!",
    "!!str ",
    "!!int ",
    "!<",
    "%YAML 1.1\n",
    "%TAG ! tag:x\n",
    "---\n",
    "...\n",
    "# c\n",
    "\n",
    "\r\n",
    "\r",
    "\n  ",
    "\n    ",
    "\t",
    " ",
    "0x1",
    "1e999",
    ".nan",
    "~",
    "null",
    "true",
    "\0",
    "\u{1b}",
    "\u{85}",
    "\u{2028}",
    "@",
    "`",
];

fn random_yaml() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e300..1e300).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// All files in `tests/fixtures` and `examples`, which are also the seeds of the fuzz targets.
fn seeds() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["tests/fixtures", "examples"].into_iter().flat_map(|folder| WalkDir::new(root.join(folder)));
    let files = files.map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    files.map(|entry| fs::read(entry.path()).unwrap()).collect()
}

#[test]
fn reads_checks_and_fixes_all_known_manifests() {
    let seeds = seeds();
    assert!(seeds.len() > 100);
    for bytes in seeds {
        invariants::read_bytes(&bytes);
        invariants::validate(&bytes);
        if let Ok(text) = String::from_utf8(bytes) {
            invariants::fix(&text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn survives_random_yaml(text in random_yaml()) {
        invariants::read(&text);
    }

    #[test]
    fn survives_random_text(text in any::<String>()) {
        invariants::read(&text);
    }

    #[test]
    fn survives_random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        invariants::read_bytes(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_json_like_a_json_parser(value in json()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let parsed = parse(FileId(0), text.as_str());
            prop_assert_eq!(parsed.diagnostics, Vec::new(), "{}", text);
            let document = parsed.document.unwrap();
            prop_assert_eq!(document.value(), &value);
        }
    }
}
