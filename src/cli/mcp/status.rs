//! `adl mcp status` and `adl mcp verify`

use std::path::PathBuf;

use serde::Serialize;

use super::super::format::AnswerFormat;
use super::super::{Printer, Status};
use super::change::refuse;
use crate::ops::{AgentScope, ChangeOptions, ChangePlan, Operation, PlanStep, StepAction, plan_change};

/// Show which servers each coding agent has
///
/// Compares the files of the agents with the registries. Starts no server.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  adl mcp status\n  adl mcp status --format json\n")]
pub(super) struct Arguments {
    /// The folder of the project
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    project: PathBuf,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = AnswerFormat::Text)]
    format: AnswerFormat,
}

/// The version of the format.
const VERSION: u32 = 1;

/// The servers of the agents as JSON. Fields may be added within a version, but none is changed or removed.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    servers: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    server: &'a str,
    agent: &'a str,
    scope: AgentScope,
    state: &'static str,
    reasons: Vec<&'a str>,
}

pub(super) fn show(arguments: Arguments, printer: &mut Printer) -> Status {
    match print(arguments, printer) {
        Ok(_) => Status::Done,
        Err(status) => status,
    }
}

pub(super) fn verify(arguments: Arguments, printer: &mut Printer) -> Status {
    let plan = match print(arguments, printer) {
        Ok(plan) => plan,
        Err(status) => return status,
    };
    if plan.steps.iter().any(|step| step.action != StepAction::Keep) {
        Status::Blocked
    } else if plan.attention.is_empty() {
        Status::Done
    } else {
        Status::Attention
    }
}

fn print(arguments: Arguments, printer: &mut Printer) -> Result<ChangePlan, Status> {
    let Arguments { project, format } = arguments;
    let options = ChangeOptions { operation: Operation::Sync, scope: None, project: Some(project), overwrite: false };
    let plan = plan_change(&options, &|_| ()).map_err(|error| refuse(&error, printer))?;
    let rows: Vec<_> = plan.steps.iter().map(|step| row(step, &plan)).collect();
    match format {
        AnswerFormat::Json => printer.json(&Document { version: VERSION, servers: rows }),
        AnswerFormat::Text if rows.is_empty() => printer.data("no MCP servers in the registries"),
        AnswerFormat::Text => {
            let header = ["SERVER", "AGENT", "SCOPE", "STATE", "REASON"].map(str::to_owned);
            let lines = rows.iter().map(|row| {
                [row.server, row.agent, &row.scope.to_string(), row.state, &row.reasons.join("; ")].map(str::to_owned)
            });
            printer.table(&std::iter::once(header).chain(lines).collect::<Vec<_>>());
        }
    }
    Ok(plan)
}

fn row<'a>(step: &'a PlanStep, plan: &'a ChangePlan) -> Row<'a> {
    let waits = plan.attention.iter().find(|it| step.scope == AgentScope::Project && it.agent.id == step.agent.id);
    let (state, reason) = match (&step.action, waits) {
        (StepAction::Add, _) => ("drift", Some("is not written yet; `adl mcp sync` writes it")),
        (StepAction::Update, _) => ("drift", Some("is out of date; `adl mcp sync` updates it")),
        (StepAction::Remove, _) => ("drift", Some("is not in the registry any more; `adl mcp sync` removes it")),
        (StepAction::Unsupported(_), _) => ("unsupported", None),
        (StepAction::Drift(_), _) => ("drift", None),
        (StepAction::Keep, _) if !step.is_enabled => ("disabled", None),
        (StepAction::Keep, Some(waits)) => ("pending-trust", Some(waits.action)),
        (StepAction::Keep, None) => ("configured", None),
    };
    let reasons = step.action.reasons().iter().map(String::as_str).chain(reason).collect();
    Row { server: &step.server, agent: step.agent.id, scope: step.scope, state, reasons }
}
