//! The documents of a project: README, `CONFIGURATIONS.md`, compose file and `.env.example`.

use crate::support::{MANIFEST, Sandbox};

const COMPOSE: &str = "  development: {sandbox: {dockerCompose: {enabled: true}}}\n";

/// The files of the project generated from a manifest.
fn project(manifest: &str) -> impl Fn(&str) -> String + use<> {
    let sandbox = Sandbox::new().file("agent.yaml", manifest);
    sandbox.run(&["generate", "-o", "out"]).exits(0);
    let files = sandbox.snapshot("out");
    move |path| files.get(std::path::Path::new(path)).cloned().unwrap_or_default()
}

/// The number of lines that start with a string.
fn count(text: &str, start: &str) -> usize {
    text.lines().filter(|line| line.trim().starts_with(start)).count()
}

#[test]
fn readme_shows_tags_of_tools() {
    let readme = project(&MANIFEST.replace("[weather]", "[weather, \"a|b\"]"))("README.md");
    let row = "| get_weather | Weather of a place | weather, a\\|b | `tools/get_weather.go` |";
    assert!(readme.contains(row), "{readme}");
}

#[test]
fn readme_states_the_security_status() {
    let readme = project(MANIFEST)("README.md");
    assert!(readme.contains("The agent does not authenticate its callers"), "{readme}");
    let schemes = "  card:\n    securitySchemes:\n      bearer: {type: http, scheme: bearer}\n      key: {type: apiKey, in: header, name: X}\n";
    let readme = project(&format!("{MANIFEST}{schemes}"))("README.md");
    assert!(
        readme.contains("announces how callers authenticate (bearer, key), but the agent does not check it"),
        "{readme}"
    );
}

#[test]
fn every_variable_appears_once_per_file() {
    let mcp = r#"    mcp:
      enabled: true
      transports: [stdio]
      servers:
        - {name: a, transport: stdio, command: a, env: {PORT: "${A2A_SERVER_PORT}", PATH: "${PATH}", TOKEN: "${TOKEN}"}}
"#;
    let manifest = MANIFEST.replace("    model: gpt-4o\n", &format!("    model: gpt-4o\n{mcp}"));
    let file = project(&format!("{manifest}{COMPOSE}"));
    let [readme, configurations, example] = ["README.md", "CONFIGURATIONS.md", ".env.example"].map(file);
    for (name, in_example) in [("A2A_SERVER_PORT", 1), ("TOKEN", 1), ("PATH", 0)] {
        assert_eq!(count(&configurations, &format!("| `{name}` |")), 1, "{name}");
        assert_eq!(count(&example, &format!("{name}=")), in_example, "{name}");
        assert_eq!(count(&readme, &format!("| `{name}` |")), 0, "the README has no table of its own: {name}");
    }
    assert_eq!(count(&readme, "export TOKEN=..."), 1);
    assert_eq!(count(&readme, "export PATH="), 0);
    assert_eq!(count(&readme, "docker build -t weather-agent ."), 1);
}

/// A copy of the example must not fix defaults that a later version of the project changes.
#[test]
fn example_sets_manifest_values_and_comments_other_defaults() {
    let mcp = "    mcp:\n      enabled: true\n      callTimeout: 1m\n      servers: [{name: a, transport: http, url: http://a}]\n";
    let manifest = MANIFEST.replace("    model: gpt-4o\n", &format!("    model: gpt-4o\n{mcp}"));
    let example = project(&format!("{manifest}{COMPOSE}"))(".env.example");
    let first = example.split("\n\n").nth(2).unwrap();
    assert!(first.starts_with("# Set these first\n") && first.ends_with("\nOPENAI_API_KEY="), "{first}");
    for set in [
        "A2A_SERVER_PORT=8080",
        "A2A_CAPABILITIES_STREAMING=true",
        "A2A_AGENT_CLIENT_MODEL=gpt-4o",
        "A2A_MCP_ENABLED=true",
        "A2A_MCP_SERVERS=http://a",
        "A2A_MCP_ENDPOINT=/mcp",
        "A2A_MCP_CALL_TIMEOUT=1m",
        "A2A_MCP_DIAL_TIMEOUT=30s",
        "# A2A_MCP_DIRECT_TOOLS=40",
        "# A2A_SERVER_HOST=",
        "# A2A_SERVER_READ_TIMEOUT=120s",
        "# A2A_AGENT_CLIENT_API_KEY=",
        "# A2A_AGENT_CLIENT_TIMEOUT=30s",
    ] {
        assert!(example.lines().any(|line| line == set), "{set} in {example}");
    }
}

#[test]
fn compose_passes_the_environment_file_on() {
    let compose = project(&format!("{MANIFEST}{COMPOSE}"))("docker-compose.yaml");
    assert_eq!(count(&compose, "- path: .env"), 1);
    assert_eq!(count(&compose, "A2A_"), 1, "the port alone: {compose}");
    assert_eq!(count(&compose, "healthcheck:"), 0, "the image has one: {compose}");
    let without = project(MANIFEST);
    assert_eq!(without("docker-compose.yaml") + &without(".env.example"), "");
}

#[test]
fn the_image_has_the_programs_that_start_mcp_servers() {
    let generated = |manifest: &str, command: &str| {
        let mcp = format!(
            "    mcp:\n      enabled: true\n      transports: [stdio]\n      servers: [{{name: a, transport: stdio, command: {command}}}]\n"
        );
        project(&manifest.replace("    model: gpt-4o\n", &format!("    model: gpt-4o\n{mcp}")))("Dockerfile")
    };
    let image = |command: &str| generated(MANIFEST, command);
    assert!(image("npx").contains("\nFROM node:"));
    let uv = image("uvx");
    assert!(uv.contains("\nFROM python:") && uv.contains("/uv /uvx /usr/local/bin/\n"), "{uv}");
    for text in [image("search-server"), project(MANIFEST)("Dockerfile")] {
        assert!(text.contains("\nFROM gcr.io/distroless/"), "{text}");
        assert_eq!(count(&text, "HEALTHCHECK "), 1);
    }
    let (before, _) = MANIFEST.split_once("    go:\n").unwrap();
    let typescript = format!("{before}    typescript:\n      packageName: x\n      nodeVersion: \"24\"\n");
    for (command, line) in
        [("npx", "FROM node:24-bookworm-slim"), ("uvx", "COPY --from=ghcr"), ("python", "RUN apt-get")]
    {
        assert_eq!(count(&generated(&typescript, command), line), 1, "{command}");
    }
    assert_eq!(count(&project(&typescript)("Dockerfile"), "FROM node:24-alpine"), 2);
}
