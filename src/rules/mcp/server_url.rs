//! Checks the URLs of `http` and `sse` servers: an invalid URL is an error, a missing or duplicate URL a warning.

use crate::diagnostics::{Applicability, Code, Diagnostic};
use crate::document::View;
use crate::mcp::{
    Transport, UrlFault, check_url, defaults, has_address, join_endpoint, normalise_endpoint, with_scheme,
};
use crate::rules::{duplicates, text, write_instead};

use super::{Block, Server};

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(block) = Block::enabled(root) else { return Vec::new() };
    let remote = || block.servers.iter().filter(|server| server.transport != Transport::Stdio);
    let missing = remote().filter(|server| !has_address(&server.definition)).map(without_url);
    let invalid_url = remote().filter_map(|server| invalid_url(server, server.view.get("url")?));
    missing.chain(invalid_url).chain(repeated(&block)).collect()
}

fn without_url(server: &Server<'_>) -> Diagnostic {
    let place = server.view.get("url").unwrap_or_else(|| server.name_view()).span();
    let headline = format!("MCP server `{}` has no URL and is skipped", server.definition.name);
    Diagnostic::new(Code::ServerWithoutUrl, place, headline)
        .help("set `url`, for example `url: https://mcp.example.com`")
}

fn invalid_url(server: &Server<'_>, url: View<'_>) -> Option<Diagnostic> {
    let text = url.as_str().filter(|text| !text.trim().is_empty())?;
    let fault = check_url(text).err()?;
    let headline = format!("the URL of MCP server `{}` is invalid: {fault}", server.definition.name);
    let finding = Diagnostic::new(Code::InvalidServerUrl, url.span(), headline);
    Some(match (fault, with_scheme(text)) {
        (UrlFault::NoScheme, Some(whole)) => {
            finding.help("add `http://` or `https://`").suggest(write_instead(url, &whole, Applicability::Review))
        }
        (UrlFault::Comma, _) => finding.help("list each server separately; write a comma in a URL as `%2C`"),
        (UrlFault::Space, _) => finding.help("remove the space, or write it as `%20`"),
        (UrlFault::Escape, _) => finding.help("write a literal `%` as `%25`"),
        _ => finding.help("write a URL such as `https://mcp.example.com:8443/path`"),
    })
}

/// Servers with the same URL.
fn repeated(block: &Block<'_>) -> Vec<Diagnostic> {
    let endpoint = normalise_endpoint(text(block.view, "endpoint").unwrap_or(defaults::ENDPOINT)).unwrap_or_default();
    let addresses =
        block.servers.iter().filter(|server| server.transport != Transport::Stdio && has_address(&server.definition));
    let addresses = addresses.filter_map(|server| {
        let url = server.definition.url.as_deref()?.trim();
        let address = join_endpoint(url, &endpoint).unwrap_or_else(|| url.to_owned());
        Some(((server.transport, address.trim_end_matches('/').to_owned()), server.view.get("url")?))
    });
    duplicates(addresses)
        .into_iter()
        .map(|(again, first)| {
            Diagnostic::new(Code::DuplicateServerUrl, again.span(), "two MCP servers have the same URL")
                .related(first.span(), "first defined here")
                .note("the model gets each of its tools twice")
                .help("remove one of the two servers")
        })
        .collect()
}
