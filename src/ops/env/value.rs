//! Checks the values of variables with the rules that the agent applies when it starts.

use super::settings::{Setting, Settings, truth};
use crate::diagnostics::{Code, Diagnostic};
use crate::manifest::duration;
use crate::mcp;
use crate::project::{Kind, Project, Variable};

/// Why a value is invalid, and what to write instead.
struct Invalid {
    code: Code,
    /// The predicate of the headline, such as `must be an integer`.
    is: String,
    help: String,
}

impl Invalid {
    fn new(code: Code, is: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code, is: is.into(), help: help.into() }
    }
}

/// Checks one variable. URLs and headers of MCP servers are only checked if MCP is enabled.
pub(super) fn check(setting: &Setting, variable: &Variable, text: &str, mcp_is_off: bool) -> Option<Diagnostic> {
    let is_of_servers = matches!(variable.kind, Kind::List | Kind::Pairs) || variable.name == "A2A_MCP_ENDPOINT";
    if mcp_is_off && is_of_servers {
        return None;
    }
    let found = check_kind(variable.kind, text).or_else(|| check_name(&variable.name, text))?;
    let finding = setting.finding(found.code, format!("`{}` {}", variable.name, found.is));
    Some(finding.note("the agent does not start with this value").help(found.help))
}

fn check_kind(kind: Kind, text: &str) -> Option<Invalid> {
    let trimmed = text.trim();
    let is_empty = trimmed.is_empty();
    let (is, help) = match kind {
        Kind::Boolean if truth(trimmed).is_none() => ("must be `true` or `false`", "write `true` or `false`"),
        Kind::Integer if !trimmed.parse::<i64>().is_ok_and(|number| number >= 0) => {
            ("must be a non-negative integer", "use only digits")
        }
        Kind::OptionalInteger if !is_empty && trimmed.parse::<i64>().is_err() => {
            ("must be an integer", "use only digits, or leave it empty")
        }
        Kind::OptionalNumber if !is_empty && trimmed.parse::<f64>().is_err() => {
            ("must be a number", "write a number such as `0.7`, or leave it empty")
        }
        Kind::Duration => return check_duration(trimmed),
        Kind::Pairs => return check_headers(text),
        Kind::List => return check_urls(text),
        Kind::Boolean | Kind::Integer | Kind::OptionalInteger | Kind::OptionalNumber | Kind::Text => return None,
    };
    Some(Invalid::new(Code::WrongVariableType, is, help))
}

fn check_duration(text: &str) -> Option<Invalid> {
    let (is, help) = match duration::parse(text) {
        Ok(duration) if duration.0 > 0 => return None,
        Ok(_) => ("must be positive".to_owned(), "write a longer duration, such as `30s`".to_owned()),
        Err(error) => {
            let meant = duration::suggestion(text).map(|meant| format!("write `{meant}`"));
            (
                format!("is not a valid duration: {error}"),
                meant.unwrap_or_else(|| "write a duration such as `500ms`, `30s` or `1h30m`".to_owned()),
            )
        }
    };
    Some(Invalid::new(Code::InvalidVariableDuration, is, help))
}

/// `Name=value` pairs. Messages do not contain values, because they are secrets.
fn check_headers(text: &str) -> Option<Invalid> {
    let is_token = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
    };
    let invalid = |is, help| Invalid::new(Code::WrongVariableType, is, help);
    let mut names = Vec::new();
    for (index, pair) in text.split(',').enumerate().filter(|(_, pair)| !pair.trim().is_empty()) {
        let name = pair.split_once('=').map(|(name, _)| name.trim()).filter(|name| is_token(name));
        let Some(name) = name.map(str::to_ascii_lowercase) else {
            let is = format!("is invalid: entry {} is not `Name=value`", index + 1);
            return Some(invalid(is, "write `Name=value` pairs, separated by commas"));
        };
        if names.contains(&name) {
            return Some(invalid(format!("contains the header `{name}` twice"), "keep one of them"));
        }
        names.push(name);
    }
    None
}

/// URLs of MCP servers. Messages name an invalid one by its position, because it may contain a secret.
fn check_urls(text: &str) -> Option<Invalid> {
    let mut entries = text.split(',').map(str::trim).enumerate().filter(|(_, entry)| !entry.is_empty());
    entries.find_map(|(index, entry)| {
        let fault = mcp::check_url(entry).err()?;
        let is = format!("is invalid: entry {} is not a valid URL: {fault}", index + 1);
        let help = "write URLs such as `https://tools.example.com`, separated by commas";
        Some(Invalid::new(Code::InvalidVariableUrl, is, help))
    })
}

