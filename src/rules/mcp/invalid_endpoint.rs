//! Checks that the endpoint is a valid path.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::mcp::normalise_endpoint;

use super::Block;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let endpoint = Block::enabled(root).and_then(|block| block.view.get("endpoint"));
    let fault = endpoint.and_then(|view| Some((view, normalise_endpoint(view.as_str()?).err()?)));
    fault
        .map(|(view, fault)| {
            let headline = format!("`spec.agent.mcp.endpoint` is not a valid path: {fault}");
            Diagnostic::new(Code::InvalidEndpoint, view.span(), headline)
                .help("write a path such as `/mcp`, or `\"\"` to append nothing")
        })
        .into_iter()
        .collect()
}
