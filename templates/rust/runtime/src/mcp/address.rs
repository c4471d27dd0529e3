//! The addresses of MCP servers.

use std::{fmt, net::Ipv6Addr};

use sha2::{Digest, Sha256};

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
        if url.is_empty() {
            return Err("the url is empty");
        }
        if url.contains(is_space_or_control) {
            return Err("the url contains a space or a control character");
        }
        let (scheme, rest) = url.split_once("://").ok_or("must be an http or https url")?;
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "http" && scheme != "https" {
            return Err("must be an http or https url");
        }
        let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (rest, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (user, authority) = match authority.rsplit_once('@') {
            Some((user, authority)) => (format!("{user}@"), authority),
            None => (String::new(), authority),
        };
        if [&user, path, fragment].into_iter().any(has_invalid_escape) {
            return Err("the url has an invalid % escape");
        }
        if user.contains(|one: char| !one.is_ascii_alphanumeric() && !"_-.~!$&'()*+,;=:%@".contains(one)) {
            return Err("the user name in the url is invalid");
        }
        let (host, port) = split_port(authority).ok_or("the host or the port of the url is invalid")?;
        if host.is_empty() {
            return Err("the url has no host");
        }
        if !port.is_empty() && !port.parse::<u16>().is_ok_and(|port| port > 0) {
            return Err("the port of the url is invalid");
        }
        let port = if port == default_port(&scheme) { "" } else { port };
        let (port, host) = (port.to_owned(), host.to_lowercase());
        Ok(Self { scheme, user, host, port, path: escaped(path), query: query.to_owned() })
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
    pub fn server_name(&self, endpoint: &str, is_taken: impl Fn(&str) -> bool) -> String {
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

/// Splits an authority without user into host and port.
fn split_port(authority: &str) -> Option<(&str, &str)> {
    let (host, port) = match authority.find(']') {
        Some(end) if authority.starts_with('[') => authority.split_at(end + 1),
        _ => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let valid = match host.strip_prefix('[') {
        Some(inner) => {
            let inner = inner.strip_suffix(']')?;
            let address =
                inner.split_once("%25").map_or(inner, |(address, zone)| if zone.is_empty() { "" } else { address });
            address.parse::<Ipv6Addr>().is_ok()
        }
        None => !host.contains(['[', ']', '<', '>', '"', '\\', '^', '`', '{', '|', '}', '%', '@']),
    };
    let port = if port.is_empty() { port } else { port.strip_prefix(':')? };
    (valid && port.bytes().all(|byte| byte.is_ascii_digit())).then_some((host, port))
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
