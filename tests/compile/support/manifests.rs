//! The manifests of the agents under test. Few, since each is a build: what a variable can change is changed by a variable.

/// What stands in a manifest in place of its language.
pub(super) const LANGUAGE: &str = "(the language under test)";

/// An assistant with the tools `word_count` and `alpha__touch` of its own, and this text in place of its `mcp` block.
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

/// What the user writes into the project, by path; only where `adl` has put a file for it.
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

/// Asks back when told `ask`, fails when told `fail`, panics when told `panic`, and otherwise repeats what it heard.
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

/// One MCP server `alpha` at `${ALPHA_URL}`; every other value is the built-in default.
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

/// Two MCP servers with headers from the environment: `alpha` gets `ALPHA_TOKEN`, `beta` gets `BETA_TEAM`.
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

/// A server of each transport: `alpha` over HTTP, `beta` over server-sent events, and `gamma`, a command that is told a
/// `GAMMA_SECRET`.
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

/// One MCP server whose credential stands in the manifest.
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

/// Every value of the `mcp` block written, each unlike its default; temperature 0 and maxTokens 77 beside it.
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

/// MCP switched off in the manifest.
pub(crate) fn switched_off() -> String {
    assistant("    mcp:\n      enabled: false")
}

/// No MCP, with push notifications.
pub(crate) fn with_push() -> String {
    switched_off().replace("pushNotifications: false", "pushNotifications: true")
}

/// MCP switched on without any server.
pub(crate) fn no_server() -> String {
    assistant("    mcp:\n      enabled: true")
}

/// No MCP, protocol 1.0 only, and a card with everything that can be written on it.
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

/// No `spec.agent`: a handler of the user's and no model.
pub(crate) fn without_model() -> String {
    let manifest = assistant("");
    let (before, rest) = manifest.split_once("  agent:\n").unwrap();
    let (_, after) = rest.split_once("  tools:\n").unwrap();
    let (_, server) = after.split_once("  server:\n").unwrap();
    format!("{before}  server:\n{server}")
}

/// An agent of every shape, by name, in the order of the marks in `src/targets/go/modules.txt`: without a model, with one, with a
/// tool of its own, with MCP servers; with both protocols, and with 1.0 alone.
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

/// Agents whose features combine as in no shape and no example, by name: every set of transports, what is optional on and off.
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
