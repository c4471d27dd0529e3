//! The name of a tool goes to the model as it is: providers refuse a request with a name that they do not allow, and a name
//! that the agent itself uses would mean two things.

use crate::diagnostics::{Applicability, Code, Diagnostic};
use crate::document::View;
use crate::rules::{at, write_instead};

use super::own_tools;

/// The longest name that providers accept.
const LONGEST: usize = 64;
/// Offered by every agent with a model.
const ALWAYS: &[&str] = &["input_required"];
/// Offered while MCP is on.
const SELECTORS: &[&str] = &["mcp_list_tools", "mcp_call_tool"];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let mcp_is_on = at(root, &["spec", "agent", "mcp", "enabled"]).and_then(View::as_bool) == Some(true);
    let names = own_tools(root).filter_map(|(_, tool)| tool.get("name"));
    names.filter_map(|view| finding(view, view.as_str().filter(|name| !name.trim().is_empty())?, mcp_is_on)).collect()
}

fn finding(view: View<'_>, name: &str, mcp_is_on: bool) -> Option<Diagnostic> {
    if ALWAYS.contains(&name) || (mcp_is_on && SELECTORS.contains(&name)) {
        let headline = format!("the name `{name}` is reserved for a tool of the agent itself");
        return Some(Diagnostic::new(Code::ReservedToolName, view.span(), headline).help("rename your tool"));
    }
    let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.chars().all(is_legal) && name.len() <= LONGEST {
        return None;
    }
    let legal: String = name.trim().chars().map(|c| if is_legal(c) { c } else { '_' }).take(LONGEST).collect();
    Some(
        Diagnostic::new(
            Code::InvalidToolName,
            view.span(),
            "a tool name consists of letters, digits, `_` and `-`, 64 at most",
        )
        .note("model providers reject requests with other tool names")
        .help("put text for people in `description`")
        .suggest(write_instead(view, &legal, Applicability::Review)),
    )
}
