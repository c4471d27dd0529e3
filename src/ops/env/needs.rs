//! Checks that an environment file sets everything that the agent requires.

use std::ops::Range;

use super::settings::{Setting, Settings};
use crate::diagnostics::{Code, Diagnostic, FileId, Severity, Span};
use crate::dotenv::commented_out;
use crate::project::providers::{self, Provider};
use crate::project::{Connection, Group, McpClient, Project, Variable};

/// Finds missing and empty variables. A finding points at the assignment or its commented-out line, otherwise at the
/// end of the file.
pub(super) fn check(project: &Project, settings: &Settings, text: &str) -> Vec<Diagnostic> {
    let checker = Checker { project, settings, text };
    let mut findings: Vec<_> = project.variables.iter().filter_map(|variable| checker.missing(variable)).collect();
    findings.extend(checker.missing_references());
    findings.extend(checker.missing_key());
    findings
}

struct Checker<'a> {
    project: &'a Project,
    settings: &'a Settings,
    text: &'a str,
}

impl Checker<'_> {
    fn missing(&self, variable: &Variable) -> Option<Diagnostic> {
        let is_empty = self.effective(variable)?.split(',').all(|part| part.trim().is_empty());
        if !is_empty || variable.is_of_process() || !self.is_needed(variable) {
            return None;
        }
        let mut finding = self.finding(variable, "is required").note("the agent does not start without it");
        let is_set = self.settings.get(&variable.name).is_some();
        if is_set && variable.group == Group::Reference && !self.is_in_url(variable) {
            // The agent only requires that it is set.
            finding.severity = Severity::Warning;
            finding.notes = vec!["the agent uses the empty string".to_owned()];
        }
        Some(finding)
    }

    /// A finding about a variable that is not set or empty.
    fn finding(&self, variable: &Variable, why: &str) -> Diagnostic {
        let name = &variable.name;
        let help = format!("set it: {}", variable.text);
        if let Some(setting) = self.settings.get(name) {
            return setting.finding(Code::MissingVariable, format!("`{name}` is empty, but {why}")).help(help);
        }
        let place = commented_out_name(self.text, name).unwrap_or(self.text.len()..self.text.len());
        let headline = format!("`{name}` is not set, but {why}");
        Diagnostic::new(Code::MissingVariable, Span::new(FileId::default(), place), headline)
            .note("it can also be set in the environment of the agent")
            .help(help)
    }

    /// The value that the agent reads according to the file. Returns `None` if it depends on the environment.
    fn effective<'v>(&'v self, variable: &'v Variable) -> Option<&'v str> {
        self.settings
            .get(&variable.name)
            .map_or(Some(&variable.default), |setting| setting.value.as_ref())
            .map(String::as_str)
    }

    /// Whether the agent requires the variable, given this file.
    fn is_needed(&self, variable: &Variable) -> bool {
        match variable.name.as_str() {
            "A2A_AGENT_CLIENT_MODEL" => true,
            "A2A_AGENT_CLIENT_BASE_URL" => self.provider().is_none_or(|provider| provider.address.is_empty()),
            "A2A_SERVER_TLS_CERT_PATH" | "A2A_SERVER_TLS_KEY_PATH" => self.settings.is("A2A_SERVER_TLS_ENABLED", true),
            "A2A_MCP_SERVERS" => self.mcp().is_some_and(|mcp| !has_command(mcp)),
            _ if variable.group == Group::Reference => self.is_referred_to(variable),
            _ => variable.required,
        }
    }

    /// The model provider of the agent. Returns `None` if the provider is unknown.
    fn provider(&self) -> Option<Provider> {
        let written = self.project.model.as_ref().map(|model| &model.provider)?;
        let set = self.settings.get("A2A_AGENT_CLIENT_PROVIDER").map(|setting| setting.value.as_ref());
        providers::find(set.unwrap_or(Some(written))?)
    }

    /// The MCP client, unless the file disables it.
    fn mcp(&self) -> Option<&McpClient> {
        self.project.mcp.as_ref().filter(|_| !self.settings.switches_mcp_off())
    }

    /// Whether a server that the agent connects to refers to the variable. A server with a URL is skipped if
    /// `A2A_MCP_SERVERS` does not list it.
    fn is_referred_to(&self, variable: &Variable) -> bool {
        let Some(mcp) = self.mcp() else { return false };
        let listed = self.settings.get("A2A_MCP_SERVERS").and_then(|setting| setting.value.as_deref());
        let is_used = |name: &str| {
            let server = mcp.servers.iter().find(|server| server.name == name);
            server.is_some_and(|server| match &server.connection {
                Connection::Stdio { .. } => true,
                Connection::Http(remote) | Connection::Sse(remote) => {
                    listed.is_none_or(|listed| listed.split(',').any(|entry| entry.trim() == remote.url.trim()))
                }
            })
        };
        mcp.references.iter().any(|reference| reference.name == variable.name && is_used(&reference.server))
    }

    fn is_in_url(&self, variable: &Variable) -> bool {
        let references = self.project.mcp.iter().flat_map(|mcp| &mcp.references);
        references.filter(|reference| reference.name == variable.name).any(|reference| reference.field == "url")
    }

    /// Findings about variables that values of the file itself refer to.
    fn missing_references(&self) -> impl Iterator<Item = Diagnostic> {
        let is_of_table = |name: &str| {
            let variable = self.project.variables.iter().find(|variable| variable.name == name);
            variable.is_some_and(|variable| variable.is_of_process() || self.is_needed(variable))
        };
        let references = self.settings.references().filter(|_| self.mcp().is_some());
        let missing = references.filter(move |(name, _)| self.settings.get(name).is_none() && !is_of_table(name));
        missing.map(|(name, setting): (&str, &Setting)| {
            let headline = format!("`{}` refers to `{name}`, which is not set", setting.name);
            setting
                .finding(Code::MissingVariable, headline)
                .note("the agent does not start without it")
                .help("set it in this file, or in the environment of the agent")
        })
    }

    /// A finding about a missing API key: the agent starts without it, but the model provider rejects its requests.
    fn missing_key(&self) -> Option<Diagnostic> {
        let provider = self.provider().filter(|provider| !provider.address.starts_with("http://localhost"))?;
        let table = |name: &str| self.project.variables.iter().find(|variable| variable.name == name);
        let own = table(provider.key)?;
        let is_empty = |variable: &Variable| self.effective(variable) == Some("");
        let elsewhere = ["A2A_AGENT_CLIENT_API_KEY", "A2A_AGENT_CLIENT_BASE_URL"].into_iter().filter_map(table);
        if !is_empty(own) || !elsewhere.into_iter().all(is_empty) {
            return None;
        }
        let mut finding = self.finding(own, "the model provider requires a key");
        finding.severity = Severity::Warning;
        Some(finding)
    }
}

fn has_command(mcp: &McpClient) -> bool {
    mcp.servers.iter().any(|server| matches!(server.connection, Connection::Stdio { .. }))
}

/// The range of the name in `# NAME=value`.
fn commented_out_name(text: &str, name: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if commented_out(line) == Some(name) {
            let place = start + line.find(name)?;
            return Some(place..place + name.len());
        }
        start += line.len();
    }
    None
}
