//! The manifests of the agents under test. There are few, because each requires a build; tests use variables where
//! possible.

use std::fs;

use super::repository;

/// The placeholder for the language in a manifest.
pub(super) const LANGUAGE: &str = "(the language under test)";

/// An agent with its own tools `word_count` and `alpha__touch`, and with `mcp` as its MCP block.
fn assistant(mcp: &str) -> String {
    format!(
        r"apiVersion: adl.inference-gateway.com/v1
kind: Agent
metadata:
  name: sky-assistant
  description: Looks at the sky and counts words.
  version: 1.2.3
spec:
  capabilities:
    streaming: true
    pushNotifications: false
    stateTransitionHistory: false
  agent:
    provider: openai
    model: written-model
    systemPrompt: You look at the sky.
{mcp}
  tools:
    - id: word_count
      name: word_count
      description: Counts the words of a text.
      tags: [text]
      schema:
        type: object
        properties:
          text:
            type: string
            description: The text.
        required: [text]
    - id: own_touch
      name: alpha__touch
      description: Touches with the agent's own hands.
      tags: [touch]
      schema:
        type: object
        properties:
          text:
            type: string
  server:
    port: 8080
  language: {LANGUAGE}
"
    )
}

/// The files that the user writes, by path; only used if `adl` generated a file with this path.
pub(crate) const WRITTEN_BY_THE_USER: [(&str, &str); 2] =
    [("tools/word_count.go", WORD_COUNT), ("handler/handler.go", HANDLER)];

const WORD_COUNT: &str = r#"package tools

import (
	"context"
	"fmt"
	"strings"
)

// WordCount counts the words of a text.
func (*Tools) WordCount(_ context.Context, arguments WordCountArguments) (string, error) {
	return fmt.Sprintf("%d words", len(strings.Fields(arguments.Text))), nil
}
"#;

/// Asks a question for `ask`, fails for `fail`, panics for `panic`, and otherwise repeats the message.
const HANDLER: &str = r#"package handler

import (
	"context"
	"fmt"
	"log/slog"

	"example.com/sky-assistant/internal/agent"
)

// Handler has nothing at hand.
type Handler struct{}

// New is called once, when the agent starts.
func New(*slog.Logger) (*Handler, error) { return &Handler{}, nil }

// Respond answers one message.
func (*Handler) Respond(_ context.Context, request agent.Request, reply *agent.Reply) error {
	switch request.Text() {
	case "ask":
		reply.Ask("what?")
		return nil
	case "fail":
		return agent.Failure("no luck today")
	case "panic":
		panic("the user's mistake")
	}
	_, err := fmt.Fprintf(reply, "heard %s", request.Text())
	return err
}
"#;

/// An MCP server `alpha` at `${ALPHA_URL}`; all other settings are defaults.
pub(crate) fn one_server() -> String {
    assistant(
        "    mcp:
      enabled: true
      servers:
        - name: alpha
          transport: http
          url: ${ALPHA_URL}",
    )
}

/// Two MCP servers with headers from the environment: `alpha` uses `ALPHA_TOKEN`, `beta` uses `BETA_TEAM`.
pub(crate) fn two_servers() -> String {
    assistant(
        r"    mcp:
      enabled: true
      retryInterval: 100ms
      servers:
        - name: alpha
          transport: http
          url: ${ALPHA_URL}
          headers:
            Authorization: Bearer ${ALPHA_TOKEN}
        - name: beta
          transport: http
          url: ${BETA_URL}
          headers:
            X-Team: team ${BETA_TEAM}",
    )
}

/// A server of each transport: `alpha` with HTTP, `beta` with server-sent events, and `gamma`, a command with the
/// variable `GAMMA_SECRET`.
pub(crate) fn three_transports() -> String {
    assistant(
        "    mcp:
      enabled: true
      transports: [http, sse, stdio]
      retryInterval: 100ms
      servers:
        - name: alpha
          transport: http
          url: ${ALPHA_URL}
        - name: beta
          transport: sse
          url: ${BETA_URL}/sse
        - name: gamma
          transport: stdio
          command: node
          args: [--import, '${EVERYTHING_PRELUDE}', '${EVERYTHING_PROGRAM}', stdio]
          env:
            STARTED: ${EVERYTHING_STARTED}
            GAMMA_SECRET: ${GAMMA_SECRET}",
    )
}

/// An MCP server with a literal credential.
pub(crate) fn literal_credential() -> String {
    assistant(
        "    mcp:
      enabled: true
      servers:
        - name: alpha
          transport: http
          url: ${ALPHA_URL}
          headers:
            Authorization: Bearer written-in-the-manifest",
    )
}

/// An MCP block with a non-default value for every setting, and temperature 0 and maxTokens 77.
pub(crate) fn all_written() -> String {
    assistant(
        "    temperature: 0
    maxTokens: 77
    mcp:
      enabled: true
      endpoint: /written
      refreshInterval: 400ms
      dialTimeout: 600ms
      callTimeout: 700ms
      maxRetries: 3
      retryInterval: 200ms
      retryMaxInterval: 500ms
      servers:
        - name: alpha
          transport: http
          url: ${ALPHA_URL}",
    )
}

/// MCP disabled in the manifest.
pub(crate) fn switched_off() -> String {
    assistant("    mcp:\n      enabled: false")
}

