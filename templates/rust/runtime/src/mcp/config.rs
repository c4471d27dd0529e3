//! From variables to MCP servers.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use reqwest::{
    Url,
    header::{HeaderName, HeaderValue},
};
use serde::Deserialize;

use super::address::{Address, normalise_endpoint};
use crate::environment::{Lookup, boolean, duration, format_duration, integer, read, text};

const SERVERS: &str = "A2A_MCP_SERVERS";
const ENDPOINT: &str = "A2A_MCP_ENDPOINT";
const HEADERS: &str = "A2A_MCP_HEADERS";
const RETRY_INTERVAL: &str = "A2A_MCP_RETRY_INTERVAL";
const RETRY_MAX_INTERVAL: &str = "A2A_MCP_RETRY_MAX_INTERVAL";

/// The settings of the MCP client.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub enabled: bool,
    /// The URLs to connect to, separated by commas.
    pub servers: String,
    /// The path that is appended to the URLs.
    pub endpoint: String,
    /// The time after which the tools of a connected server are listed again.
    pub refresh_interval: Duration,
    /// Bounds one attempt to connect, the listing of the tools included, and each later listing.
    pub dial_timeout: Duration,
    /// Bounds one tool call, reconnecting included.
    pub call_timeout: Duration,
    /// The failed retries in a row after which a server is given up; 0 retries for ever.
    pub max_retries: u64,
    /// The pause after the first failed attempt. It doubles up to `retry_max_interval`.
    pub retry_interval: Duration,
    pub retry_max_interval: Duration,
    /// `Header=value` pairs, separated by commas, for the servers that are not in the manifest.
    pub headers: String,
    /// The largest number of tools that are offered one by one.
    pub direct_tools: u64,
}

impl Settings {
    pub fn read(lookup: Lookup, problems: &mut Vec<String>) -> Self {
        Self {
            enabled: read(lookup, "A2A_MCP_ENABLED", boolean, problems),
            servers: read(lookup, SERVERS, text, problems),
            endpoint: read(lookup, ENDPOINT, text, problems),
            refresh_interval: read(lookup, "A2A_MCP_REFRESH_INTERVAL", duration, problems),
            dial_timeout: read(lookup, "A2A_MCP_DIAL_TIMEOUT", duration, problems),
            call_timeout: read(lookup, "A2A_MCP_CALL_TIMEOUT", duration, problems),
            max_retries: read(lookup, "A2A_MCP_MAX_RETRIES", integer, problems),
            retry_interval: read(lookup, RETRY_INTERVAL, duration, problems),
            retry_max_interval: read(lookup, RETRY_MAX_INTERVAL, duration, problems),
            headers: read(lookup, HEADERS, text, problems),
            direct_tools: read(lookup, "A2A_MCP_DIRECT_TOOLS", integer, problems),
        }
    }

    /// Settles the two retry pauses: a longest pause that somebody wrote must hold the first one, a default one rises to it.
    /// `written` says whether the manifest sets the longest pause; the lookup knows no defaults.
    pub fn check(&mut self, lookup: Lookup, written: bool, problems: &mut Vec<String>) {
        if self.retry_interval <= self.retry_max_interval {
            return;
        }
        if written || lookup(RETRY_MAX_INTERVAL).is_some() {
            let [first, longest] = [self.retry_interval, self.retry_max_interval].map(format_duration);
            problems.push(format!("{RETRY_INTERVAL}: {first} is above {RETRY_MAX_INTERVAL}, which is {longest}"));
        } else {
            self.retry_max_interval = self.retry_interval;
        }
    }
}

/// The way in which a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Streamable HTTP.
    Http,
    /// The HTTP transport of 2024.
    Sse,
    /// A command's standard input and output.
    Stdio,
}

impl fmt::Display for Transport {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Self::Http => "http",
            Self::Sse => "sse",
            Self::Stdio => "stdio",
        })
    }
}

/// A server as the manifest declares it. Its texts may refer to environment variables as `${NAME}`.
#[derive(Clone, Debug, Deserialize)]
pub struct DeclaredServer {
    pub name: String,
    pub transport: Transport,
    #[serde(default)]
    pub url: String,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    //adl:if stdio
    #[serde(default)]
    pub command: String,
    #[serde(default)]
    pub args: Vec<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    //adl:end
}

/// A server to connect to. It holds secrets.
#[derive(Clone)]
pub struct ServerConfig {
    pub name: String,
    pub transport: Transport,
    /// Of a command: empty.
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// The values of variables in its texts.
    pub secrets: Vec<String>,
    //adl:if stdio
    pub command: String,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    //adl:end
}

