//! `adl env check`: what is wrong with an env file, seen from the agent that will read it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::file::{EnvFile, malformed};
use super::{EnvError, EnvOptions, load, needs, value};
use crate::diagnostics::{self, Applicability, Code, Diagnostic, Edit, FileId, Span, Suggestion};
use crate::dotenv::{Document, Value};
use crate::mcp;
use crate::names;
use crate::ops::policy::Policy;
use crate::ops::secrets::Secrets;
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
    let EnvFile { text, sources } = EnvFile::load(&options.file, &Secrets::of(&project))?;
    let document = Document::parse(&text);
    let mut diagnostics = malformed(&document);
    if diagnostics.is_empty() {
        let settings = Settings::read(&document);
        for setting in settings.effective.values() {
            diagnostics.extend(setting.check(&project, &settings));
        }
        diagnostics.extend(settings.twice.iter().map(|(earlier, later)| twice(earlier, later)));
        diagnostics.extend(needs::check(&project, &settings, &text));
        diagnostics.extend(value::retry_above_maximum(&project, &settings));
    }
    diagnostics::sort(&mut diagnostics);
    let not_allowed = policy.apply(&mut diagnostics);
    Ok(CheckedEnv { findings: Findings { sources, diagnostics }, not_allowed })
}

/// What a file sets.
#[derive(Debug)]
pub(super) struct Settings {
    /// By name; of several of one name the last, which counts.
    effective: BTreeMap<String, Setting>,
    /// Those that a later one of the same name overrides, with that one.
    twice: Vec<(Setting, Setting)>,
}

/// One variable of a file.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub(super) name: String,
    /// Its text; `None`: the environment that reads the file decides.
    pub(super) value: Option<String>,
    name_place: Range<usize>,
    /// Where its value is written, or its name where it has none.
    place: Range<usize>,
}

impl Setting {
    /// A finding about the value.
    pub(super) fn finding(&self, code: Code, headline: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Span::new(FileId::default(), self.place.clone()), headline)
    }

    fn check(&self, project: &Project, settings: &Settings) -> Option<Diagnostic> {
        match project.variables.iter().find(|variable| variable.name == self.name) {
            Some(variable) => {
                let text = self.value.as_deref()?;
                value::check(self, variable, text, settings.switches_mcp_off())
            }
            None => self.unknown(project, settings),
        }
    }

    /// A variable that the agent does not read: one of its own prefix, or one that is nearly what it lacks.
    fn unknown(&self, project: &Project, settings: &Settings) -> Option<Diagnostic> {
        if settings.refers_to(&self.name) {
            return None;
        }
        let is_own = self.name.starts_with("A2A_");
        let lacking = project.variables.iter().filter(|variable| settings.get(&variable.name).is_none());
        let candidates =
            lacking.filter(|variable| is_own || (variable.group == Group::Reference && !variable.is_of_process()));
        let meant = names::closest(&self.name, candidates.map(|variable| variable.name.as_str()));
        if meant.is_none() && !is_own {
            return None;
        }
        let span = Span::new(FileId::default(), self.name_place.clone());
        let finding = Diagnostic::new(Code::UnknownVariable, span, format!("the agent does not read `{}`", self.name));
        let elsewhere = every_variable().iter().find(|variable| variable.name == self.name);
        Some(match (elsewhere, meant) {
            (Some(variable), _) => finding.help(switch(variable.group)),
            (None, Some(meant)) => finding.help(format!("did you mean `{meant}`?")).suggest(Suggestion {
                text: format!("write `{meant}`"),
                edits: vec![Edit { span, replacement: meant.to_owned() }],
                applicability: Applicability::Review,
            }),
            (None, None) => finding.help("`adl env list` shows the variables that it reads"),
        })
    }
}

/// Which field of the manifest makes an agent read the variables of a group.
fn switch(group: Group) -> &'static str {
    match group {
        Group::Mcp => "it is read with `spec.agent.mcp.enabled: true` alone",
        Group::Model => "it is read with a `spec.agent` alone",
        Group::Server | Group::Capabilities | Group::Tasks | Group::Reference => {
            "`adl env list` shows the variables that it reads"
        }
    }
}

impl Settings {
    pub(super) fn read(document: &Document<'_>) -> Self {
        let mut settings = Self { effective: BTreeMap::new(), twice: Vec::new() };
        for variable in document.variables() {
            let value = match document.value(variable) {
                Some(Value::Literal(text)) => Some(text),
                Some(Value::Interpolated) | None => None,
            };
            let place = variable.value.clone().filter(|range| !range.is_empty());
            let setting = Setting {
                name: document.name(variable).to_owned(),
                value,
                name_place: variable.name.clone(),
                place: place.unwrap_or_else(|| variable.name.clone()),
            };
            if let Some(earlier) = settings.effective.insert(setting.name.clone(), setting.clone()) {
                settings.twice.push((earlier, setting));
            }
        }
        settings
    }

    pub(super) fn get(&self, name: &str) -> Option<&Setting> {
        self.effective.get(name)
    }

    /// The variables that the texts of other variables refer to with `${NAME}`, each with the one that does.
    pub(super) fn references(&self) -> impl Iterator<Item = (&str, &Setting)> {
        let referring = ["A2A_MCP_HEADERS", "A2A_MCP_SERVERS"].into_iter().filter_map(|name| self.get(name));
        referring.flat_map(|setting| {
            let text = setting.value.as_deref().unwrap_or_default();
            mcp::references(text).map(move |reference| (reference.name, setting))
        })
    }

    /// Whether the file says that there are no MCP servers; the agent then asks nothing of what is about them alone.
    pub(super) fn switches_mcp_off(&self) -> bool {
        self.is("A2A_MCP_ENABLED", false)
    }

    /// Whether a truth value is set, and to this.
    pub(super) fn is(&self, name: &str, wanted: bool) -> bool {
        let text = self.get(name).and_then(|setting| setting.value.as_deref());
        text.and_then(|text| value::truth(text.trim())) == Some(wanted)
    }

    fn refers_to(&self, name: &str) -> bool {
        self.references().any(|(known, _)| known == name)
    }
}

fn twice(earlier: &Setting, later: &Setting) -> Diagnostic {
    let span = |setting: &Setting| Span::new(FileId::default(), setting.name_place.clone());
    Diagnostic::new(Code::DuplicateVariable, span(later), format!("`{}` is set twice", later.name))
        .label("this one counts")
        .related(span(earlier), "this one has no effect")
        .help("remove one of them")
}
