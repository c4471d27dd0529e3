//! The connections to all MCP servers, and the tools that they offer to the model.
//!
//! Each server is kept connected by a supervisor of its own: a server may be down, come late, restart or lose its sessions at
//! any time, and the agent goes on answering meanwhile. The tools of all servers make up one catalogue, which follows what the
//! servers announce.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
    time::Duration,
};

use async_trait::async_trait;
use rmcp::model::Implementation;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    config::{ServerConfig, Settings},
    content::{ServerTool, name_tools},
    server::Supervisor,
    session::Options,
};
use crate::{
    log::Redactor,
    tool::{Definition, Reply, Source},
};

/// How long the end of the sessions may take.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// Bounds the definitions in one answer of the tool that lists tools, in bytes.
const MAX_LISTED: usize = 256 << 10;

const LIST_TOOLS: &str = "mcp_list_tools";
const CALL_TOOL: &str = "mcp_call_tool";

/// Holds the connections to all servers.
pub struct McpClient {
    supervisors: Vec<Arc<Supervisor>>,
    direct_tools: u64,
    /// The names that no tool of a server takes.
    reserved: BTreeSet<String>,
    /// The tools that find and call other tools; an own tool of that name wins.
    selectors: Vec<Definition>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// One tool of one server.
struct Entry<'a> {
    /// Under which the model knows it.
    name: String,
    supervisor: &'a Supervisor,
    tool: Arc<ServerTool>,
}

impl McpClient {
    /// `agent` is its name and version. No tool takes one of the reserved names.
    pub fn new(servers: Vec<ServerConfig>, settings: Settings, agent: (&str, &str), reserved: &[&str]) -> Arc<Self> {
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let client = Arc::<OnceLock<_>>::default();
        let supervisors = servers.into_iter().map(|server| {
            let address = server.address();
            Arc::new(Supervisor::new(Options {
                redactor: Redactor::new(server.secrets(&address), &[(server.url.clone(), address.clone())]),
                address,
                server,
                settings: settings.clone(),
                agent: Implementation::new(agent.0, agent.1),
                client: client.clone(),
                tasks: tasks.clone(),
                stop: stop.clone(),
            }))
        });
        let supervisors = supervisors.collect();
        let selectors = selectors().into_iter().filter(|selector| !reserved.contains(&selector.name.as_str()));
        let selectors = selectors.collect();
        let reserved = reserved.iter().copied().chain([LIST_TOOLS, CALL_TOOL]).map(str::to_owned).collect();
        Arc::new(Self { supervisors, direct_tools: settings.direct_tools, reserved, selectors, tasks, stop })
    }

    /// Begins to connect to all servers.
    pub fn start(self: &Arc<Self>) {
        for supervisor in &self.supervisors {
            self.tasks.spawn(supervisor.clone().run());
        }
    }

    /// Whether a server has been connected, or none is left to wait for.
    pub fn ready(&self) -> bool {
        let is_known = |one: &Arc<Supervisor>| one.is_connected() || !one.tools().is_empty();
        self.supervisors.iter().any(is_known) || self.supervisors.iter().all(|one| one.has_ended())
    }

    /// Ends all sessions, within a limit.
    pub async fn close(&self) {
        self.stop.cancel();
        self.tasks.close();
        let _ = timeout(SHUTDOWN_GRACE, self.tasks.wait()).await; // what takes longer ends with the agent
    }

