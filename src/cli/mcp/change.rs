//! `adl mcp add`, `adopt`, `remove`, `enable`, `disable`, `move` and `sync`

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::super::format::AnswerFormat;
use super::super::{Printer, Status, failure};
use super::below_home;
use crate::diagnostics::{Code, Diagnostic, Sources};
use crate::host;
use crate::ops::{
    AgentScope, ChangeOptions, ChangePlan, McpError, Operation, PlanStep, StepAction, coding_agent, confirm_change,
    plan_change,
};

/// Add a server to a registry and to the coding agents
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  adl mcp add docs -- npx -y @example/docs-mcp\n  adl mcp add search --url https://search.example.com/mcp --bearer SEARCH_TOKEN\n"
)]
pub(super) struct AddArguments {
    /// Name of the server
    name: String,
    /// The program and its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "url", conflicts_with = "url")]
    command: Vec<String>,
    /// The URL of a server that is reached over HTTP
    #[arg(long)]
    url: Option<String>,
    /// An environment variable of the program, taken from your environment
    #[arg(long, value_name = "VARIABLE", conflicts_with = "url")]
    env: Vec<String>,
    /// The environment variable with the token of the `Authorization` header
    #[arg(long, value_name = "VARIABLE", requires = "url")]
    bearer: Option<String>,
    /// A coding agent that gets the server; may be repeated [default: all that are installed]
    #[arg(long, value_name = "AGENT")]
    target: Vec<String>,
    #[command(flatten)]
    common: Common<OneScope>,
}

/// Change one server
#[derive(Debug, clap::Args)]
pub(super) struct NameArguments {
    /// Name of the server
    name: String,
    #[command(flatten)]
    common: Common<OneScope>,
}

/// Write the servers of the registries to the coding agents
///
/// Entries that somebody else wrote or edited are never replaced without
/// `--overwrite`. If one agent cannot get a server exactly as it is defined,
/// nothing is written.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  adl mcp sync --dry-run\n  adl mcp sync --scope user\n")]
pub(super) struct SyncArguments {
    /// Which servers
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t = SyncScope::Effective)]
    scope: SyncScope,
    #[command(flatten)]
    common: Common<NoScope>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum SyncScope {
    /// Those of the user
    User,
    /// Those of the project
    Project,
    /// Both
    Effective,
}

/// The registry that a command changes.
#[derive(Debug, clap::Args)]
struct OneScope {
    /// The registry: of the user, or of the project
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t = RegistryScope::Project)]
    scope: RegistryScope,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum RegistryScope {
    /// ~/.adl/mcp/user.json
    User,
    /// .adl/mcp.json
    Project,
}

#[derive(Debug, clap::Args)]
struct NoScope {}

/// Move a server to the other registry
///
/// The server is the user's afterwards, or the project's; the coding agents
/// get it there, and lose it where it was.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  adl mcp move docs --to project --dry-run\n")]
pub(super) struct MoveArguments {
    /// Name of the server
    name: String,
    #[command(flatten)]
    common: Common<ToScope>,
}

/// Add the server of a coding agent to a registry
///
/// Nothing else changes until the next `adl mcp sync`.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  adl mcp adopt codex docs --to user --dry-run\n")]
pub(super) struct AdoptArguments {
    /// The coding agent that has the server
    agent: String,
    /// Name of the server
    name: String,
    /// For whom the agent has the server
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t = RegistryScope::User)]
    from: RegistryScope,
    #[command(flatten)]
    common: Common<ToScope>,
}

/// The registry that gets a server.
#[derive(Debug, clap::Args)]
struct ToScope {
    /// The registry: of the user, or of the project
    #[arg(long, value_enum, value_name = "SCOPE")]
    to: RegistryScope,
}

/// What all commands have.
#[derive(Debug, clap::Args)]
struct Common<S: clap::Args> {
    #[command(flatten)]
    scope: S,
    /// The folder of the project
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    project: PathBuf,
    /// Replace entries that somebody else wrote or edited
    #[arg(long)]
    overwrite: bool,
    /// Print the plan and its token, and write nothing
    #[arg(long, conflicts_with = "confirm")]
    dry_run: bool,
    /// Write what the plan with this token says
    #[arg(long, value_name = "TOKEN")]
    confirm: Option<String>,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = AnswerFormat::Text)]
    format: AnswerFormat,
}

/// The version of the format.
const VERSION: u32 = 1;

/// A plan as JSON. Fields may be added within a version, but none is changed or removed.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    /// For `--confirm`.
    token: &'a str,
    /// Whether the plan was carried out.
    applied: bool,
    /// For `adl mcp recover`; null if nothing was written.
    backup: Option<&'a str>,
    /// The registries that change.
    registries: Vec<String>,
    steps: Vec<StepRow<'a>>,
    attention: Vec<AttentionRow<'a>>,
}

