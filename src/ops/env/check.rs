//! `adl env check`: checks an environment file against the needs of the agent that reads it.

use std::collections::BTreeSet;

use super::file::{EnvFile, malformed};
use super::settings::{Setting, Settings};
use super::{EnvError, EnvOptions, load, needs, value};
use crate::diagnostics::{self, Applicability, Code, Diagnostic, Edit, FileId, Span, Suggestion};
use crate::dotenv::Document;
use crate::names;
use crate::ops::policy::Policy;
use crate::ops::validate::Findings;
use crate::project::{Group, Project, every_variable};

/// The result of checking an environment file.
#[derive(Debug)]
pub struct CheckedEnv {
    /// All findings.
    pub findings: Findings,
    /// Codes that the policy allows but that are errors, which cannot be allowed.
    pub not_allowed: BTreeSet<Code>,
}

/// Checks an environment file. An agent accepts its environment if it comes from a file without errors.
pub fn check_env(options: &EnvOptions, policy: &Policy) -> Result<CheckedEnv, EnvError> {
    let project = load(&options.manifest)?;
    let EnvFile { text, sources } = EnvFile::load(&options.file, &project.secrets())?;
    let document = Document::parse(&text);
    let mut diagnostics = malformed(&document);
    if diagnostics.is_empty() {
        let settings = Settings::read(&document);
        for setting in settings.effective.values() {
            diagnostics.extend(check(setting, &project, &settings));
        }
        diagnostics.extend(settings.duplicates.iter().map(|(earlier, later)| duplicate(earlier, later)));
        diagnostics.extend(needs::check(&project, &settings, &text));
        diagnostics.extend(value::retry_above_maximum(&project, &settings));
    }
    diagnostics::sort(&mut diagnostics);
    let not_allowed = policy.apply(&mut diagnostics);
    Ok(CheckedEnv { findings: Findings { sources, diagnostics }, not_allowed })
}

/// Checks one variable.
fn check(setting: &Setting, project: &Project, settings: &Settings) -> Option<Diagnostic> {
    match project.variables.iter().find(|variable| variable.name == setting.name) {
        Some(variable) => {
            let text = setting.value.as_deref()?;
            value::check(setting, variable, text, settings.switches_mcp_off())
        }
        None => unknown(setting, project, settings),
    }
}

/// Reports a variable that the agent does not read, if it starts with `A2A_` or is similar to a missing variable.
fn unknown(setting: &Setting, project: &Project, settings: &Settings) -> Option<Diagnostic> {
    if settings.refers_to(&setting.name) {
        return None;
    }
    let is_own = setting.name.starts_with("A2A_");
    let missing = project.variables.iter().filter(|variable| settings.get(&variable.name).is_none());
    let candidates =
        missing.filter(|variable| is_own || (variable.group == Group::Reference && !variable.is_of_process()));
    let meant = names::closest(&setting.name, candidates.map(|variable| variable.name.as_str()));
    if meant.is_none() && !is_own {
        return None;
    }
    let span = Span::new(FileId::default(), setting.name_place.clone());
    let finding = Diagnostic::new(Code::UnknownVariable, span, format!("the agent does not read `{}`", setting.name));
    let elsewhere = every_variable().iter().find(|variable| variable.name == setting.name);
    Some(match (elsewhere, meant) {
        (Some(variable), _) => finding.help(switch(variable.group)),
        (None, Some(meant)) => finding.help(format!("did you mean `{meant}`?")).suggest(Suggestion {
            text: format!("write `{meant}`"),
            edits: vec![Edit { span, replacement: meant.to_owned() }],
            applicability: Applicability::Review,
        }),
        (None, None) => finding.help("`adl env list` shows the variables that the agent reads"),
    })
}

/// How the manifest enables the variables of a group.
fn switch(group: Group) -> &'static str {
    match group {
        Group::Mcp => "it is only read with `spec.agent.mcp.enabled: true`",
        Group::Model => "it is only read with `spec.agent`",
        Group::Server | Group::Capabilities | Group::Tasks | Group::Reference => {
            "`adl env list` shows the variables that the agent reads"
        }
    }
}

fn duplicate(earlier: &Setting, later: &Setting) -> Diagnostic {
    let span = |setting: &Setting| Span::new(FileId::default(), setting.name_place.clone());
    Diagnostic::new(Code::DuplicateVariable, span(later), format!("`{}` is set twice", later.name))
        .label("this value is used")
        .related(span(earlier), "this value has no effect")
        .help("remove one of them")
}
