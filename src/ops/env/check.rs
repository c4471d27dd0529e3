//! `adl env check`: what is wrong with an env file, seen from the agent that will read it.

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

/// An env file that was checked.
#[derive(Debug)]
pub struct CheckedEnv {
    /// What was found.
    pub findings: Findings,
    /// Codes that the policy allows and that were found as errors: those stay.
    pub not_allowed: BTreeSet<Code>,
}

/// Checks an env file. An agent that is started with a file without an error finds nothing wrong with its environment.
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
        diagnostics.extend(settings.twice.iter().map(|(earlier, later)| twice(earlier, later)));
        diagnostics.extend(needs::check(&project, &settings, &text));
        diagnostics.extend(value::retry_above_maximum(&project, &settings));
    }
    diagnostics::sort(&mut diagnostics);
    let not_allowed = policy.apply(&mut diagnostics);
    Ok(CheckedEnv { findings: Findings { sources, diagnostics }, not_allowed })
}

/// What is wrong with one variable.
fn check(setting: &Setting, project: &Project, settings: &Settings) -> Option<Diagnostic> {
    match project.variables.iter().find(|variable| variable.name == setting.name) {
        Some(variable) => {
            let text = setting.value.as_deref()?;
            value::check(setting, variable, text, settings.switches_mcp_off())
        }
        None => unknown(setting, project, settings),
    }
}

/// A variable that the agent does not read: one of its own prefix, or one that is nearly what it lacks.
fn unknown(setting: &Setting, project: &Project, settings: &Settings) -> Option<Diagnostic> {
    if settings.refers_to(&setting.name) {
        return None;
    }
    let is_own = setting.name.starts_with("A2A_");
    let lacking = project.variables.iter().filter(|variable| settings.get(&variable.name).is_none());
    let candidates =
        lacking.filter(|variable| is_own || (variable.group == Group::Reference && !variable.is_of_process()));
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

/// Which field of the manifest makes an agent read the variables of a group.
fn switch(group: Group) -> &'static str {
    match group {
        Group::Mcp => "it is only read with `spec.agent.mcp.enabled: true`",
        Group::Model => "it is only read with `spec.agent`",
        Group::Server | Group::Capabilities | Group::Tasks | Group::Reference => {
            "`adl env list` shows the variables that the agent reads"
        }
    }
}

fn twice(earlier: &Setting, later: &Setting) -> Diagnostic {
    let span = |setting: &Setting| Span::new(FileId::default(), setting.name_place.clone());
    Diagnostic::new(Code::DuplicateVariable, span(later), format!("`{}` is set twice", later.name))
        .label("this value is used")
        .related(span(earlier), "this value has no effect")
        .help("remove one of them")
}
