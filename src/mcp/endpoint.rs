//! The endpoint: a path that is appended to each server's URL.

use super::reference::references;
use super::url::has_whole_escapes;

/// Why a text is not a valid endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EndpointFault {
    /// A space, a tab or a line break.
    #[error("it contains a space or a line break")]
    Blank,
    /// Another control character.
    #[error("it contains a control character")]
    ControlCharacter,
    /// A `?`, which starts a query.
    #[error("it contains `?`, which starts a query")]
    Query,
    /// A `#`, which starts a fragment.
    #[error("it contains `#`, which starts a fragment")]
    Fragment,
    /// A `%` that is not followed by two hexadecimal digits.
    #[error("it contains a `%` that is not followed by two hexadecimal digits")]
    Escape,
}

/// The endpoint with a leading `/`, or empty if it is empty.
///
/// # Errors
/// Returns an error if the text is not a valid path.
pub fn normalise_endpoint(endpoint: &str) -> Result<String, EndpointFault> {
    for character in endpoint.chars() {
        match character {
            '?' => return Err(EndpointFault::Query),
            '#' => return Err(EndpointFault::Fragment),
            blank if blank.is_whitespace() => return Err(EndpointFault::Blank),
            control if control.is_control() => return Err(EndpointFault::ControlCharacter),
            _ => {}
        }
    }
    if !has_whole_escapes(endpoint) {
        return Err(EndpointFault::Escape);
    }
    Ok(if endpoint.is_empty() || endpoint.starts_with('/') { endpoint.to_owned() } else { format!("/{endpoint}") })
}

/// The URL of a server: `url` with the normalized `endpoint` appended to its path, unless the path already ends with
/// it. The query stays after the path. `None` if the URL starts with a reference, because its value is only known to
/// the agent.
pub fn join_endpoint(url: &str, endpoint: &str) -> Option<String> {
    let url = url.trim();
    if references(url).next().is_some_and(|reference| reference.range.start == 0) {
        return None;
    }
    let (base, query) = url.split_at(url.find(['?', '#']).unwrap_or(url.len()));
    let path_start = base.find("://").map_or(0, |colon| colon + 3);
    let path = base.get(path_start..).and_then(|rest| rest.split_once('/')).map_or("", |(_, path)| path);
    let path = format!("/{path}");
    let bare = endpoint.trim_end_matches('/');
    if path.ends_with(endpoint) || (!bare.is_empty() && path.trim_end_matches('/').ends_with(bare)) {
        return Some(url.to_owned());
    }
    Some(format!("{}{endpoint}{query}", base.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_a_leading_slash() {
        let table = [
            ("", Ok("")),
            ("/mcp", Ok("/mcp")),
            ("mcp", Ok("/mcp")),
            ("a/b/", Ok("/a/b/")),
            ("/", Ok("/")),
            (" ", Err(EndpointFault::Blank)),
            ("/m cp", Err(EndpointFault::Blank)),
            ("/mcp\n", Err(EndpointFault::Blank)),
            ("/mcp\u{1}", Err(EndpointFault::ControlCharacter)),
            ("/mcp?x=1", Err(EndpointFault::Query)),
            ("/mcp#x", Err(EndpointFault::Fragment)),
            ("/m%20p", Ok("/m%20p")),
            ("/mcp%", Err(EndpointFault::Escape)),
        ];
        for (text, expected) in table {
            assert_eq!(normalise_endpoint(text), expected.map(str::to_owned), "{text:?}");
        }
    }

    #[test]
    fn appends_the_endpoint_once() {
        let table = [
            ("http://host", "/mcp", "http://host/mcp"),
            ("http://host/", "/mcp", "http://host/mcp"),
            ("http://host/mcp", "/mcp", "http://host/mcp"),
            ("http://host/mcp/", "/mcp", "http://host/mcp/"),
            ("http://mcp", "/mcp", "http://mcp/mcp"),
            ("http://host/team", "/mcp", "http://host/team/mcp"),
            ("http://host/notmcp", "/mcp", "http://host/notmcp/mcp"),
            ("http://host/x?key=1", "/mcp", "http://host/x/mcp?key=1"),
            ("http://host?key=1", "/mcp", "http://host/mcp?key=1"),
            ("http://host/mcp?key=1", "/mcp", "http://host/mcp?key=1"),
            ("http://host/x", "", "http://host/x"),
            ("http://host/x", "/", "http://host/x/"),
            ("http://host/x/", "/", "http://host/x/"),
            ("http://host", "/mcp/", "http://host/mcp/"),
            ("http://host/mcp", "/mcp/", "http://host/mcp"),
            ("http://${HOST}:80/x", "/mcp", "http://${HOST}:80/x/mcp"),
            (" http://host ", "/mcp", "http://host/mcp"),
        ];
        for (url, endpoint, expected) in table {
            assert_eq!(join_endpoint(url, endpoint).as_deref(), Some(expected), "{url} {endpoint}");
        }
        assert_eq!(join_endpoint("${BASE}/x", "/mcp"), None);
    }
}
