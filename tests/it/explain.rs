//! `adl explain`.

use adl::document::parse;
use adl::manifest::{field, field_paths};
use serde_json::Value;

use crate::support::Sandbox;

#[test]
fn explains_codes_by_number_and_name() {
    let sandbox = Sandbox::new();
    let by_number = sandbox.run(&["explain", "ADL0302"]).exits(0);
    assert!(by_number.stdout.starts_with("# ADL0302 invalid-server-url\n"), "{by_number:?}");
    for word in ["adl0302", "invalid-server-url", "Invalid-Server-URL"] {
        assert_eq!(sandbox.run(&["explain", word]).exits(0).stdout, by_number.stdout);
    }
}

#[test]
fn explains_fields() {
    let run = Sandbox::new().run(&["explain", "spec.agent.mcp.refreshInterval"]).exits(0);
    let expected = "\
# spec.agent.mcp.refreshInterval

Interval between tool list refreshes (A2A_MCP_REFRESH_INTERVAL). A positive Go duration.

Type       duration, such as 1h30m or 500ms
Required   no
Default    5m
Variable   A2A_MCP_REFRESH_INTERVAL: Interval at which the tools of the servers are listed again.
Languages  Go, TypeScript (if `transports` is set), Rust (if `transports` is set)

## Example

```yaml
spec:
  agent:
    mcp:
      refreshInterval: 5m
```
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn explains_list_items_and_map_entries() {
    let sandbox = Sandbox::new();
    let title = |path: &str| sandbox.run(&["explain", path]).exits(0).stdout.lines().next().unwrap().to_owned();
    for path in ["spec.agent.mcp.servers[].url", "spec.agent.mcp.servers[0].url", "spec.agent.mcp.servers.url"] {
        assert_eq!(title(path), "# spec.agent.mcp.servers[].url");
    }
    assert_eq!(title("spec.services.orders.factory"), "# spec.services.*.factory");
    assert_eq!(title("spec.services.*.factory"), "# spec.services.*.factory");
}

#[test]
fn findings_mention_explain_once_per_run() {
    let sandbox = Sandbox::new().file("a.yaml", "a: [").file("b.yaml", "a: 1\na: 2\n");
    let run = sandbox.run(&["validate", "a.yaml", "b.yaml"]).exits(1);
    assert_eq!(run.stderr.matches("run `adl explain ").count(), 1, "{run:?}");
    assert!(run.stderr.contains("\nrun `adl explain ADL0002` for details\n"), "{run:?}");
}

#[test]
fn explains_unsupported_and_non_portable_fields() {
    let sandbox = Sandbox::new();
    for (field, languages) in [
        ("spec.artifacts", "none yet"),
        (
            "spec.skills",
            "Go (only on the agent card), TypeScript (only on the agent card), Rust (only on the agent card)",
        ),
        (
            "spec.card.securitySchemes",
            "Go (announced on the agent card, not enforced), TypeScript (announced on the agent card, not enforced), \
             Rust (announced on the agent card, not enforced)",
        ),
    ] {
        let run = sandbox.run(&["explain", field]).exits(0);
        assert!(run.stdout.contains(&format!("\nLanguages  {languages}\n")), "{run:?}");
    }
    assert!(sandbox.run(&["explain", "spec.agent.mcp.transports"]).exits(0).stdout.contains("Portable   no"));
}

#[test]
fn lists_everything_without_an_argument() {
    let run = Sandbox::new().run(&["explain"]).exits(0);
    assert!(run.stdout.contains("\n  ADL0302  error    invalid-server-url\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\n  spec.agent.mcp.servers[].url "), "{}", run.stdout);
    assert!(run.stdout.lines().all(|line| line.len() <= 100), "{}", run.stdout);
}

#[test]
fn suggests_a_similar_topic() {
    let sandbox = Sandbox::new();
    for (word, meant) in [
        ("spec.agent.mpc.refreshInterval", "did you mean `spec.agent.mcp.refreshInterval`?"),
        ("refreshInterval", "did you mean `spec.agent.mcp.refreshInterval`?"),
        ("invalid-sever-url", "did you mean `invalid-server-url`?"),
        ("ADL0999", "run `adl explain` to list all findings and fields"),
        ("", "run `adl explain` to list all findings and fields"),
    ] {
        let run = sandbox.run(&["explain", word]).exits(2);
        assert!(run.stdout.is_empty() && run.stderr.contains("ADL0906") && run.stderr.contains(meant), "{run:?}");
    }
}

#[test]
fn field_examples_match_the_schema() {
    for path in field_paths() {
        let field = field(&path).unwrap();
        assert_eq!(field.path, path);
        let example: Value = field.example.expect("every field has an example");
        let text = adl::manifest::as_yaml(&example);
        let read = parse(adl::diagnostics::FileId::default(), text.as_str());
        assert!(read.diagnostics.is_empty(), "{path}:\n{text}");
        assert_eq!(*read.document.unwrap().value(), example, "{path}:\n{text}");
    }
}