/// Computes the servers to connect to: those of `A2A_MCP_SERVERS`, in that order, then the declared ones that are commands. A url
/// that belongs to a declared server, once both are resolved, keeps the name and headers of that server; any other is named
/// after its host, port and path, so that adding a server never renames another.
///
/// The error is for whoever starts the agent. It names the variable, the server and the field, and holds no secret.
pub fn resolve_servers(
    settings: &Settings,
    declared: &[DeclaredServer],
    transports: &[Transport],
    lookup: Lookup,
) -> Result<Vec<ServerConfig>, String> {
    let warned = Mutex::new(BTreeSet::new());
    let lookup = |name: &str| {
        let value = lookup(name);
        let is_empty = value.as_deref() == Some("");
        if is_empty && warned.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned()) {
            tracing::warn!(variable = name, "a variable that an MCP server needs is empty");
        }
        value
    };
    let endpoint = normalise_endpoint(&settings.endpoint).map_err(|problem| format!("{ENDPOINT}: {problem}"))?;
    let mut secrets = Vec::new();
    let headers = parse_headers(&settings.headers, &lookup, &mut secrets)?;
    let unused = declared.iter().filter(|server| server.transport != Transport::Stdio).collect();
    let mut resolver = Resolver { transports, lookup: &lookup, endpoint, unused, servers: Vec::new() };
    for (index, entry) in settings.servers.split(',').map(str::trim).enumerate() {
        if !entry.is_empty() {
            let is_declared = |name: &str| declared.iter().any(|server| server.name == name);
            resolver.add(entry, &format!("{SERVERS}, entry {}", index + 1), &headers, &secrets, is_declared)?;
        }
    }
    let mut servers = resolver.servers;
    //adl:if stdio
    for server in declared.iter().filter(|server| server.transport == Transport::Stdio) {
        servers.push(resolve_command(server, &lookup)?);
    }
    //adl:end
    if servers.is_empty() {
        return Err(format!("{SERVERS}: MCP is enabled, but there is no server to connect to"));
    }
    Ok(servers)
}

/// Computes the servers that have a url.
struct Resolver<'a> {
    transports: &'a [Transport],
    lookup: Lookup<'a>,
    endpoint: String,
    /// The declared servers that are not among the resolved ones.
    unused: Vec<&'a DeclaredServer>,
    servers: Vec<ServerConfig>,
}

impl Resolver<'_> {
    /// Adds the server of one entry of the variable. The headers and their secrets are for those that are not declared.
    fn add(
        &mut self,
        entry: &str,
        place: &str,
        headers: &[(String, String)],
        secrets: &[String],
        is_declared: impl Fn(&str) -> bool,
    ) -> Result<(), String> {
        // The same text belongs to the declared server whatever its variables are, which makes for the better errors.
        if let Some(index) = self.unused.iter().position(|server| server.url == entry) {
            return self.add_declared(index);
        }
        let mut secrets = secrets.to_vec();
        let url = expand(entry, self.lookup, place, &mut secrets)?;
        let (transport, address) = self.locate(&url, None).map_err(|problem| format!("{place}: {problem}"))?;
        if let Some(index) = self.unused.iter().position(|server| self.resolves_to(server, &address)) {
            return self.add_declared(index);
        }
        let url = address.to_string();
        if self.servers.iter().all(|server| server.url != url) {
            let is_taken = |name: &str| is_declared(name) || self.servers.iter().any(|server| server.name == name);
            let name = address.server_name(&self.endpoint, is_taken);
            self.servers.push(ServerConfig::new(name, transport, url, headers.to_vec(), secrets));
        }
        Ok(())
    }

    fn add_declared(&mut self, index: usize) -> Result<(), String> {
        let server = self.unused.remove(index);
        let mut secrets = Vec::new();
        let place = field(server, "url");
        let url = expand(&server.url, self.lookup, &place, &mut secrets)?;
        let located = self.locate(&url, Some(server.transport));
        let (transport, address) = located.map_err(|problem| format!("{SERVERS}: {place}: {problem}"))?;
        let mut headers = Vec::new();
        for (name, value) in &server.headers {
            let place = field(server, &format!("headers.{name}"));
            headers.push(expand_header(name, value, self.lookup, &place, &mut secrets)?);
        }
        self.servers.push(ServerConfig::new(server.name.clone(), transport, address.to_string(), headers, secrets));
        Ok(())
    }

    /// Whether a declared server has this address. Its variables need not be set: it is not asked for.
    fn resolves_to(&self, server: &DeclaredServer, address: &Address) -> bool {
        let url = expand(&server.url, self.lookup, "", &mut Vec::new());
        let located = url.and_then(|url| self.locate(&url, Some(server.transport)));
        located.is_ok_and(|(_, located)| located == *address)
    }

    /// Decides on the transport and the address of a url.
    fn locate(&self, url: &str, declared: Option<Transport>) -> Result<(Transport, Address), String> {
        let address = Address::parse(url)?;
        let wires = |transport| self.transports.contains(&transport);
        if declared == Some(Transport::Sse) || wires(Transport::Sse) && address.ends_with("/sse") {
            return Ok((Transport::Sse, address));
        }
        if !wires(Transport::Http) {
            let wired: Vec<_> = self.transports.iter().map(Transport::to_string).collect();
            return Err(format!("this agent reaches servers over {} only", wired.join(", ")));
        }
        Ok((Transport::Http, address.join(&self.endpoint)))
    }
}