/// MCP disabled, push notifications enabled.
pub(crate) fn with_push() -> String {
    switched_off().replace("pushNotifications: false", "pushNotifications: true")
}

/// MCP enabled without servers.
pub(crate) fn no_server() -> String {
    assistant("    mcp:\n      enabled: true")
}

/// No MCP, protocol 1.0 only, and an agent card with all fields.
pub(crate) fn only_1_0() -> String {
    assistant("").replace(
        "  agent:\n",
        "  card:
    protocolVersion: 1.0.0
    url: https://sky.example.com/agents
    documentationUrl: https://sky.example.com/manual
    iconUrl: https://sky.example.com/icon.png
    defaultInputModes: [text/plain]
    defaultOutputModes: [text/plain, application/json]
    securitySchemes:
      token:
        type: http
        scheme: bearer
  skills:
    - id: stargazing
      bare: true
      name: Stargazing
      description: Knows the stars.
      tags: [stars]
      version: 1.0.0
  agent:\n",
    )
}

/// No `spec.agent`, so a handler of the user and no model.
pub(crate) fn without_model() -> String {
    let manifest = assistant("");
    let (before, rest) = manifest.split_once("  agent:\n").unwrap();
    let (_, after) = rest.split_once("  tools:\n").unwrap();
    let (_, server) = after.split_once("  server:\n").unwrap();
    format!("{before}  server:\n{server}")
}

/// The manifest with names and texts that are hard to escape.
pub(crate) fn obstacle_course() -> String {
    let text = fs::read_to_string(repository().join("tests/fixtures/naming-obstacle-course.yaml")).unwrap();
    let (before, language) = text.split_once("  language:\n").unwrap();
    let (_, after) = language.split_once('\n').unwrap();
    format!("{before}  language: {LANGUAGE}\n{after}")
}

/// All kinds of agents by name, in the order of the marks in `src/targets/go/modules.txt`: without a model, with a
/// model, with an own tool, with MCP servers; each with both protocols and with 1.0 only.
pub(crate) fn shapes() -> Vec<(String, String)> {
    let model = "  agent:\n    provider: openai\n    model: written-model\n";
    let parts = [
        ("handler", String::new()),
        ("model", model.to_owned()),
        (
            "tools",
            format!(
                "{model}  tools:\n    - {{id: x, name: x, description: Tells x., tags: [x], schema: {{type: object}}}}\n"
            ),
        ),
        (
            "mcp",
            format!(
                "{model}    mcp: {{enabled: true, servers: [{{name: a, transport: http, url: \"http://localhost:1\"}}]}}\n"
            ),
        ),
    ];
    let mut shapes = Vec::new();
    for protocol in ["0.3.0", "1.0"] {
        for (name, agent) in &parts {
            let manifest = format!(
                r#"apiVersion: adl.inference-gateway.com/v1
kind: Agent
metadata: {{name: shape, description: One of many, version: 0.1.0}}
spec:
  capabilities: {{streaming: true, pushNotifications: false, stateTransitionHistory: false}}
  card: {{protocolVersion: "{protocol}"}}
{agent}  server: {{port: 8080}}
  language:
    go: {{module: example.com/shape, version: "1.25"}}
"#
            );
            shapes.push((format!("{name}-{protocol}"), manifest));
        }
    }
    shapes
}

/// Agents with further combinations of features, by name: various sets of transports, with and without optional
/// features.
pub(crate) fn combinations() -> Vec<(String, String)> {
    let model = "  agent:\n    provider: openai\n    model: written-model\n";
    let tool = "  tools:\n    - {id: x, name: x, description: Tells x., tags: [x], schema: {type: object}}\n";
    let mcp = |transports: &str| {
        let servers = transports.split(", ").map(|transport| match transport {
            "stdio" => "{name: c, transport: stdio, command: /bin/cat, args: ['${C}']}".to_owned(),
            other => format!("{{name: {other}, transport: {other}, url: 'http://localhost:1/{other}'}}"),
        });
        let servers = servers.collect::<Vec<_>>().join(", ");
        format!("{model}    mcp: {{enabled: true, transports: [{transports}], servers: [{servers}]}}\n")
    };
    let all = "streaming: true, pushNotifications: true, stateTransitionHistory: true";
    let push = "streaming: true, pushNotifications: true, stateTransitionHistory: false";
    let none = "streaming: false, pushNotifications: false, stateTransitionHistory: false";
    let combinations = [
        ("handler-all", all, "1.0", String::new()),
        ("sse-none", none, "1.0", mcp("sse")),
        ("stdio-push-tools", push, "0.3.0", mcp("stdio") + tool),
        ("http-sse-push", push, "1.0", mcp("http, sse")),
        ("http-sse-stdio-all-tools", all, "0.3.0", mcp("http, sse, stdio") + tool),
    ];
    let manifests = combinations.map(|(name, capabilities, protocol, parts)| {
        let manifest = format!(
            r#"apiVersion: adl.inference-gateway.com/v1
kind: Agent
metadata: {{name: shape, description: One of many, version: 0.1.0}}
spec:
  capabilities: {{{capabilities}}}
  card: {{protocolVersion: "{protocol}"}}
{parts}  server: {{port: 8080}}
  language:
    go: {{module: example.com/shape, version: "1.25"}}
"#
        );
        (name.to_owned(), manifest)
    });
    manifests.into()
}
