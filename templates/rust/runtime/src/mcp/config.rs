//! From variables to MCP servers.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    net::Ipv6Addr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use reqwest::{
    Url,
    header::{HeaderName, HeaderValue},
};
use serde::Deserialize;
use sha2::{Digest, Sha256};

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
    let mut resolver = Resolver { declared, transports, lookup: &lookup, endpoint, servers: Vec::new() };
    for (index, entry) in settings.servers.split(',').map(str::trim).enumerate() {
        if !entry.is_empty() {
            resolver.add(entry, &format!("{SERVERS}, entry {}", index + 1), &headers, secrets.clone())?;
        }
    }
    //adl:if stdio
    for server in declared.iter().filter(|server| server.transport == Transport::Stdio) {
        resolver.servers.push(resolve_command(server, &lookup)?);
    }
    //adl:end
    if resolver.servers.is_empty() {
        return Err(format!("{SERVERS}: MCP is enabled, but there is no server to connect to"));
    }
    Ok(resolver.servers)
}

/// Computes the servers that have a url.
struct Resolver<'a> {
    declared: &'a [DeclaredServer],
    transports: &'a [Transport],
    lookup: Lookup<'a>,
    endpoint: String,
    servers: Vec<ServerConfig>,
}

impl<'a> Resolver<'a> {
    /// Adds the server of one entry of the variable. The headers and their secrets are for one that is not declared.
    fn add(
        &mut self,
        entry: &str,
        place: &str,
        headers: &[(String, String)],
        mut secrets: Vec<String>,
    ) -> Result<(), String> {
        // The same text belongs to the declared server whatever its variables are, which makes for the better errors.
        if let Some(server) = self.find(|server| server.url == entry) {
            return self.add_declared(server);
        }
        let url = expand(entry, self.lookup, place, &mut secrets)?;
        let located = self.locate(&url, None).map_err(|problem| format!("{place}: {problem}"))?;
        // The variables of a server that is not asked for need not be set.
        let resolved = |server: &DeclaredServer| {
            let url = expand(&server.url, self.lookup, "", &mut Vec::new()).ok()?;
            self.locate(&url, Some(server.transport)).ok()
        };
        if let Some(server) = self.find(|server| resolved(server).as_ref() == Some(&located)) {
            return self.add_declared(server);
        }
        let (transport, address) = located;
        let url = address.to_string();
        if self.servers.iter().all(|server| server.url != url) {
            let known = self.declared.iter().map(|server| server.name.as_str());
            let mut taken = known.chain(self.servers.iter().map(|server| server.name.as_str()));
            let name = address.server_name(&self.endpoint, |name| taken.any(|other| other == name));
            self.servers.push(ServerConfig::new(name, transport, url, headers.to_vec(), secrets));
        }
        Ok(())
    }

    /// Finds a declared server that has a url and was not added before.
    fn find(&self, fits: impl Fn(&DeclaredServer) -> bool) -> Option<&'a DeclaredServer> {
        let is_new = |server: &DeclaredServer| self.servers.iter().all(|added| added.name != server.name);
        self.declared.iter().find(|server| server.transport != Transport::Stdio && is_new(server) && fits(server))
    }

    fn add_declared(&mut self, server: &DeclaredServer) -> Result<(), String> {
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

    /// Decides on the transport and the address of a url.
    fn locate(&self, url: &str, declared: Option<Transport>) -> Result<(Transport, Address), String> {
        let address = Address::parse(url)?;
        let wires = |transport| self.transports.contains(&transport);
        if declared == Some(Transport::Sse) || wires(Transport::Sse) && address.ends_with("/sse") {
            return Ok((Transport::Sse, address));
        }
        if !wires(Transport::Http) {
            return Err("this agent reaches no servers over streamable HTTP".to_owned());
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
            // It is reached by its URL.
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
            let query = url.query().unwrap_or_default();
            let values = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value);
            secrets.extend(values.chain([url.username(), url.password().unwrap_or_default()]).map(str::to_owned));
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

/// An http or https address in one form: scheme and host in lower case, no default port, no fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    scheme: String,
    /// With the `@` after it, or empty.
    user: String,
    host: String,
    /// Empty: the scheme's own.
    port: String,
    pub path: String,
    /// With its `?`, or empty.
    query: String,
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Self { scheme, user, host, path, query, .. } = self;
        let colon = if self.port.is_empty() { "" } else { ":" };
        write!(formatter, "{scheme}://{user}{host}{colon}{}{path}{query}", self.port)
    }
}

