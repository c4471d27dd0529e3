//! The url of an `http` or `sse` server: missing is a warning, impossible an error, the same twice a warning.

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
    let impossible = remote().filter_map(|server| impossible(server, server.view.get("url")?));
    missing.chain(impossible).chain(twice(&block)).collect()
}

fn without_url(server: &Server<'_>) -> Diagnostic {
    let place = server.view.get("url").unwrap_or_else(|| server.name_view()).span();
    let headline = format!("MCP server `{}` has no url and is left out", server.definition.name);
    Diagnostic::new(Code::ServerWithoutUrl, place, headline)
        .help("write its address under `url`, for example `url: https://mcp.example.com`")
}

fn impossible(server: &Server<'_>, url: View<'_>) -> Option<Diagnostic> {
    let text = url.as_str().filter(|text| !text.trim().is_empty())?;
    let fault = check_url(text).err()?;
    let headline = format!("the url of MCP server `{}` cannot be used: {fault}", server.definition.name);
    let finding = Diagnostic::new(Code::InvalidServerUrl, url.span(), headline);
    Some(match (fault, with_scheme(text)) {
        (UrlFault::NoScheme, Some(whole)) => finding
            .help("put `http://` or `https://` before it")
            .suggest(write_instead(url, &whole, Applicability::Review)),
        (UrlFault::Comma, _) => {
            finding.help("list each server as an entry of its own; write a comma that belongs to the url as `%2C`")
        }
        (UrlFault::Blank, _) => finding.help("remove the blank, or write it as `%20`"),
        (UrlFault::Escape, _) => finding.help("write a literal `%` as `%25`"),
        _ => finding.help("write an address like `https://mcp.example.com:8443/path`"),
    })
}

/// Servers that are reached under one address.
fn twice(block: &Block<'_>) -> Vec<Diagnostic> {
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
            Diagnostic::new(Code::DuplicateServerUrl, again.span(), "two MCP servers have the same address")
                .related(first.span(), "first here")
                .note("the model is offered each of its tools twice")
                .help("remove one of the two servers")
        })
        .collect()
}
