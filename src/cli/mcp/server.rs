//! A definition in JSON output, without values.

use serde::Serialize;

use crate::ops::{AgentConnection, AgentSetting, masked_command, masked_url};

/// How a server is reached. Fields of other transports are null or empty.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServerRow<'a> {
    /// Null for an entry that only switches, or that the agent cannot use.
    transport: Option<&'static str>,
    command: Option<String>,
    args: Vec<String>,
    environment: Vec<SettingRow<'a>>,
    cwd: Option<&'a str>,
    url: Option<String>,
    headers: Vec<SettingRow<'a>>,
}

/// A value, without a literal.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SettingRow<'a> {
    name: &'a str,
    /// The variable; null for a literal, which is not shown.
    from_env: Option<&'a str>,
}

pub(super) fn server_row(connection: Option<&AgentConnection>) -> ServerRow<'_> {
    let transport = connection.map(transport);
    match connection {
        Some(AgentConnection::Stdio { command, args, environment, cwd }) => {
            let (command, args) = masked_command(command, args);
            let environment = environment.iter().map(setting).collect();
            ServerRow {
                transport,
                command: Some(command),
                args,
                environment,
                cwd: cwd.as_deref(),
                ..ServerRow::default()
            }
        }
        Some(AgentConnection::Http { url, headers }) => {
            let headers = headers.iter().map(setting).collect();
            ServerRow { transport, url: Some(masked_url(url)), headers, ..ServerRow::default() }
        }
        None => ServerRow::default(),
    }
}

pub(super) fn transport(connection: &AgentConnection) -> &'static str {
    match connection {
        AgentConnection::Stdio { .. } => "stdio",
        AgentConnection::Http { .. } => "http",
    }
}

fn setting<'a>((name, setting): (&'a String, &'a AgentSetting)) -> SettingRow<'a> {
    let from_env = match setting {
        AgentSetting::Literal { .. } => None,
        AgentSetting::Variable { from_env, .. } => Some(from_env.as_str()),
    };
    SettingRow { name, from_env }
}
