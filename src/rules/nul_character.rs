//! Checks that strings for environment variables and command lines contain no NUL, which neither can represent.

use super::mcp::Block;
use super::{Rule, at};
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::mcp::Transport;

pub(super) const RULES: &[Rule] = &[nul_in_text];

fn nul_in_text(root: View<'_>) -> Vec<Diagnostic> {
    let agent = at(root, &["spec", "agent"]);
    let mut texts: Vec<View<'_>> = agent
        .into_iter()
        .flat_map(|agent| ["provider", "model", "systemPrompt"].into_iter().filter_map(move |field| agent.get(field)))
        .collect();
    for server in Block::enabled(root).into_iter().flat_map(|block| block.servers) {
        if server.transport == Transport::Stdio {
            texts.extend(server.view.get("command"));
            texts.extend(server.view.get("args").into_iter().flat_map(View::items));
            texts.extend(server.view.get("env").into_iter().flat_map(View::entries).map(|(_, value)| value));
        }
    }
    let invalid = texts.into_iter().filter(|view| view.as_str().is_some_and(|text| text.contains('\0')));
    invalid
        .map(|view| {
            Diagnostic::new(Code::NulCharacter, view.span(), "a string contains a NUL character")
                .note("environment variables and program arguments cannot contain one")
                .help("remove `\\0` from it")
        })
        .collect()
}
