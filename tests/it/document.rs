//! Parsing of YAML and JSON: values, source locations and robustness.

use adl::diagnostics::{Code, FileId};
use adl::document::{Document, EXPANSION_BUDGET, Parsed, View, decode_utf8, parse};
use serde_json::{Value, json};

fn read(text: &str) -> Document {
    let Parsed { document, diagnostics } = parse(FileId(0), text);
    assert_eq!(diagnostics, [], "{text}");
    document.expect("a document without findings is usable")
}

fn value(text: &str) -> Value {
    read(text).value().clone()
}

/// The code and the marked text of each finding.
fn findings(text: &str) -> Vec<(Code, &str)> {
    let diagnostics = parse(FileId(0), text).diagnostics;
    diagnostics.iter().map(|finding| (finding.code, &text[finding.primary.as_ref().unwrap().span.range()])).collect()
}

fn marked<'t>(text: &'t str, view: View<'_>) -> &'t str {
    &text[view.span().range()]
}

#[test]
fn scalars_follow_the_core_schema_and_keep_their_source() {
    let text = "a: NO\nb: 1.10\nc: 0123\nd: 'x''y'\ne: \"\\u00e9\"\nf:\ng: |\n  one\n  two\n\nh: ~\n";
    let document = read(text);
    assert_eq!(
        document.value(),
        &json!({"a": "NO", "b": 1.1, "c": 123, "d": "x'y", "e": "é", "f": null, "g": "one\ntwo\n", "h": null})
    );
    let raw: Vec<_> = document.root().entries().map(|(_, view)| view.raw()).collect();
    assert_eq!(raw, ["NO", "1.10", "0123", "'x''y'", "\"\\u00e9\"", "", "one\n  two", "~"]);
}

#[test]
fn every_value_has_its_location_and_pointer() {
    let text = "spec:\n  tools:\n    - name: a/b\n    - ~t: {x: [1]}\n  empty:\n";
    let document = read(text);
    let spec = document.root().get("spec").unwrap();
    let tools = spec.get("tools").unwrap();
    let items: Vec<_> = tools.items().collect();
    assert_eq!(marked(text, document.root()), "s");
    assert_eq!(marked(text, tools), "tools");
    assert_eq!(marked(text, items[0]), "n");
    assert_eq!(marked(text, items[0].get("name").unwrap()), "a/b");
    assert_eq!(marked(text, spec.get("empty").unwrap()), "empty");
    assert_eq!(tools.key_span(), Some(tools.span()));
    assert_eq!(items[1].key_span(), None);
    let inner = items[1].get("~t").unwrap().get("x").unwrap().item(0).unwrap();
    assert_eq!(inner.pointer(), "/spec/tools/1/~0t/x/0");
    assert_eq!(document.at(&inner.pointer()).unwrap().span(), inner.span());
    assert_eq!(document.at("").unwrap().pointer(), "");
    assert!(document.at("/spec/tools/01").is_none());
    assert!(document.at("/spec/tools/2").is_none());
    assert!(document.at("spec").is_none());
    assert!(document.at("/spec/tools/0/name/x").is_none());
}

#[test]
fn reads_json() {
    let text = "{\n\t\"a\": [1, -2.5e3, true, null],\r\n\t\"b\\n\": \"\\ud83d\\ude00 \\/\"\n}\n";
    assert_eq!(value(text), json!({"a": [1, -2500.0, true, null], "b\n": "😀 /"}));
}

#[test]
fn accepts_byte_order_mark_and_all_line_endings() {
    let text = "\u{feff}a: 1\r\nb:\r\n  - x\r\nc: |\r\n  y\r\n  z\r\n";
    let document = read(text);
    assert_eq!(document.value(), &json!({"a": 1, "b": ["x"], "c": "y\nz\n"}));
    assert_eq!(marked(text, document.at("/b/0").unwrap()), "x");
}

#[test]
fn accepts_markers_around_a_document() {
    for text in [
        "---\na: 1\n",
        "# c\n---\na: 1\n...\n",
        "a: 1\n---\n",
        "---\n---\na: 1\n---\n# end\n",
        "%YAML 1.2\n---\na: 1\n",
    ] {
        assert_eq!(value(text), json!({"a": 1}), "{text}");
    }
}

#[test]
fn rejects_files_without_a_document() {
    for text in ["", "\n\n", "# only\n# comments\n", "---\n", "---\n...\n---\n", "\u{feff}"] {
        assert_eq!(findings(text), [(Code::EmptyDocument, "")], "{text:?}");
        assert!(parse(FileId(0), text).document.is_none());
    }
}

