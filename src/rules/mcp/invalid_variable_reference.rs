//! Warns about a `${` that does not start a reference. It is sent unchanged, which is rarely intended.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::mcp::{check_url, malformed_references, texts};

use super::Block;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(block) = Block::enabled(root) else { return Vec::new() };
    let mut found = Vec::new();
    for server in &block.servers {
        for text in texts(&server.definition) {
            // An invalid URL is already an error.
            let is_reported = text.pointer == "/url" && check_url(text.text).is_err();
            if is_reported || malformed_references(text.text).next().is_none() {
                continue;
            }
            let Some(view) = server.view.at(&text.pointer) else { continue };
            let headline = format!(
                "`{}` of MCP server `{}` contains a `${{` that is not a variable reference",
                text.field, server.definition.name
            );
            found.push(
                Diagnostic::new(Code::InvalidVariableReference, view.span(), headline)
                    .note("it is sent as written; defaults such as `${NAME:-value}` are not supported")
                    .help("write `${NAME}`; a name consists of letters, digits and `_`"),
            );
        }
    }
    found
}
