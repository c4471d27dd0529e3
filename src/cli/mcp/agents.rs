//! `adl mcp agents`

use serde::Serialize;

use super::super::format::AnswerFormat;
use super::super::{Printer, Status};
use super::{below_home, refuse};
use crate::ops::{FoundAgent, agents};

/// List the supported coding agents
///
/// Shows which are installed, the version that was checked, and where each
/// keeps its MCP servers.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  adl mcp agents\n  adl mcp agents --format json\n")]
pub(super) struct Arguments {
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = AnswerFormat::Text)]
    format: AnswerFormat,
}

/// The version of the format.
const VERSION: u32 = 1;

/// The list as JSON. Fields may be added within a version, but none is changed or removed.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    agents: Vec<Row<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    id: &'a str,
    title: &'a str,
    installed: bool,
    /// The version that was checked; null if only the documentation was.
    checked: Option<&'a str>,
    user_files: Vec<String>,
    /// Below the folder of a project; empty if there is no project scope.
    project_files: Vec<&'a str>,
}

pub(super) fn run(arguments: &Arguments, printer: &mut Printer) -> Status {
    let agents = match agents() {
        Ok(agents) => agents,
        Err(error) => return refuse(&error, printer),
    };
    match arguments.format {
        AnswerFormat::Text => {
            let header = ["AGENT", "INSTALLED", "CHECKED", "USER", "PROJECT"].map(str::to_owned);
            let rows: Vec<_> = std::iter::once(header).chain(agents.iter().map(cells)).collect();
            printer.table(&rows);
        }
        AnswerFormat::Json => {
            let rows = agents.iter().map(|FoundAgent { agent, is_installed, user_files }| Row {
                id: agent.id,
                title: agent.title,
                installed: *is_installed,
                checked: agent.checked,
                user_files: user_files.iter().map(|file| file.display().to_string()).collect(),
                project_files: agent.project.iter().map(|file| file.path).collect(),
            });
            printer.json(&Document { version: VERSION, agents: rows.collect() });
        }
    }
    Status::Done
}

fn cells(FoundAgent { agent, is_installed, user_files }: &FoundAgent) -> [String; 5] {
    let user: Vec<_> = user_files.iter().map(|file| below_home(file)).collect();
    let project: Vec<_> = agent.project.iter().map(|file| file.path).collect();
    let or_none = |text: String| if text.is_empty() { "-".to_owned() } else { text };
    [
        agent.id.to_owned(),
        if *is_installed { "yes" } else { "no" }.to_owned(),
        agent.checked.unwrap_or("-").to_owned(),
        or_none(user.join(", ")),
        or_none(project.join(", ")),
    ]
}