#[derive(Serialize)]
struct StepRow<'a> {
    server: &'a str,
    agent: &'a str,
    scope: AgentScope,
    action: &'a str,
    file: Option<String>,
    reasons: &'a [String],
}

#[derive(Serialize)]
struct AttentionRow<'a> {
    agent: &'a str,
    action: &'a str,
}

pub(super) fn add(arguments: AddArguments, printer: &mut Printer) -> Status {
    let AddArguments { name, command, url, env, bearer, target, common } = arguments;
    let mut entry = Map::new();
    let mut put = |key: &str, value: Value| drop(entry.insert(key.to_owned(), value));
    if let Some(url) = url {
        put("transport", json!("http"));
        put("url", json!(url));
        if let Some(variable) = bearer {
            put("headers", json!({"Authorization": {"fromEnv": variable, "scheme": "Bearer"}}));
        }
    } else {
        let mut words = command.into_iter();
        put("transport", json!("stdio"));
        put("command", json!(words.next()));
        put("args", json!(words.collect::<Vec<_>>()));
        let settings: Map<_, _> = env.into_iter().map(|name| (name.clone(), json!({"fromEnv": name}))).collect();
        put("environment", Value::Object(settings));
    }
    put("enabled", json!(true));
    if !target.is_empty() {
        put("targets", json!(target));
    }
    entry.retain(|_, value| value.as_array().is_none_or(|items| !items.is_empty()) && *value != json!({}));
    run_one(Operation::Add { name, entry }, common, printer)
}

pub(super) fn remove(arguments: NameArguments, printer: &mut Printer) -> Status {
    run_one(Operation::Remove { name: arguments.name }, arguments.common, printer)
}

pub(super) fn switch(arguments: NameArguments, enabled: bool, printer: &mut Printer) -> Status {
    run_one(Operation::Switch { name: arguments.name, enabled }, arguments.common, printer)
}

pub(super) fn sync(arguments: SyncArguments, printer: &mut Printer) -> Status {
    let scope = match arguments.scope {
        SyncScope::User => Some(AgentScope::User),
        SyncScope::Project => Some(AgentScope::Project),
        SyncScope::Effective => None,
    };
    run(Operation::Sync, scope, arguments.common, printer)
}

pub(super) fn r#move(arguments: MoveArguments, printer: &mut Printer) -> Status {
    let to = arguments.common.scope.to.scope();
    run(Operation::Move { name: arguments.name }, Some(to), arguments.common, printer)
}

pub(super) fn adopt(arguments: AdoptArguments, printer: &mut Printer) -> Status {
    let AdoptArguments { agent, name, from, common } = arguments;
    let agent = match coding_agent(&agent) {
        Ok(agent) => agent,
        Err(error) => return refuse(&error, printer),
    };
    let to = common.scope.to.scope();
    run(Operation::Adopt { agent, name, from: from.scope() }, Some(to), common, printer)
}

impl RegistryScope {
    fn scope(self) -> AgentScope {
        match self {
            Self::User => AgentScope::User,
            Self::Project => AgentScope::Project,
        }
    }
}

fn run_one(operation: Operation, common: Common<OneScope>, printer: &mut Printer) -> Status {
    run(operation, Some(common.scope.scope.scope()), common, printer)
}

fn run<S: clap::Args>(
    operation: Operation,
    scope: Option<AgentScope>,
    common: Common<S>,
    printer: &mut Printer,
) -> Status {
    let Common { project, overwrite, dry_run, confirm, format, .. } = common;
    let options = ChangeOptions { operation, scope, project: Some(project), overwrite };
    if let Some(token) = confirm {
        return write(&options, &token, format, printer);
    }
    let plan = match plan_change(&options, &|_| ()) {
        Ok(plan) => plan,
        Err(error) => return refuse(&error, printer),
    };
    let is_asked = !dry_run && host::is_interactive();
    show(&plan, if is_asked { Stage::Asked } else { Stage::Planned }, format, printer);
    if plan.is_blocked() {
        return blocked(&plan, printer);
    }
    if dry_run || plan.is_empty() {
        return Status::Done;
    }
    if !is_asked {
        let headline = "nothing was written, because nobody confirmed the plan";
        let help = format!("run the command again with `--confirm {}`", plan.token);
        printer.findings(&[Diagnostic::without_place(Code::PlanChanged, headline).help(help)], &Sources::new());
        return Status::Refused;
    }
    printer.transient("Write these changes? [y/N] ");
    printer.flush();
    if ["y", "Y", "yes"].contains(&host::read_line().trim()) {
        return write(&options, &plan.token, format, printer);
    }
    printer.progress("Nothing was written");
    Status::Refused
}