impl ServerConfig {
    fn new(
        name: String,
        transport: Transport,
        url: String,
        headers: Vec<(String, String)>,
        secrets: Vec<String>,
    ) -> Self {
        Self {
            name,
            transport,
            url,
            headers,
            secrets,
            //adl:if stdio
            command: String::new(),
            args: Vec::new(),
            env: Vec::new(),
            //adl:end
        }
    }

    /// How logs name the place of the server: scheme, host and port, or the command. A path may hold a secret too.
    pub fn address(&self) -> String {
        //adl:if stdio
        if self.transport == Transport::Stdio {
            return self.command.clone();
        }
        //adl:end
        Url::parse(&self.url).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
    }

    /// All that might be secret about the server, except what its address shows.
    pub fn secrets(&self, address: &str) -> Vec<String> {
        let mut secrets = self.secrets.clone();
        for (_, value) in &self.headers {
            secrets.push(value.clone());
            secrets.extend(value.split_whitespace().skip(1).map(str::to_owned)); // the token of "Bearer token"
        }
        //adl:if stdio
        secrets.extend(self.env.iter().map(|(_, value)| value.clone()));
        //adl:end
        if let Ok(url) = Url::parse(&self.url) {
            secrets.extend([url.username(), url.password().unwrap_or_default()].map(str::to_owned));
            let query = url.query().unwrap_or_default();
            secrets.extend(query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value.to_owned()));
            secrets.extend(url.query_pairs().map(|(_, value)| value.into_owned()));
            secrets.extend([query.to_owned(), format!("{}?{query}", url.path())]);
        }
        secrets.retain(|secret| !address.contains(secret.as_str()));
        secrets
    }
}
//adl:if stdio

/// Fills in the texts of a declared server that is a command.
fn resolve_command(server: &DeclaredServer, lookup: Lookup) -> Result<ServerConfig, String> {
    let mut secrets = Vec::new();
    let mut args = Vec::new();
    for (index, argument) in server.args.iter().enumerate() {
        args.push(expand(argument, lookup, &field(server, &format!("args[{index}]")), &mut secrets)?);
    }
    let mut env = Vec::new();
    for (name, value) in &server.env {
        let place = field(server, &format!("env.{name}"));
        env.push(((*name).to_owned(), expand(value, lookup, &place, &mut secrets)?));
    }
    let config = ServerConfig::new(server.name.clone(), server.transport, String::new(), Vec::new(), secrets);
    Ok(ServerConfig { command: server.command.clone(), args, env, ..config })
}
//adl:end

fn field(server: &DeclaredServer, name: &str) -> String {
    format!("MCP server {:?}, field {name}", server.name)
}

/// Fills in each `${NAME}` and notes the values. What is filled in is taken as it is. The error names the variable and the place
/// that needs it.
pub fn expand(text: &str, lookup: Lookup, place: &str, secrets: &mut Vec<String>) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        expanded.push_str(before);
        let end = after.find(|one: char| !one.is_ascii_alphanumeric() && one != '_').unwrap_or(after.len());
        let (name, tail) = after.split_at(end);
        match tail.strip_prefix('}') {
            Some(tail) if name.starts_with(|first: char| !first.is_ascii_digit()) => {
                let value = lookup(name).ok_or_else(|| format!("{name}: not set, but needed by {place}"))?;
                expanded.push_str(&value);
                secrets.push(value);
                rest = tail;
            }
            _ => {
                expanded.push_str("${");
                rest = after;
            }
        }
    }
    Ok(expanded + rest)
}

/// Fills in the value of a header and checks that it can be sent.
fn expand_header(
    name: &str,
    value: &str,
    lookup: Lookup,
    place: &str,
    secrets: &mut Vec<String>,
) -> Result<(String, String), String> {
    let expanded = expand(value, lookup, place, secrets)?;
    if !is_header_name(name) {
        return Err(format!("{place}: the name of the header is invalid"));
    }
    if HeaderValue::from_str(&expanded).is_err() {
        return Err(format!("{place}: the value contains a control character"));
    }
    Ok((name.to_owned(), expanded))
}

/// Reads `Header=value` pairs, separated by commas, and fills in the values afterwards, so that a value which is filled in may
/// hold commas.
pub fn parse_headers(text: &str, lookup: Lookup, secrets: &mut Vec<String>) -> Result<Vec<(String, String)>, String> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for (index, pair) in text.split(',').enumerate().filter(|(_, pair)| !pair.trim().is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = name.trim();
        if !pair.contains('=') || !is_header_name(name) {
            return Err(format!("{HEADERS}: entry {} must be of the form Header=value", index + 1));
        }
        if headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
            return Err(format!("{HEADERS}: header {name} is given twice"));
        }
        let place = format!("{HEADERS}, header {name}");
        headers.push(expand_header(name, value.trim(), lookup, &place, secrets)?);
    }
    Ok(headers)
}

fn is_header_name(name: &str) -> bool {
    HeaderName::from_bytes(name.as_bytes()).is_ok()
}
