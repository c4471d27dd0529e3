//! Checks URLs of MCP servers before their `${VAR}` references are resolved.

use super::reference::{references, without_references};

/// Why a text is not a valid URL of a server. Contains no part of the URL except the scheme, because a URL may contain
/// a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlFault {
    /// A space inside the URL. Leading and trailing spaces are allowed.
    #[error("it contains a space")]
    Space,
    /// A line break or another control character.
    #[error("it contains a line break or a control character")]
    ControlCharacter,
    /// A comma, which separates the URLs in `A2A_MCP_SERVERS`.
    #[error("it contains a comma, which separates the URLs in A2A_MCP_SERVERS")]
    Comma,
    /// `http://` or `https://` is missing.
    #[error("it does not start with `http://` or `https://`")]
    NoScheme,
    /// A scheme other than `http` and `https`.
    #[error("unsupported scheme `{scheme}`; use `http` or `https`")]
    Scheme {
        /// The scheme as written.
        scheme: String,
    },
    /// The host is missing.
    #[error("it has no host")]
    NoHost,
    /// The host contains an invalid character.
    #[error("its host contains an invalid character")]
    Host,
    /// The user name or password contains a character that must be percent-encoded.
    #[error("its user name or password contains a character that must be percent-encoded")]
    UserInformation,
    /// The port is not an integer from 1 to 65535.
    #[error("its port is not between 1 and 65535")]
    Port,
    /// A `%` that is not followed by two hexadecimal digits.
    #[error("it contains a `%` that is not followed by two hexadecimal digits")]
    Escape,
}

/// Checks the URL of an `http` or `sse` server as written. Leading and trailing spaces are allowed, and `${VAR}` may
/// replace any part.
///
/// # Errors
/// Returns the reason why an agent could not use the URL.
pub fn check_url(text: &str) -> Result<(), UrlFault> {
    let text = text.trim();
    for character in text.chars() {
        match character {
            ',' => return Err(UrlFault::Comma),
            ' ' => return Err(UrlFault::Space),
            control if control.is_control() => return Err(UrlFault::ControlCharacter),
            space if space.is_whitespace() => return Err(UrlFault::Space),
            _ => {}
        }
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        let unknown = references(text).next().is_some_and(|reference| reference.range.start == 0);
        return if unknown { Ok(()) } else { Err(UrlFault::NoScheme) };
    };
    if references(scheme).next().is_none() && !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
    {
        let is_scheme = scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) && !scheme.is_empty();
        return Err(if is_scheme { UrlFault::Scheme { scheme: scheme.to_owned() } } else { UrlFault::NoScheme });
    }
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    check_authority(authority)?;
    let (target, fragment) = path.split_once('#').unwrap_or((path, ""));
    let path = target.split('?').next().unwrap_or_default();
    if has_whole_escapes(path) && has_whole_escapes(fragment) { Ok(()) } else { Err(UrlFault::Escape) }
}

/// Adds `http://` if only the scheme is missing: `localhost:8080` becomes `http://localhost:8080`. Otherwise returns
/// `None`.
pub fn with_scheme(text: &str) -> Option<String> {
    let url = format!("http://{}", text.trim().trim_start_matches('/'));
    check_url(&url).is_ok().then_some(url)
}

/// Rejects authorities that Go's `url.Parse` rejects, and hosts that are probably mistakes.
fn check_authority(authority: &str) -> Result<(), UrlFault> {
    let (user, address) = authority.rsplit_once('@').unwrap_or(("", authority));
    let of_user = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    if !without_references(user, "x").chars().all(of_user) {
        return Err(UrlFault::UserInformation);
    }
    if !has_whole_escapes(user) {
        return Err(UrlFault::Escape);
    }
    let (host, port) = match address.rfind(':') {
        Some(colon) if !address.ends_with(']') => (address.get(..colon), address.get(colon + 1..)),
        _ => (Some(address), None),
    };
    let host = without_references(host.unwrap_or_default(), "x");
    if host.is_empty() {
        return Err(UrlFault::NoHost);
    }
    let is_valid = match host.strip_prefix('[') {
        Some(literal) => literal.strip_suffix(']').is_some_and(is_ipv6),
        None => host.chars().all(|c| c.is_alphanumeric() || "-._~%".contains(c)),
    };
    if !is_valid {
        return Err(UrlFault::Host);
    }
    if !has_whole_escapes(&host) {
        return Err(UrlFault::Escape);
    }
    // In a host, only bytes of non-ASCII characters may be percent-encoded.
    if !host.starts_with('[') && host.split('%').skip(1).any(|rest| rest.starts_with(|c: char| ('0'..'8').contains(&c)))
    {
        return Err(UrlFault::Host);
    }
    match port {
        None | Some("") => Ok(()),
        Some(port) if references(port).next().is_some() => Ok(()),
        Some(port) if port.bytes().all(|digit| digit.is_ascii_digit()) => match port.parse::<u16>() {
            Ok(1..) => Ok(()),
            Ok(0) | Err(_) => Err(UrlFault::Port),
        },
        Some(_) => Err(UrlFault::Port),
    }
}

