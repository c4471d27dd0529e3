//! The table of agents.

use super::environment_reference::Notation::{Bare, Braces, Default, EnvBraces, EnvCurly, Shell};
use super::facts::{CodingAgent, Command, Fields, Gate, GateRecord, Off, Parents, ProjectFile, ProjectOff, UserFile};
use crate::document::config::Dialect;
use crate::mcp::Transport::{self, Http, Sse, Stdio};

/// All known agents.
pub const AGENTS: &[CodingAgent] = &[
    CodingAgent {
        id: "claude-code",
        title: "Claude Code",
        checked: Some("2.1.332"),
        program: Some("claude"),
        dialect: Dialect::Json,
        user: &[UserFile { variables: &[("CLAUDE_CONFIG_DIR", ".claude.json")], path: ".claude.json" }],
        project: &[file(".mcp.json")],
        parents: Parents::All,
        servers: &["mcpServers"],
        has_local_scope: true,
        merges_scopes: false,
        project_off: ProjectOff::List {
            file: ".claude/settings.local.json",
            path: &["deniedMcpServers"],
            field: Some("serverName"),
        },
        gate: Some(Gate { action: "approve the server when `claude` asks for it in the project", record: None }),
        fields: Fields { remote_default: None, notations: &[Braces, Default], resolves_everywhere: true, ..COMMON },
    },
    CodingAgent {
        id: "codex",
        title: "Codex",
        checked: Some("0.171.0"),
        program: Some("codex"),
        dialect: Dialect::Toml,
        user: &[UserFile { variables: &[("CODEX_HOME", "config.toml")], path: ".codex/config.toml" }],
        project: &[file(".codex/config.toml")],
        parents: Parents::Repository,
        servers: &["mcp_servers"],
        has_local_scope: false,
        merges_scopes: true,
        project_off: ProjectOff::Entry,
        gate: Some(Gate {
            action: TRUST_FOLDER,
            record: Some(GateRecord {
                file: "config.toml",
                dialect: Dialect::Toml,
                before: &["projects"],
                after: &["trust_level"],
                trusted: "\"trusted\"",
            }),
        }),
        fields: Fields {
            passed_variables: Some("env_vars"),
            headers: "http_headers",
            header_variables: Some("env_http_headers"),
            bearer_variable: Some("bearer_token_env_var"),
            has_cwd: true,
            off: Off::Enabled,
            kinds: ANY_KIND,
            ..COMMON
        },
    },
    CodingAgent {
        id: "antigravity",
        title: "Antigravity",
        program: Some("agy"),
        user: &[home(".gemini/config/mcp_config.json")],
        project: &[file(".agents/mcp_config.json")],
        gate: Some(Gate { action: TRUST_FOLDER, record: None }),
        fields: Fields { urls: &[("serverUrl", Some(Http)), ("url", Some(Http))], off: Off::Disabled, ..COMMON },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "pi",
        title: "Pi",
        checked: Some("1.6.0"),
        program: Some("pi"),
        user: &[UserFile { variables: &[("PI_CODING_AGENT_DIR", "mcp.json")], path: ".pi/agent/mcp.json" }],
        project: &[file(".pi/mcp.json")],
        project_off: ProjectOff::Entry,
        gate: Some(Gate {
            action: TRUST_FOLDER,
            record: Some(GateRecord {
                file: "trust.json",
                dialect: Dialect::Json,
                before: &[],
                after: &[],
                trusted: "true",
            }),
        }),
        fields: Fields { has_cwd: true, off: Off::Enabled, notations: &[Braces, Shell], ..COMMON },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "hermes",
        title: "Hermes",
        checked: Some("0.19.0"),
        program: Some("hermes"),
        dialect: Dialect::Yaml,
        user: &[UserFile { variables: &[("HERMES_HOME", "config.yaml")], path: HERMES }],
        servers: &["mcp_servers"],
        fields: Fields {
            kind: "transport",
            off: Off::Enabled,
            notations: &[Braces, EnvBraces],
            resolves_everywhere: true,
            ..COMMON
        },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "grok",
        title: "Grok",
        checked: Some("1.0.41"),
        program: Some("grok"),
        dialect: Dialect::Toml,
        user: &[UserFile { variables: &[("GROK_HOME", "config.toml")], path: ".grok/config.toml" }],
        project: &[file(".grok/config.toml")],
        parents: Parents::Repository,
        servers: &["mcp_servers"],
        project_off: ProjectOff::Entry,
        gate: Some(Gate {
            action: TRUST_FOLDER,
            record: Some(GateRecord {
                file: "trusted_folders.toml",
                dialect: Dialect::Toml,
                before: &["folders"],
                after: &["trusted"],
                trusted: "true",
            }),
        }),
        fields: Fields {
            bearer_variable: Some("bearer_token_env_var"),
            off: Off::Enabled,
            notations: &[Braces, Default, Bare],
            resolves_everywhere: true,
            ..COMMON
        },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "gemini-cli",
        title: "Gemini CLI",
        checked: Some("0.61.0"),
        program: Some("gemini"),
        dialect: Dialect::JsonWithComments,
        user: &[home(".gemini/settings.json")],
        project: &[file(".gemini/settings.json")],
        project_off: ProjectOff::List { file: ".gemini/settings.json", path: &["mcp", "excluded"], field: None },
        gate: Some(Gate {
            action: TRUST_FOLDER,
            record: Some(GateRecord {
                file: "trustedFolders.json",
                dialect: Dialect::JsonWithComments,
                before: &[],
                after: &[],
                trusted: "\"TRUST_FOLDER\"",
            }),
        }),
        fields: Fields {
            urls: &[("httpUrl", Some(Http)), ("url", None)],
            remote_default: Some(Sse),
            has_cwd: true,
            notations: &[Braces, Default, Bare],
            resolves_everywhere: true,
            ..COMMON
        },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "qwen-code",
        title: "Qwen Code",
        checked: Some("0.24.4"),
        program: Some("qwen"),
        dialect: Dialect::JsonWithComments,
        user: &[home(".qwen/settings.json")],
        project: &[file(".qwen/settings.json"), file(".mcp.json")],
        project_off: ProjectOff::List { file: ".qwen/settings.json", path: &["mcp", "excluded"], field: None },
        gate: Some(Gate { action: "approve the server with `qwen mcp approve`", record: None }),
        fields: Fields {
            urls: &[("httpUrl", Some(Http)), ("url", None)],
            remote_default: Some(Sse),
            has_cwd: true,
            notations: &[Braces, Bare],
            resolves_everywhere: true,
            ..COMMON
        },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "opencode",
        title: "opencode",
        checked: Some("1.18.33"),
        program: Some("opencode"),
        dialect: Dialect::Jsonc,
        user: &[
            xdg(&[("XDG_CONFIG_HOME", "opencode/config.json")], ".config/opencode/config.json"),
            xdg(&[("XDG_CONFIG_HOME", "opencode/opencode.json")], ".config/opencode/opencode.json"),
            xdg(&[("XDG_CONFIG_HOME", "opencode/opencode.jsonc")], ".config/opencode/opencode.jsonc"),
        ],
        project: &[
            file("opencode.json"),
            file("opencode.jsonc"),
            file(".opencode/opencode.json"),
            file(".opencode/opencode.jsonc"),
        ],
        parents: Parents::Repository,
        servers: &["mcp"],
        merges_scopes: true,
        project_off: ProjectOff::Entry,
        fields: Fields {
            command: Command::Words("command"),
            environment: "environment",
            kinds: &[("local", Stdio), ("remote", Http)],
            remote_default: None,
            has_cwd: true,
            off: Off::Enabled,
            notations: &[EnvCurly],
            resolves_everywhere: true,
            ..COMMON
        },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "copilot-cli",
        title: "GitHub Copilot CLI",
        checked: Some("1.0.102"),
        program: Some("copilot"),
        dialect: Dialect::Jsonc,
        user: &[UserFile { variables: &[("COPILOT_HOME", "mcp-config.json")], path: ".copilot/mcp-config.json" }],
        project: &[file(".mcp.json"), ProjectFile { path: ".github/mcp.json", is_fallback: true }],
        parents: Parents::Repository,
        gate: Some(Gate { action: TRUST_FOLDER, record: None }),
        fields: Fields { notations: &[Braces, Default, Bare], ignorable: &[("tools", Some("[\"*\"]"))], ..COMMON },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "cursor",
        title: "Cursor",
        program: Some("cursor"),
        user: &[home(".cursor/mcp.json")],
        project: &[file(".cursor/mcp.json")],
        gate: Some(Gate { action: "enable the server in the settings of Cursor", record: None }),
        fields: Fields { notations: &[EnvBraces], resolves_everywhere: true, ..COMMON },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "vscode",
        title: "VS Code",
        program: Some("code"),
        dialect: Dialect::Jsonc,
        user: &[xdg(VSCODE_VARIABLES, VSCODE)],
        project: &[file(".vscode/mcp.json")],
        servers: &["servers"],
        gate: Some(Gate { action: TRUST_FOLDER, record: None }),
        fields: Fields { notations: &[EnvBraces], resolves_everywhere: true, ..COMMON },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "windsurf",
        title: "Windsurf",
        program: Some("windsurf"),
        user: &[home(".codeium/windsurf/mcp_config.json")],
        fields: Fields {
            urls: &[("serverUrl", Some(Http)), ("url", Some(Http))],
            off: Off::Disabled,
            notations: &[EnvBraces],
            resolves_everywhere: true,
            ..COMMON
        },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "zed",
        title: "Zed",
        program: Some("zed"),
        dialect: Dialect::Jsonc,
        user: &[xdg(ZED_VARIABLES, ZED)],
        project: &[file(".zed/settings.json")],
        servers: &["context_servers"],
        project_off: ProjectOff::Entry,
        gate: Some(Gate { action: TRUST_FOLDER, record: None }),
        fields: Fields { off: Off::Enabled, ignorable: &[("source", None)], ..COMMON },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "cline",
        title: "Cline",
        checked: Some("3.0.65"),
        program: Some("cline"),
        user: &[UserFile {
            variables: &[("CLINE_MCP_SETTINGS_PATH", ""), ("CLINE_DIR", "data/settings/cline_mcp_settings.json")],
            path: ".cline/data/settings/cline_mcp_settings.json",
        }],
        fields: Fields {
            kinds: &[("stdio", Stdio), ("streamableHttp", Http), ("sse", Sse)],
            remote_default: Some(Sse),
            off: Off::Disabled,
            ..COMMON
        },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "goose",
        title: "Goose",
        program: Some("goose"),
        dialect: Dialect::Yaml,
        user: &[xdg(GOOSE_VARIABLES, GOOSE)],
        servers: &["extensions"],
        fields: Fields {
            command: Command::Text("cmd"),
            environment: "envs",
            passed_variables: Some("env_keys"),
            urls: &[("uri", None)],
            kinds: &[("stdio", Stdio), ("streamable_http", Http), ("sse", Sse)],
            remote_default: None,
            off: Off::Enabled,
            ignorable: &[("name", None), ("description", None), ("bundled", None)],
            ..COMMON
        },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "amazon-q",
        title: "Amazon Q Developer CLI",
        program: Some("q"),
        user: &[home(".aws/amazonq/mcp.json")],
        project: &[file(".amazonq/mcp.json")],
        project_off: ProjectOff::Entry,
        fields: Fields { off: Off::Disabled, notations: &[EnvBraces], ..COMMON },
        ..DOCUMENTED
    },
    CodingAgent {
        id: "kiro",
        title: "Kiro",
        program: Some("kiro"),
        user: &[home(".kiro/settings/mcp.json")],
        project: &[file(".kiro/settings/mcp.json")],
        project_off: ProjectOff::Entry,
        fields: Fields { off: Off::Disabled, notations: &[Braces], ..COMMON },
        ..DOCUMENTED
    },
];

