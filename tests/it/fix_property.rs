//! Random outdated manifests with comments: the fixed manifest is valid YAML, keeps all comments and values, and does
//! not change in a second run.

use adl::diagnostics::FileId;
use adl::document::parse;
use adl::ops::repair;
use proptest::prelude::*;
use serde_json::Value;

use super::invariants;

/// Complete blocks of `spec`, which can be combined.
const BLOCKS: &[&str] = &[
    "  capabilities:\n    streaming: true\n",
    "  capabilities: {streaming: true, pushNotifications: false}\n",
    "  sandbox:\n    flox:\n      enabled: true\n    devcontainer: {enabled: false}\n",
    "  sandbox: {flox: {enabled: true}}\n",
    "  ai:\n    enabled: true\n",
    "  development:\n    ai:\n      enabled: true\n",
    "  development:\n    ai:\n      infer: true\n      claudecode:\n        enabled: true\n    deps: [a@1]\n",
    "  development: {sandbox: {flox: {enabled: true}}}\n",
    "  development:\n    sandbox: &box\n      flox: {enabled: true}\n    x-box: *box\n",
    "  dependencies:\n    db: {type: service, interface: Db, factory: NewDb, description: 'a, b'}\n",
    "  services: {}\n",
    "  skills:\n    - id: a-b\n      name: a-b\n      description: |+\n        Text\n\n      schema: {type: object}\n    - name: c\n      description: d\n      parameters:\n        - name: q\n          type: string\n          required: true\n",
    "  skills:\n  - id: x\n    bare: true\n    name: x\n    description: y\n  - {id: z, schema: {type: object}}\n",
    "  tools:\n    - name: find\n      description: >-\n        Long\n        text\n      schema:\n        type: object\n        properties:\n          q:\n            - type: string\n",
    "  tools:\n    - &t\n      name: find\n      implementation: |\n        a: b\n      path: x\n    - <<: *t\n      id: other\n",
    "  language:\n    go:\n      module: example.com/a\n      goVersion: 1.24\n    acronyms: [n8n]\n",
    "  language: {go: {module: example.com/a, version: '1.26'}, acronyms: [n8n]}\n",
    "  acronyms:\n    - SLA\n",
    "  artifacts:\n    provider: minio\n",
    "  examples:\n    - title: a\n      path: b\n      description: c\n",
    "  server:\n    port: 8080\n",
];

/// A value that no fix changes.
const KEPT: &str =
    "  x-kept:\n    text: |\n      # no comment\n        deeper\n\n      end\n    list: [1, two, '3']\n    no: NO\n";

/// A manifest and its number of comments.
fn manifest(blocks: &[usize], comments: &[(usize, u8)], deep: bool, windows: bool, ended: bool) -> (String, usize) {
    let mut text =
        "apiVersion: adl.dev/v1\nkind: Agent\nmetadata: {name: a, description: b, version: 1.0.0}\nspec:\n".to_owned();
    let mut keys = Vec::new();
    for block in blocks.iter().filter_map(|block| BLOCKS.get(block % BLOCKS.len())) {
        let key = block.split(':').next().unwrap();
        if !keys.contains(&key) {
            keys.push(key);
            text.push_str(block);
        }
    }
    text.push_str(KEPT);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if deep {
        let indentation = |line: &str| line.len() - line.trim_start().len();
        lines = lines.iter().map(|line| format!("{}{line}", " ".repeat(indentation(line)))).collect();
    }
    let mut count = 0;
    for (place, kind) in comments {
        let at = place % (lines.len() + 1);
        let line = lines.get(at).cloned().unwrap_or_default();
        let indentation = " ".repeat(line.len() - line.trim_start().len());
        if kind % 3 == 0 {
            lines.insert(at, format!("{indentation}# c{count}."));
        } else if kind % 3 == 1
            && let Some(line) = lines.get_mut(at)
        {
            line.extend([" # c", &count.to_string(), "."]);
        } else {
            lines.insert(at, String::new());
            continue;
        }
        count += 1;
    }
    let mut text = lines.join("\n");
    if ended {
        text.push('\n');
    }
    if windows {
        text = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    }
    (text, count)
}

fn value(text: &str) -> Option<Value> {
    let parsed = parse(FileId::default(), text);
    parsed.document.filter(|_| parsed.diagnostics.is_empty()).map(|document| document.value().clone())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn fixing_is_lossless_and_idempotent(
        blocks in proptest::collection::vec(any::<usize>(), 0..10),
        comments in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..8),
        deep: bool,
        windows: bool,
        ended: bool,
    ) {
        let (text, comments) = manifest(&blocks, &comments, deep, windows, ended);
        // A comment inside a multi-line string is part of the string, or makes the YAML invalid.
        let Some(before) = value(&text) else { return Ok(()) };
        let fixed = repair("agent.yaml", &text);
        let after = value(&fixed.text).expect("the fixed text reads");
        prop_assert_eq!(before.pointer("/spec/x-kept"), after.pointer("/spec/x-kept"));
        prop_assert_eq!(&before["metadata"], &after["metadata"]);
        for number in 0..comments {
            let comment = format!("# c{number}.");
            prop_assert_eq!(fixed.text.matches(&comment).count(), 1, "{} in\n{}\nbefore\n{}", comment, fixed.text, text);
        }
        prop_assert_eq!(fixed.text.contains("\r\n"), text.contains("\r\n"));
        prop_assert_eq!(fixed.text.replace("\r\n", "").contains(['\r', '\n']), text.replace("\r\n", "").contains(['\r', '\n']));
        prop_assert_eq!(fixed.text.ends_with('\n'), text.ends_with('\n'));
        prop_assert_eq!(fixed.text.starts_with('\u{feff}'), windows);
        invariants::fix(&text);
    }

    #[test]
    fn fixing_never_panics(
        blocks in proptest::collection::vec(any::<usize>(), 0..6),
        cuts in proptest::collection::vec((any::<usize>(), "[-:,{}\\[\\]&*|>#'\" \n~a]{0,3}"), 1..4),
    ) {
        let (mut text, _) = manifest(&blocks, &[], false, false, true);
        for (place, piece) in cuts {
            let at = place % (text.len() + 1);
            text.insert_str(at, &piece);
        }
        let fixed = repair("agent.yaml", &text);
        if let (Some(_), Some(after)) = (value(&text), value(&fixed.text)) {
            prop_assert!(after.is_object() || fixed.applied.is_empty());
        }
        invariants::fix(&text);
    }
}
