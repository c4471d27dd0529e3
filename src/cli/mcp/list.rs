//! `adl mcp list`

use std::path::PathBuf;

use serde::Serialize;

use super::super::format::AnswerFormat;
use super::super::{Printer, Status, failure};
use super::{ServerRow, refuse, server_row, transport};
use crate::diagnostics::Sources;
use crate::ops::{AgentScope, EffectiveServer, ListOptions, RegistryFault, list};

/// List the MCP servers in the registries
///
/// The registry of the user is `~/.adl/mcp/user.json` (`ADL_HOME` names
/// another folder than `~/.adl`), that of a project `.adl/mcp.json`. A server
/// of the project replaces a server of the user with the same name.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  adl mcp list\n  adl mcp list --scope user --format json\n")]
pub(super) struct Arguments {
    /// Which servers
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t = ScopeArgument::Effective)]
    scope: ScopeArgument,
    /// The folder of the project
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    project: PathBuf,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = AnswerFormat::Text)]
    format: AnswerFormat,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ScopeArgument {
    /// Those of the user
    User,
    /// Those that the project defines
    Project,
    /// Those of the user and the project together
    Effective,
}

/// The version of the format.
const VERSION: u32 = 1;

/// The list as JSON. Fields may be added within a version, but none is changed or removed.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    servers: Vec<Row<'a>>,
    problems: Vec<ProblemRow<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    name: &'a str,
    scope: AgentScope,
    enabled: bool,
    /// Whether the project only switches the server of the user.
    overridden: bool,
    /// Null for all agents.
    targets: Option<&'a [String]>,
    #[serde(flatten)]
    server: ServerRow<'a>,
}

#[derive(Serialize)]
struct ProblemRow<'a> {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    field: &'a str,
    problem: &'a str,
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    let scope = match arguments.scope {
        ScopeArgument::User => Some(AgentScope::User),
        ScopeArgument::Project => Some(AgentScope::Project),
        ScopeArgument::Effective => None,
    };
    let listed = match list(&ListOptions { scope, project: Some(arguments.project) }) {
        Ok(listed) => listed,
        Err(error) => return refuse(&error, printer),
    };
    match arguments.format {
        AnswerFormat::Text if listed.servers.is_empty() => printer.data("no MCP servers in the registries"),
        AnswerFormat::Text => {
            let header = ["SERVER", "SCOPE", "TRANSPORT", "STATE", "AGENTS"].map(str::to_owned);
            let rows: Vec<_> = std::iter::once(header).chain(listed.servers.iter().map(cells)).collect();
            printer.table(&rows);
        }
        AnswerFormat::Json => {
            let servers = listed.servers.iter().map(row).collect();
            let problems = listed.faults.iter().map(problem_row).collect();
            printer.json(&Document { version: VERSION, servers, problems });
        }
    }
    for fault in &listed.faults {
        printer.findings(&[failure::invalid_registry(fault)], &Sources::new());
    }
    if listed.faults.is_empty() { Status::Done } else { Status::Refused }
}

fn cells(server: &EffectiveServer) -> [String; 5] {
    let state = match (server.server.enabled, server.is_overridden) {
        (true, false) => "enabled",
        (false, false) => "disabled",
        (true, true) => "enabled in the project",
        (false, true) => "disabled in the project",
    };
    [
        server.name.clone(),
        server.scope.to_string(),
        transport(&server.server.connection).to_owned(),
        state.to_owned(),
        server.targets.as_ref().map_or_else(|| "all".to_owned(), |targets| targets.join(", ")),
    ]
}

fn row(server: &EffectiveServer) -> Row<'_> {
    Row {
        name: &server.name,
        scope: server.scope,
        enabled: server.server.enabled,
        overridden: server.is_overridden,
        targets: server.targets.as_deref(),
        server: server_row(Some(&server.server.connection)),
    }
}

fn problem_row(fault: &RegistryFault) -> ProblemRow<'_> {
    ProblemRow {
        file: fault.file.display().to_string(),
        line: fault.place.map(|(line, _)| line),
        column: fault.place.map(|(_, column)| column),
        field: &fault.field,
        problem: &fault.problem,
    }
}