#[test]
fn rejects_multiple_documents() {
    let text = "a: 1\n---\nb: 2\n---\nc: 3\n";
    let parsed = parse(FileId(0), text);
    assert_eq!(findings(text), [(Code::MultipleDocuments, "---")]);
    assert_eq!(parsed.diagnostics[0].headline, "the file contains 3 documents");
    assert_eq!(parsed.document.unwrap().value(), &json!({"a": 1}));
}

#[test]
fn reports_both_locations_of_a_duplicate_key() {
    let text = "a: 1\nb: {c: 1, \"c\": 2}\na: 3\n";
    let parsed = parse(FileId(0), text);
    assert_eq!(findings(text), [(Code::DuplicateKey, "\"c\""), (Code::DuplicateKey, "a")]);
    let first = &parsed.diagnostics[1].related[0];
    assert_eq!(first.span.range(), 0..1);
    assert_eq!(parsed.document.unwrap().value(), &json!({"a": 1, "b": {"c": 1}}));
}

#[test]
fn merge_keys_add_missing_entries() {
    let text = "base: &base {a: 1, b: 2}\nmore: &more {b: 3, c: 4}\none: {<<: *base, b: 9}\ntwo:\n  z: 0\n  <<: [*base, *more, {d: 5}]\nliteral: {\"<<\": 1}\n";
    let document = read(text);
    let value = document.value();
    assert_eq!(value["one"], json!({"b": 9, "a": 1}));
    assert_eq!(value["two"], json!({"z": 0, "a": 1, "b": 2, "c": 4, "d": 5}));
    assert_eq!(value["literal"], json!({"<<": 1}));
    let merged = document.at("/two/c").unwrap();
    assert_eq!((merged.span().start, merged.pointer()), (text.find("4}").unwrap(), "/two/c".to_owned()));
}

#[test]
fn rejects_merges_of_non_mappings() {
    assert_eq!(findings("<<: 1\na: 2\n"), [(Code::InvalidMergeValue, "1")]);
    assert_eq!(findings("a: &a [1]\nb: {<<: [*a]}\n"), [(Code::InvalidMergeValue, "*a")]);
    assert_eq!(findings("a: &a x\nb:\n  <<: *a\n"), [(Code::InvalidMergeValue, "*a")]);
    assert_eq!(findings("a:\n  <<:\n"), [(Code::InvalidMergeValue, ":")]);
    assert_eq!(findings("<<: {a: 1}\n<<: {b: 1}\n"), [(Code::DuplicateKey, "<<")]);
}

#[test]
fn aliases_are_copies_with_the_location_of_their_anchor() {
    let text = "a: &x {k: v}\nb: *x\nc: [*x]\n&y d: 1\n*y : 2\n";
    let parsed = parse(FileId(0), text);
    assert_eq!(findings(text), [(Code::DuplicateKey, "*y")]);
    let document = parsed.document.unwrap();
    assert_eq!(document.value(), &json!({"a": {"k": "v"}, "b": {"k": "v"}, "c": [{"k": "v"}], "d": 1}));
    let copy = document.at("/c/0/k").unwrap();
    assert_eq!((marked(text, copy), copy.span().start, copy.pointer().as_str()), ("v", 10, "/c/0/k"));
}

#[test]
fn rejects_unknown_and_recursive_aliases() {
    assert_eq!(findings("a: *nope\nb: *x\nc: &x 1\n"), [(Code::UnknownAnchor, "*nope"), (Code::UnknownAnchor, "*x")]);
    let later = parse(FileId(0), "b: *x\nc: &xx 1\nd: &x 1\n");
    assert_eq!(later.diagnostics[0].related[0].span.range(), 18..20);
    assert_eq!(findings("a: &x [1, *x]\n"), [(Code::RecursiveAlias, "*x")]);
    assert_eq!(findings("a: &x\n  b:\n    <<: *x\n"), [(Code::RecursiveAlias, "*x")]);
}

#[test]
fn limits_alias_expansion() {
    let lists: String = (1..9)
        .map(|level| format!("l{level}: &l{level} [{}]\n", vec![format!("*l{}", level - 1); 9].join(", ")))
        .collect();
    let merges: String =
        (1..40).map(|level| format!("l{level}: &l{level} {{<<: [*l{0}, *l{0}]}}\n", level - 1)).collect();
    let texts = format!("big: &big \"{}\"\nall: [{}]\n", "x".repeat(200_000), vec!["*big"; 5_000].join(","));
    for text in [format!("l0: &l0 [lol]\n{lists}"), format!("l0: &l0 {{k: 1}}\n{merges}"), texts] {
        let parsed = parse(FileId(0), &*text);
        assert_eq!(parsed.diagnostics.len(), 1);
        assert_eq!(parsed.diagnostics[0].code, Code::TooManyAliasedNodes);
        assert!(parsed.document.is_none());
    }
    let many = format!("a: &a 1\nb: [{}]\n", vec!["*a"; EXPANSION_BUDGET - 1].join(","));
    assert_eq!(findings(&many), []);
}

