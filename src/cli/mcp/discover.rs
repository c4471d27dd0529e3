//! `adl mcp discover`

use std::path::PathBuf;

use serde::Serialize;

use super::super::env::shortened;
use super::super::format::AnswerFormat;
use super::super::{Printer, Status, failure};
use super::{ServerRow, below_home, refuse, server_row, transport};
use crate::diagnostics::Sources;
use crate::ops::{AgentScope, DiscoverOptions, Discovered, EntryProblem, FileProblem, FoundServer, discover};

/// List the MCP servers in the files of coding agents
///
/// Reports what only one agent understands, such as fields of its own, and
/// different definitions with the same name. Changes no file.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl mcp discover\n  adl mcp discover --agent claude-code --agent codex --scope user\n  adl mcp discover --project ../shop --format json\n"
)]
pub(super) struct Arguments {
    /// Only files of this coding agent; can be repeated (`adl mcp agents` lists them)
    #[arg(long = "agent", value_name = "AGENT")]
    agents: Vec<String>,
    /// Only servers of this scope
    #[arg(long, value_enum, value_name = "SCOPE")]
    scope: Option<ScopeArgument>,
    /// The folder of the project
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    project: PathBuf,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = AnswerFormat::Text)]
    format: AnswerFormat,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ScopeArgument {
    /// Servers of the user, in all projects
    User,
    /// Servers of everybody who works on the project
    Project,
    /// Servers of the user, in this project
    Local,
}

/// The version of the format.
const VERSION: u32 = 1;

/// Longest name that the table shows whole, in characters.
const SHOWN: usize = 64;

/// The servers as JSON. Fields may be added within a version, but none is changed or removed.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    servers: Vec<Row<'a>>,
    conflicts: Vec<ConflictRow<'a>>,
    problems: Vec<ProblemRow<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    name: &'a str,
    agent: &'a str,
    scope: AgentScope,
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    /// Null for an entry that the agent cannot use.
    enabled: Option<bool>,
    #[serde(flatten)]
    server: ServerRow<'a>,
    fingerprint: Option<&'a str>,
    problems: &'a [EntryProblem],
}

#[derive(Serialize)]
struct ConflictRow<'a> {
    name: &'a str,
    fingerprints: &'a [String],
}

#[derive(Serialize)]
struct ProblemRow<'a> {
    agent: &'a str,
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    problem: &'a str,
}

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    let Arguments { agents, scope, project, format } = arguments;
    let scope = scope.map(|scope| match scope {
        ScopeArgument::User => AgentScope::User,
        ScopeArgument::Project => AgentScope::Project,
        ScopeArgument::Local => AgentScope::Local,
    });
    let found = match discover(&DiscoverOptions { agents, scope, project: Some(project) }) {
        Ok(found) => found,
        Err(error) => return refuse(&error, printer),
    };
    match format {
        AnswerFormat::Text => text(&found, printer),
        AnswerFormat::Json => printer.json(&document(&found)),
    }
    for problem in &found.problems {
        printer.findings(&[failure::unreadable_agent_file(problem)], &Sources::new());
    }
    if found.problems.is_empty() { Status::Done } else { Status::Refused }
}

fn text(found: &Discovered, printer: &mut Printer) {
    if found.servers.is_empty() {
        printer.data("no MCP servers found");
        return;
    }
    let header = ["SERVER", "AGENT", "SCOPE", "TRANSPORT", "STATE", "FILE"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(header).chain(found.servers.iter().map(cells)).collect();
    printer.table(&rows);
    let mut is_first = true;
    for server in &found.servers {
        for EntryProblem { field, problem } in &server.native.problems {
            if std::mem::take(&mut is_first) {
                printer.data("\nNot portable to other agents:");
            }
            let field = if field.is_empty() { String::new() } else { format!("`{}` ", shortened(field, SHOWN)) };
            let name = shortened(&server.name, SHOWN);
            printer.data(&format!("  {name} ({}, {}): {field}{problem}", server.agent.id, server.scope));
        }
    }
    if !found.conflicts.is_empty() {
        printer.data("\nDifferent definitions with the same name:");
        for conflict in &found.conflicts {
            let same =
                found.servers.iter().filter(|server| server.name == conflict.name && server.fingerprint.is_some());
            let places: Vec<_> = same.map(|server| format!("{} ({})", server.agent.id, server.scope)).collect();
            printer.data(&format!("  {}: {}", shortened(&conflict.name, SHOWN), places.join(", ")));
        }
    }
}

fn cells(server: &FoundServer) -> [String; 6] {
    let definition = server.native.server.as_ref();
    let transport = definition.map_or("-", |server| transport(&server.connection));
    let state = match (definition.map(|server| server.enabled), server.native.switch) {
        (Some(true), _) => "enabled",
        (Some(false), _) => "disabled",
        (None, Some(true)) => "switched on",
        (None, Some(false)) => "switched off",
        (None, None) => "not portable",
    };
    let line = server.place.map(|(line, _)| format!(":{line}")).unwrap_or_default();
    [
        shortened(&server.name, SHOWN),
        server.agent.id.to_owned(),
        server.scope.to_string(),
        transport.to_owned(),
        state.to_owned(),
        format!("{}{line}", below_home(&server.file)),
    ]
}

fn document(found: &Discovered) -> Document<'_> {
    let conflicts = found.conflicts.iter();
    Document {
        version: VERSION,
        servers: found.servers.iter().map(row).collect(),
        conflicts: conflicts.map(|one| ConflictRow { name: &one.name, fingerprints: &one.fingerprints }).collect(),
        problems: found.problems.iter().map(problem_row).collect(),
    }
}

fn problem_row(problem: &FileProblem) -> ProblemRow<'_> {
    ProblemRow {
        agent: problem.agent.id,
        file: problem.file.display().to_string(),
        line: problem.place.map(|(line, _)| line),
        column: problem.place.map(|(_, column)| column),
        problem: &problem.problem,
    }
}

fn row(server: &FoundServer) -> Row<'_> {
    let definition = server.native.server.as_ref();
    Row {
        name: &server.name,
        agent: server.agent.id,
        scope: server.scope,
        file: server.file.display().to_string(),
        line: server.place.map(|(line, _)| line),
        column: server.place.map(|(_, column)| column),
        enabled: definition.map(|server| server.enabled).or(server.native.switch),
        server: server_row(definition.map(|server| &server.connection)),
        fingerprint: server.fingerprint.as_deref(),
        problems: &server.native.problems,
    }
}