/// What most agents have in common.
const COMMON: Fields = Fields {
    command: Command::Text("command"),
    environment: "env",
    passed_variables: None,
    urls: &[("url", None)],
    headers: "headers",
    header_variables: None,
    bearer_variable: None,
    kind: "type",
    kinds: ANY_KIND,
    remote_default: Some(Http),
    has_cwd: false,
    off: Off::Elsewhere,
    notations: &[],
    resolves_everywhere: false,
    ignorable: &[],
};

/// What the user must do in most agents.
const TRUST_FOLDER: &str = "trust the folder when the agent asks for it";

/// Spellings of transports in use, those that most agents use first.
const ANY_KIND: &[(&str, Transport)] = &[
    ("stdio", Stdio),
    ("local", Stdio),
    ("http", Http),
    ("streamable-http", Http),
    ("streamableHttp", Http),
    ("sse", Sse),
];

/// What agents have in common of which only the documentation is known.
const DOCUMENTED: CodingAgent = CodingAgent {
    id: "",
    title: "",
    checked: None,
    program: None,
    dialect: Dialect::Json,
    user: &[],
    project: &[],
    parents: Parents::None,
    servers: &["mcpServers"],
    has_local_scope: false,
    merges_scopes: false,
    project_off: ProjectOff::Unsupported,
    gate: None,
    fields: COMMON,
};