/// Whether a text is an IPv6 address with an optional zone, such as `fe80::1%25eth0`.
fn is_ipv6(text: &str) -> bool {
    let (address, zone) = text.split_once("%25").unwrap_or((text, "-"));
    let is_zone = !zone.is_empty() && zone.chars().all(|c| c.is_ascii_alphanumeric() || "-._~".contains(c));
    address.parse::<std::net::Ipv6Addr>().is_ok() && is_zone
}

/// Whether every `%` outside references is followed by two hexadecimal digits.
pub(super) fn has_whole_escapes(text: &str) -> bool {
    let hexadecimal = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|digit| digit.is_ascii_hexdigit());
    without_references(text, "").split('%').skip(1).all(hexadecimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_valid_urls() {
        for url in [
            "http://host",
            "HTTPS://Host.example:8443/path?query=a%20b#top",
            " http://localhost:1 ",
            "http://127.0.0.1:65535/",
            "http://[::1]:8080/mcp",
            "http://[::1]",
            "http://[fe80::1%25eth0]:80",
            "http://user:word@host/",
            "http://user:w%40rd@host/",
            "http://${USER}:${WORD}@host/",
            "http://b%C3%BCcher.example/",
            "http://my_service:80",
            "http://bücher.example/ü",
            "http://host:",
            "${MCP_URL}",
            "${MCP_URL}/team",
            "${SCHEME}://host",
            "http://${HOST}:${PORT}/${PATH}",
            "https://${TENANT}.example.com",
            "http://host/100%25",
            "http://host/?x=100%",
        ] {
            assert_eq!(check_url(url), Ok(()), "{url}");
        }
    }

    #[test]
    fn rejects_invalid_urls() {
        let scheme = |scheme: &str| UrlFault::Scheme { scheme: scheme.to_owned() };
        for (url, fault) in [
            ("localhost:8080", UrlFault::NoScheme),
            ("//host", UrlFault::NoScheme),
            ("/path", UrlFault::NoScheme),
            ("://host", UrlFault::NoScheme),
            ("x${Y}", UrlFault::NoScheme),
            ("ftp://host", scheme("ftp")),
            ("ws://host", scheme("ws")),
            ("http://", UrlFault::NoHost),
            ("http:///path", UrlFault::NoHost),
            ("http://:80", UrlFault::NoHost),
            ("http://ho st", UrlFault::Space),
            ("http://host/a\u{a0}b", UrlFault::Space),
            ("http://a,http://b", UrlFault::Comma),
            ("http://host\nx", UrlFault::ControlCharacter),
            ("http://host\tx", UrlFault::ControlCharacter),
            ("http://host:0", UrlFault::Port),
            ("http://host:65536", UrlFault::Port),
            ("http://host:http", UrlFault::Port),
            ("http://host:+1", UrlFault::Port),
            ("http://::1", UrlFault::Host),
            ("http://[::1", UrlFault::Host),
            ("http://[zz]", UrlFault::Host),
            ("http://ho<st", UrlFault::Host),
            ("http://${A:-b}/", UrlFault::Host),
            ("http://%41", UrlFault::Host),
            ("http://h%20x/", UrlFault::Host),
            ("http://[fe80::1%25e%20]/", UrlFault::Host),
            (r"http://h\@evil", UrlFault::UserInformation),
            ("http://u:<>@h", UrlFault::UserInformation),
            ("http://u:%zz@h", UrlFault::Escape),
            ("http://host/?x#%zz", UrlFault::Escape),
            ("http://host/100%", UrlFault::Escape),
            ("http://host/%zz", UrlFault::Escape),
        ] {
            assert_eq!(check_url(url), Err(fault), "{url}");
        }
    }

    #[test]
    fn adds_a_missing_scheme() {
        assert_eq!(with_scheme("localhost:8080").as_deref(), Some("http://localhost:8080"));
        assert_eq!(with_scheme("//host/x").as_deref(), Some("http://host/x"));
        assert_eq!(with_scheme("not a url"), None);
    }
}
