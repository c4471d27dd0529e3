//! Whatever the text, the reader ends with a verdict: no panic, every place a piece of the text, every view in its place.

use adl::diagnostics::{Diagnostic, FileId, Label, Sources, Style, render_text};
use adl::document::{Document, View, decode_utf8, parse};
use proptest::prelude::*;
use serde_json::Value;

/// Pieces that mean something to YAML, and some that only look so.
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

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

/// Reads, renders and walks a text; panics when anything is out of place.
fn examine(text: &str) {
    let parsed = parse(FileId(0), text);
    let mut sources = Sources::new();
    sources.add("file.yaml", text);
    assert!(parsed.document.is_some() || parsed.diagnostics.iter().any(Diagnostic::is_error), "no verdict");
    for finding in &parsed.diagnostics {
        for Label { span, .. } in finding.primary.iter().chain(&finding.related) {
            assert!(text.get(span.range()).is_some(), "{span:?} is no piece of the text");
        }
        assert!(finding.primary.is_some() && finding.help.is_some());
        for style in [Style::Plain, Style::Colour] {
            assert!(render_text(finding, &sources, style).contains(&finding.code.to_string()));
        }
    }
    if let Some(document) = &parsed.document {
        assert_eq!(document.root().value(), document.value());
        walk(document, document.root(), text);
    }
}

fn walk(document: &Document, view: View<'_>, text: &str) {
    assert!(text.get(view.span().range()).is_some());
    assert!(view.key_span().is_none_or(|span| text.get(span.range()).is_some()));
    let pointer = view.pointer();
    assert_eq!(document.at(&pointer).map(|found| (found.span(), found.value())), Some((view.span(), view.value())));
    assert_eq!(document.value().pointer(&pointer), Some(view.value()));
    assert_eq!(view.items().count(), view.value().as_array().map_or(0, Vec::len));
    assert_eq!(view.entries().count(), view.value().as_object().map_or(0, serde_json::Map::len));
    for (key, child) in view.entries() {
        assert_eq!(view.get(key).map(View::value), Some(child.value()));
        walk(document, child, text);
    }
    for child in view.items() {
        walk(document, child, text);
    }
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn survives_every_soup_of_yaml(text in soup()) {
        examine(&text);
    }

    #[test]
    fn survives_every_text(text in any::<String>()) {
        examine(&text);
    }

    #[test]
    fn survives_every_sequence_of_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        match decode_utf8(FileId(0), bytes) {
            Ok(text) => examine(&text),
            Err(broken) => {
                let span = broken.diagnostic.primary.unwrap().span;
                prop_assert_eq!(broken.text.get(span.range()), Some("\u{fffd}"));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_json_as_json_means_it(value in json()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let parsed = parse(FileId(0), text.as_str());
            prop_assert_eq!(parsed.diagnostics, Vec::new(), "{}", text);
            let document = parsed.document.unwrap();
            prop_assert_eq!(document.value(), &value);
        }
    }
}
