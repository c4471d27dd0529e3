//! Checks tool names, which are sent to the model unchanged: providers reject requests with invalid names, and the
//! names of the agent's own tools are reserved.

use crate::diagnostics::{Applicability, Code, Diagnostic};
use crate::document::View;
use crate::rules::{at, write_instead};

use super::own_tools;

/// The maximum length of a name that providers accept.
const MAX_LENGTH: usize = 64;
/// Tools of every agent with a model.
const RESERVED: &[&str] = &["input_required"];
/// Tools of agents with MCP enabled.
const RESERVED_WITH_MCP: &[&str] = &["mcp_list_tools", "mcp_call_tool"];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let mcp_is_on = at(root, &["spec", "agent", "mcp", "enabled"]).and_then(View::as_bool) == Some(true);
    let names = own_tools(root).filter_map(|(_, tool)| tool.get("name"));
    names.filter_map(|view| finding(view, view.as_str().filter(|name| !name.trim().is_empty())?, mcp_is_on)).collect()
}

fn finding(view: View<'_>, name: &str, mcp_is_on: bool) -> Option<Diagnostic> {
    if RESERVED.contains(&name) || (mcp_is_on && RESERVED_WITH_MCP.contains(&name)) {
        let headline = format!("the name `{name}` is reserved for a tool of the agent itself");
        return Some(Diagnostic::new(Code::ReservedToolName, view.span(), headline).help("rename your tool"));
    }
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.chars().all(is_allowed) && name.len() <= MAX_LENGTH {
        return None;
    }
    let valid: String = name.trim().chars().map(|c| if is_allowed(c) { c } else { '_' }).take(MAX_LENGTH).collect();
    Some(
        Diagnostic::new(
            Code::InvalidToolName,
            view.span(),
            "a tool name consists of letters, digits, `_` and `-`, 64 at most",
        )
        .note("model providers reject requests with other tool names")
        .help("put text for people in `description`")
        .suggest(write_instead(view, &valid, Applicability::Review)),
    )
}