const fn home(path: &'static str) -> UserFile {
    UserFile { variables: &[], path }
}

const fn xdg(variables: &'static [(&'static str, &'static str)], path: &'static str) -> UserFile {
    UserFile { variables, path }
}

const fn file(path: &'static str) -> ProjectFile {
    ProjectFile { path, is_fallback: false }
}

type Variables = &'static [(&'static str, &'static str)];

const HERMES: &str = if cfg!(windows) { "AppData/Local/hermes/config.yaml" } else { ".hermes/config.yaml" };
const VSCODE: &str = if cfg!(windows) {
    "AppData/Roaming/Code/User/mcp.json"
} else if cfg!(target_os = "macos") {
    "Library/Application Support/Code/User/mcp.json"
} else {
    ".config/Code/User/mcp.json"
};
const VSCODE_VARIABLES: Variables = if cfg!(windows) {
    &[("APPDATA", "Code/User/mcp.json")]
} else if cfg!(target_os = "macos") {
    &[]
} else {
    &[("XDG_CONFIG_HOME", "Code/User/mcp.json")]
};
const ZED: &str = if cfg!(windows) { "AppData/Roaming/Zed/settings.json" } else { ".config/zed/settings.json" };
const ZED_VARIABLES: Variables =
    if cfg!(windows) { &[("APPDATA", "Zed/settings.json")] } else { &[("XDG_CONFIG_HOME", "zed/settings.json")] };
const GOOSE: &str =
    if cfg!(windows) { "AppData/Roaming/Block/goose/config/config.yaml" } else { ".config/goose/config.yaml" };
const GOOSE_VARIABLES: Variables = if cfg!(windows) {
    &[("APPDATA", "Block/goose/config/config.yaml")]
} else {
    &[("XDG_CONFIG_HOME", "goose/config.yaml")]
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_agent_has_an_id_a_title_and_a_file() {
        let mut ids = BTreeSet::new();
        for agent in AGENTS {
            assert!(ids.insert(agent.id) && !agent.title.is_empty(), "{agent:?}");
            assert!(!agent.user.is_empty() && agent.project.first().is_none_or(|file| !file.is_fallback), "{agent:?}");
        }
        assert_eq!(ids.len(), 18);
    }
}