impl Address {
    /// Reads the url of a server. The error does not hold the text, which may be secret.
    pub fn parse(url: &str) -> Result<Self, &'static str> {
        if url.contains(is_space_or_control) {
            return Err("the url contains a space or a control character");
        }
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "http" && scheme != "https" {
            return Err("must be an http or https url");
        }
        let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (rest, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (user, place) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
        if [user, path, fragment].into_iter().any(has_invalid_escape) {
            return Err("the url has an invalid % escape");
        }
        if user.contains(|one: char| !one.is_ascii_alphanumeric() && !"_-.~!$&'()*+,;=:%@".contains(one)) {
            return Err("the user name in the url is invalid");
        }
        let end = if place.starts_with('[') { place.find(']').map(|end| end + 1) } else { place.find(':') };
        let (host, port) = place.split_at(end.unwrap_or(place.len()));
        let is_ipv6 = |text: &str| text.split("%25").next().is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
        let is_host = match host.strip_prefix('[') {
            Some(inner) => inner.strip_suffix(']').is_some_and(is_ipv6),
            None => !host.is_empty() && !host.contains(|one: char| "[]<>\"\\^`{|}%@".contains(one)),
        };
        let port = port.strip_prefix(':').unwrap_or(port);
        let is_port =
            port.bytes().all(|digit| digit.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0);
        if !is_host || !port.is_empty() && !is_port {
            return Err("the host or the port of the url is invalid");
        }
        let port = if port == default_port(&scheme) { "" } else { port };
        let [user, port, query] = [user, port, query].map(str::to_owned);
        Ok(Self { host: host.to_lowercase(), path: escaped(path), scheme, user, port, query })
    }

    /// Appends the endpoint to the path, unless it ends with it already.
    pub fn join(mut self, endpoint: &str) -> Self {
        if !self.ends_with(endpoint) {
            self.path = self.path.trim_end_matches('/').to_owned() + endpoint;
        }
        self
    }

    /// Whether the path ends with the endpoint, not counting slashes at their ends.
    pub fn ends_with(&self, endpoint: &str) -> bool {
        let bare = endpoint.trim_end_matches('/');
        self.path.ends_with(endpoint) || !bare.is_empty() && self.path.trim_end_matches('/').ends_with(bare)
    }

    /// Names the server after host, port and path, without the endpoint. A hash of the url is added where the name does not tell
    /// the url, or is taken.
    pub fn server_name(&self, endpoint: &str, mut is_taken: impl FnMut(&str) -> bool) -> String {
        let path = self.path.trim_end_matches('/');
        let path = path.strip_suffix(endpoint.trim_end_matches('/')).unwrap_or(path);
        let host = self.host.trim_matches(['[', ']']);
        let port = if self.port.is_empty() { default_port(&self.scheme) } else { &self.port };
        let words = format!("{host}:{port}{path}").replace(['.', ':', '/'], "_");
        let plain = words.replace(is_illegal_in_name, "_").trim_matches('_').to_owned();
        let exact = plain == words && self.query.is_empty();
        let name =
            if plain.starts_with(|first: char| first.is_ascii_alphabetic()) { plain } else { format!("mcp_{plain}") };
        if exact && !is_taken(&name) { name } else { format!("{name}_{}", short_hash(&self.to_string())) }
    }
}

/// Returns the endpoint with its leading slash. An empty endpoint is left empty.
pub fn normalise_endpoint(endpoint: &str) -> Result<String, &'static str> {
    if endpoint.contains(is_space_or_control) {
        return Err("must not contain spaces or control characters");
    }
    if endpoint.contains(['?', '#']) {
        return Err("must be a path, without `?` and `#`");
    }
    if has_invalid_escape(endpoint) {
        return Err("has an invalid % escape");
    }
    let slash = if endpoint.is_empty() || endpoint.starts_with('/') { "" } else { "/" };
    Ok(format!("{slash}{endpoint}"))
}

/// Whether models refuse the character in the name of a tool.
pub fn is_illegal_in_name(character: char) -> bool {
    !character.is_ascii_alphanumeric() && character != '_' && character != '-'
}

/// Returns the first four bytes of the SHA-256 of a text, in hexadecimal.
pub fn short_hash(text: &str) -> String {
    Sha256::digest(text).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

fn is_space_or_control(character: char) -> bool {
    character.is_whitespace() || character.is_control()
}

fn has_invalid_escape(text: &str) -> bool {
    let mut parts = text.split('%');
    parts.next();
    parts.any(|part| part.len() < 2 || !part.bytes().take(2).all(|byte| byte.is_ascii_hexdigit()))
}

fn default_port(scheme: &str) -> &'static str {
    if scheme == "https" { "443" } else { "80" }
}

/// Escapes what is not ASCII.
fn escaped(path: &str) -> String {
    let escape = |character: char| match character {
        '!'..='~' => character.to_string(),
        _ => character.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect(),
    };
    path.chars().map(escape).collect()
}
