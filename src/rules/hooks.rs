//! A hook is a program and its arguments, parted at blanks. No shell reads it.

use super::{Rule, at};
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;

pub(super) const RULES: &[Rule] = &[hook_for_a_shell];

fn hook_for_a_shell(root: View<'_>) -> Vec<Diagnostic> {
    let hooks = at(root, &["spec", "hooks", "post"]).into_iter().flat_map(View::items);
    let hooks = hooks.filter_map(|view| Some((view, view.as_str()?)));
    hooks
        .filter_map(|(view, command)| {
            let headline = if command.trim().is_empty() {
                "a hook is blank"
            } else if command.contains(['|', '&', ';', '<', '>', '`', '$', '"', '\'', '\n', '*']) {
                "a hook is written for a shell, and none reads it"
            } else {
                return None;
            };
            Some(
                Diagnostic::new(Code::HookForAShell, view.span(), headline)
                    .note("quotes, pipes and variables would reach the program as they stand")
                    .help("write the program and its arguments, one command an entry, or call a script"),
            )
        })
        .collect()
}