fn write(options: &ChangeOptions, token: &str, format: AnswerFormat, printer: &mut Printer) -> Status {
    let events = std::cell::RefCell::new(Vec::new());
    let result = confirm_change(options, token, &|event| events.borrow_mut().push(event.clone()));
    events.into_inner().iter().for_each(|event| printer.event(event));
    match result {
        Ok((plan, backup)) => {
            show(&plan, Stage::Written(backup.as_deref()), format, printer);
            if plan.attention.is_empty() { Status::Done } else { Status::Attention }
        }
        Err(McpError::PlanChanged { plan }) if plan.is_blocked() => blocked(&plan, printer),
        Err(error @ McpError::PlanChanged { .. }) => {
            refuse(&error, printer);
            Status::Blocked
        }
        Err(error) => refuse(&error, printer),
    }
}

/// Reports why nothing was planned or written.
pub(super) fn refuse(error: &McpError, printer: &mut Printer) -> Status {
    let findings = if let McpError::InvalidRegistry { faults } = error {
        faults.iter().map(failure::invalid_registry).collect()
    } else {
        vec![failure::mcp_failed(error)]
    };
    printer.findings(&findings, &Sources::new());
    Status::Refused
}

fn blocked(plan: &ChangePlan, printer: &mut Printer) -> Status {
    let findings: Vec<_> = plan.steps.iter().filter_map(finding).collect();
    printer.findings(&findings, &Sources::new());
    Status::Blocked
}

fn finding(step: &PlanStep) -> Option<Diagnostic> {
    let reasons = step.action.reasons();
    let headline = format!("{} cannot get the server `{}`", step.agent.title, step.server);
    let place = step.file.as_deref().map(|file| format!(" in `{}`", below_home(file))).unwrap_or_default();
    let notes = reasons.iter().map(|reason| format!("the entry{place} {reason}"));
    let diagnostic = notes.fold(Diagnostic::without_place(Code::EntryBlocked, headline), Diagnostic::note);
    let help = "nothing was written for any agent; change the server, or its `targets` in the registry";
    (!reasons.is_empty()).then(|| diagnostic.help(help))
}

/// What became of a plan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage<'a> {
    /// It waits for `--confirm`.
    Planned,
    /// It waits for the answer to a question.
    Asked,
    /// It was carried out, with a backup of this name if there was something to write.
    Written(Option<&'a str>),
}

/// Prints a plan.
fn show(plan: &ChangePlan, stage: Stage<'_>, format: AnswerFormat, printer: &mut Printer) {
    if format == AnswerFormat::Json {
        let (applied, backup) = match stage {
            Stage::Written(backup) => (true, backup),
            Stage::Planned | Stage::Asked => (false, None),
        };
        printer.json(&Document {
            version: VERSION,
            token: &plan.token,
            applied,
            backup,
            registries: plan.registries.iter().map(|file| file.display().to_string()).collect(),
            steps: plan.steps.iter().map(row).collect(),
            attention: plan
                .attention
                .iter()
                .map(|attention| AttentionRow { agent: attention.agent.id, action: attention.action })
                .collect(),
        });
        return;
    }
    if !plan.steps.is_empty() {
        let header = ["SERVER", "AGENT", "SCOPE", "ACTION", "FILE"].map(str::to_owned);
        let rows: Vec<_> = std::iter::once(header).chain(plan.steps.iter().map(cells)).collect();
        printer.table(&rows);
    }
    for file in &plan.registries {
        printer.data(&format!("registry: {}", below_home(file)));
    }
    match stage {
        _ if plan.is_blocked() => {}
        _ if plan.is_empty() => printer.data("nothing to change"),
        Stage::Written(Some(backup)) => printer.data(&format!("written; `adl mcp recover {backup}` undoes it")),
        Stage::Written(None) | Stage::Asked => {}
        Stage::Planned => printer.data(&format!("token: {}", plan.token)),
    }
    for attention in &plan.attention {
        printer.data(&format!("{}: {}", attention.agent.title, attention.action));
    }
}

fn row(step: &PlanStep) -> StepRow<'_> {
    let reasons = step.action.reasons();
    let file = step.file.as_deref().map(|file| file.display().to_string());
    let action = action(&step.action);
    StepRow { server: &step.server, agent: step.agent.id, scope: step.scope, action, file, reasons }
}

fn cells(step: &PlanStep) -> [String; 5] {
    [
        step.server.clone(),
        step.agent.id.to_owned(),
        step.scope.to_string(),
        action(&step.action).to_owned(),
        step.file.as_deref().map_or_else(|| "-".to_owned(), below_home),
    ]
}

fn action(action: &StepAction) -> &'static str {
    match action {
        StepAction::Add => "add",
        StepAction::Update => "update",
        StepAction::Remove => "remove",
        StepAction::Keep => "keep",
        StepAction::Unsupported(_) => "unsupported",
        StepAction::Drift(_) => "drift",
    }
}