#[test]
fn limits_nesting_in_every_style() {
    let block: String = (0..20_000).map(|depth| format!("{}a:\n", " ".repeat(depth.min(300)))).collect();
    let chain: String = (1..200).map(|level| format!("l{level}: &l{level} [*l{}]\n", level - 1)).collect();
    let merges: String = (1..200).map(|level| format!("l{level}: &l{level} {{<<: *l{}}}\n", level - 1)).collect();
    for text in [
        "[".repeat(20_000),
        "{a: ".repeat(20_000),
        "- ".repeat(20_000),
        "[".repeat(129) + &"]".repeat(129),
        "- ".repeat(100) + &"[".repeat(29) + &"]".repeat(29),
        block,
        format!("l0: &l0 [1]\n{chain}"),
        format!("l0: &l0 {{a: 1}}\n{merges}"),
    ] {
        let parsed = parse(FileId(0), &*text);
        let codes: Vec<_> = parsed.diagnostics.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [Code::NestingTooDeep], "{}", &text[..40]);
        assert!(parsed.document.is_none());
    }
    assert_eq!(findings(&("[".repeat(128) + &"]".repeat(128))), []);
}

#[test]
fn rejects_non_string_keys() {
    let text = "1: a\ntrue: b\n~: c\n? [x]\n: d\n: e\n\"2\": f\non: g\n1.5: h\n!!str 3: i\n";
    let marked = ["1", "true", "~", "[", ":", "1.5"];
    assert_eq!(findings(text), marked.map(|key| (Code::NonStringKey, key)));
}

#[test]
fn rejects_numbers_without_json_representation() {
    let text = "a: .nan\nb: -.inf\nc: 1e999\nd: 123456789012345678901234567890\ne: \".nan\"\nf: !!str .inf\n";
    let marked = [".nan", "-.inf", "1e999", "123456789012345678901234567890"];
    assert_eq!(findings(text), marked.map(|number| (Code::UnrepresentableNumber, number)));
}

#[test]
fn supports_core_tags() {
    let text = "a: !!str 1\nb: !!int \"7\"\nc: !!float 1\nd: !!bool \"true\"\ne: !!null \"\"\nf: ! 5\ng: !!seq [1]\nh: !!map {a: 1}\ni: !<tag:yaml.org,2002:str> true\n";
    assert_eq!(
        value(text),
        json!({"a": "1", "b": 7, "c": 1.0, "d": true, "e": null, "f": "5", "g": [1], "h": {"a": 1}, "i": "true"})
    );
}

#[test]
fn rejects_unknown_and_mismatched_tags() {
    let text = "a: !!binary aGk=\nb: !ruby/object {x: 1}\nc: !!int x\nd: !!map [1]\ne: !!timestamp 2024-01-01\n";
    let tags = ["!!binary", "!ruby/object", "!!int", "!!map", "!!timestamp"];
    assert_eq!(findings(text), tags.map(|tag| (Code::UnknownTag, tag)));
}

#[test]
fn warns_about_unsupported_yaml_versions() {
    let text = "%YAML 1.1\n---\na: yes\n";
    let parsed = parse(FileId(0), text);
    assert_eq!(findings(text), [(Code::UnsupportedYamlVersion, "%YAML 1.1")]);
    assert!(!parsed.diagnostics[0].is_error());
    assert_eq!(parsed.document.unwrap().value(), &json!({"a": "yes"}));
}

#[test]
fn rejects_control_characters_and_invalid_utf_8() {
    assert_eq!(findings("a: 1\nb: \0\n"), [(Code::YamlSyntax, "\0")]);
    assert_eq!(findings("# \u{1b}[31m\n"), [(Code::YamlSyntax, "\u{1b}")]);
    let broken = decode_utf8(FileId(0), b"a: caf\xe9 au lait\n".to_vec()).unwrap_err();
    assert_eq!(&broken.text[broken.diagnostic.primary.unwrap().span.range()], "\u{fffd}");
    let wide = decode_utf8(FileId(0), b"\xff\xfea\0".to_vec()).unwrap_err();
    assert!(wide.diagnostic.notes[0].contains("UTF-16"));
}

#[test]
fn empty_key_is_part_of_the_tree() {
    for text in ["? # c\n---\n", "? # c\na: 1\n", "{: 1, a: 2}\n"] {
        let parsed = parse(FileId(0), text);
        let document = parsed.document.unwrap();
        let child = document.root().entries().next().unwrap().1;
        assert_eq!(child.pointer(), "/", "{text}");
        assert_eq!(document.at("/").map(View::span), Some(child.span()), "{text}");
    }
}