/// Additional constraints of individual variables.
fn check_name(name: &str, text: &str) -> Option<Invalid> {
    let trimmed = text.trim();
    let out_of_range = |is, help| Some(Invalid::new(Code::VariableOutOfRange, is, help));
    match name {
        "A2A_SERVER_PORT" if trimmed.parse::<u16>().is_err() => {
            out_of_range("is greater than 65535", "write a port from 1 to 65535, or 0 for any free port")
        }
        "A2A_AGENT_CLIENT_MAX_TOKENS" if trimmed.parse::<i64>().is_ok_and(|tokens| tokens < 1) => {
            out_of_range("is less than 1", "write a number of 1 or more, or leave it empty")
        }
        "A2A_AGENT_CLIENT_MAX_CHAT_COMPLETION_ITERATIONS" if trimmed.parse() == Ok(0) => {
            out_of_range("is less than 1", "write a number of 1 or more")
        }
        "A2A_AGENT_CLIENT_TEMPERATURE" if trimmed.parse::<f64>().is_ok_and(|value| !(0.0..=2.0).contains(&value)) => {
            out_of_range("is not between 0 and 2", "write a number from 0 to 2, or leave it empty")
        }
        "A2A_AGENT_CLIENT_BASE_URL" if !text.is_empty() => check_base_url(text, false),
        "A2A_AGENT_URL" if !text.is_empty() => check_base_url(text, true),
        "A2A_MCP_ENDPOINT" => {
            let fault = mcp::normalise_endpoint(text).err()?;
            Some(Invalid::new(
                Code::InvalidVariableUrl,
                format!("is not a valid path: {fault}"),
                "write a path such as `/mcp`",
            ))
        }
        _ => None,
    }
}

/// An HTTP URL. With `bare`, it must not have a user name, a query or a fragment.
fn check_base_url(text: &str, bare: bool) -> Option<Invalid> {
    let help = "write a URL such as `https://agent.example.com`";
    if let Err(fault) = mcp::check_url(text) {
        return Some(Invalid::new(Code::InvalidVariableUrl, format!("is not a valid URL: {fault}"), help));
    }
    let authority = text.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    if bare && (text.contains(['?', '#']) || authority.contains('@')) {
        return Some(Invalid::new(Code::InvalidVariableUrl, "must not have a user name, a query or a fragment", help));
    }
    None
}

/// Reports a retry interval that exceeds the maximum. A maximum that is not set in the manifest or the file increases
/// automatically.
pub(super) fn retry_above_maximum(project: &Project, settings: &Settings) -> Option<Diagnostic> {
    let mcp = project.mcp.as_ref()?;
    let set = |name| settings.get(name);
    let (interval, maximum) = (set("A2A_MCP_RETRY_INTERVAL"), set("A2A_MCP_RETRY_MAX_INTERVAL"));
    let culprit = interval.or(maximum)?;
    let nanoseconds = |setting: Option<&Setting>, default: &str| {
        let text = setting.map_or(Some(default), |setting| setting.value.as_deref())?;
        duration::parse(text.trim()).ok().map(|duration| duration.0)
    };
    let is_adjusted = maximum.is_none() && !mcp.retry_max_interval_written;
    let above = nanoseconds(interval, &mcp.retry_interval)? > nanoseconds(maximum, &mcp.retry_max_interval)?;
    (above && !is_adjusted).then(|| {
        culprit
            .finding(Code::VariableOutOfRange, "`A2A_MCP_RETRY_INTERVAL` is greater than `A2A_MCP_RETRY_MAX_INTERVAL`")
            .note("the agent does not start with this value")
            .help("reduce it, or increase the maximum")
    })
}

/// Whether the agent treats two values as equal.
pub(super) fn is_same(kind: Kind, one: &str, other: &str) -> bool {
    let numbers = |text: &str| text.trim().parse::<f64>().ok();
    match kind {
        _ if one == other => true,
        Kind::Boolean => truth(one.trim()).is_some() && truth(one.trim()) == truth(other.trim()),
        Kind::Integer | Kind::OptionalInteger | Kind::OptionalNumber => {
            numbers(one).is_some() && numbers(one) == numbers(other)
        }
        Kind::Duration => duration::parse(one.trim()).is_ok_and(|one| duration::parse(other.trim()) == Ok(one)),
        Kind::Text | Kind::List | Kind::Pairs => false,
    }
}