    /// The tools by server in the order of configuration, then by name.
    fn catalogue(&self) -> Vec<Entry<'_>> {
        let mut entries = Vec::new();
        for supervisor in &self.supervisors {
            let tools = supervisor.tools().into_iter();
            entries.extend(tools.map(|tool| Entry { name: String::new(), supervisor, tool }));
        }
        let originals: Vec<_> =
            entries.iter().map(|entry| (entry.supervisor.name(), entry.tool.name.as_str())).collect();
        for (name, entry) in name_tools(&originals, &self.reserved).into_iter().zip(&mut entries) {
            entry.name = name;
        }
        entries
    }

    fn list_tools(&self, arguments: &Value) -> Reply {
        let server = given(arguments, "server");
        let is_asked = |supervisor: &Supervisor| server.is_none_or(|server| server == supervisor.name());
        let asked: Vec<_> = self.supervisors.iter().filter(|one| is_asked(one)).collect();
        if let (Some(server), true) = (server, asked.is_empty()) {
            let names: Vec<_> = self.supervisors.iter().map(|one| one.name()).collect();
            return Reply::failure(format!("there is no MCP server {server:?}; the servers are: {}", names.join(", ")));
        }
        let words = given(arguments, "search").unwrap_or_default().to_lowercase();
        let mut matching = self.catalogue();
        matching.retain(|Entry { supervisor, tool, .. }| {
            let text = format!("{} {} {}", supervisor.name(), tool.name, tool.description).to_lowercase();
            is_asked(supervisor) && words.split_whitespace().all(|word| text.contains(word))
        });
        let mut tools = Vec::new();
        let mut size = 0;
        for Entry { supervisor, tool, .. } in &matching {
            let ServerTool { name, description, schema } = &**tool;
            let listed =
                json!({"server": supervisor.name(), "name": name, "description": description, "input_schema": schema});
            size += listed.to_string().len();
            if size <= MAX_LISTED {
                tools.push(listed);
            }
        }
        let (count, listed) = (matching.len(), tools.len());
        let mut list = json!({"count": count, "tools": tools});
        let away: Vec<_> = asked.iter().filter(|one| !one.is_connected()).map(|one| one.name()).collect();
        if !away.is_empty() {
            list["servers_not_connected"] = json!(away);
        }
        if listed < count {
            list["note"] = format!("only {listed} of {count} tools are listed; narrow the search").into();
        }
        Reply::success(list.to_string())
    }

    async fn call_tool(&self, arguments: &Value) -> Reply {
        let Some(name) = given(arguments, "name") else {
            return Reply::failure("the argument \"name\" is missing");
        };
        let server = given(arguments, "server");
        let mut entries = self.catalogue();
        entries.retain(|entry| server.is_none_or(|server| server == entry.supervisor.name()));
        // The name that the server gave the tool, or else the name that the model knows it by.
        let by_server: Vec<_> = entries.iter().filter(|entry| entry.tool.name == name).collect();
        let matches =
            if by_server.is_empty() { entries.iter().filter(|entry| entry.name == name).collect() } else { by_server };
        match matches[..] {
            [entry] => entry.supervisor.call(&entry.tool.name, &unquoted(&arguments["arguments"])).await,
            [] => {
                let place = server.map(|server| format!(" on server {server:?}")).unwrap_or_default();
                Reply::failure(format!("there is no MCP tool {name:?}{place}; see {LIST_TOOLS}"))
            }
            _ => {
                let servers: Vec<_> = matches.iter().map(|entry| entry.supervisor.name()).collect();
                let servers = servers.join(", ");
                Reply::failure(format!("several MCP servers have a tool {name:?}, so say which: {servers}"))
            }
        }
    }
}

#[async_trait]
impl Source for McpClient {
    /// Every tool and the selectors, or the selectors alone when there are many tools. The order is stable.
    fn definitions(&self) -> Vec<Definition> {
        let mut entries = self.catalogue();
        if entries.len() as u64 > self.direct_tools {
            entries.clear();
        }
        let definition = |Entry { name, tool, .. }: Entry| Definition {
            name,
            description: tool.description.clone(),
            schema: tool.schema.clone(),
        };
        entries.into_iter().map(definition).chain(self.selectors.iter().cloned()).collect()
    }

    async fn call(&self, name: &str, arguments: &Value) -> Option<Reply> {
        if self.selectors.iter().any(|selector| selector.name == name) {
            return Some(match arguments {
                Value::Object(_) if name == LIST_TOOLS => self.list_tools(arguments),
                Value::Object(_) => self.call_tool(arguments).await,
                _ => Reply::failure("the arguments must be a JSON object"),
            });
        }
        let entry = self.catalogue().into_iter().find(|entry| entry.name == name)?;
        Some(entry.supervisor.call(&entry.tool.name, arguments).await)
    }
}

fn selectors() -> [Definition; 2] {
    let list = Definition {
        name: LIST_TOOLS.to_owned(),
        description: "Lists the tools of the connected MCP servers with their descriptions and input schemas. \
                      Use it to find a tool for mcp_call_tool."
            .to_owned(),
        schema: json!({"type": "object", "properties": {
            "search": {
                "type": "string",
                "description": "Words that must all appear in the name or description of a tool."
            },
            "server": {"type": "string", "description": "List the tools of this server alone."}
        }}),
    };
    let call = Definition {
        name: CALL_TOOL.to_owned(),
        description: "Calls a tool of an MCP server, as listed by mcp_list_tools.".to_owned(),
        schema: json!({"type": "object", "properties": {
            "name": {"type": "string", "description": "The name of the tool."},
            "server": {
                "type": "string",
                "description": "The server of the tool; needed when several servers have a tool of that name."
            },
            "arguments": {"type": "object", "description": "The arguments, after the tool's input schema."}
        }, "required": ["name"]}),
    };
    [list, call]
}

/// An argument that is a text and not blank.
fn given<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    arguments[name].as_str().filter(|text| !text.trim().is_empty())
}

/// Returns the object in a string that holds one: some models write nested arguments so.
fn unquoted(arguments: &Value) -> Value {
    let text = arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
    text.unwrap_or_else(|| arguments.clone())
}
