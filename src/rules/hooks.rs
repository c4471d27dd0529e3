//! A hook is a program and its arguments, parted as a POSIX shell parts them. No shell reads it.

use super::{Rule, at};
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;

pub(super) const RULES: &[Rule] = &[hook_for_a_shell];

fn hook_for_a_shell(root: View<'_>) -> Vec<Diagnostic> {
    let hooks = at(root, &["spec", "hooks", "post"]).into_iter().flat_map(View::items);
    hooks.filter_map(|view| Some(finding(view, &fault(view.as_str()?)?))).collect()
}

enum Fault {
    Blank,
    OpenQuote,
    ForAShell,
}

fn finding(view: View<'_>, fault: &Fault) -> Diagnostic {
    let finding = |headline: &str| Diagnostic::new(Code::HookNeedsShell, view.span(), headline);
    match fault {
        Fault::Blank => finding("a hook is empty").help("write a command, or remove the entry"),
        Fault::OpenQuote => finding("a hook has an unclosed quote and is skipped")
            .help("close the quote; to pass a quote to the program, put it in quotes of the other kind"),
        Fault::ForAShell => finding("a hook uses shell syntax, but is not run by a shell")
            .note("pipes, variables and patterns are passed to the program as written")
            .help("write one command per entry, call a script, or call a shell: `sh -c '...'`"),
    }
}

fn fault(command: &str) -> Option<Fault> {
    match shlex::split(command) {
        None => Some(Fault::OpenQuote),
        Some(words) if words.is_empty() => Some(Fault::Blank),
        Some(words) => {
            let sets_variable = words.first().is_some_and(|word| word.contains('='));
            (sets_variable || unquoted(command).any(means_something)).then_some(Fault::ForAShell)
        }
    }
}

/// Whether a shell takes the character for more than itself.
fn means_something(character: char) -> bool {
    matches!(character, '|' | '&' | ';' | '<' | '>' | '`' | '$' | '\n' | '*' | '(' | ')')
}

/// The characters of a command that stand outside of quotes and behind no backslash, and those that keep their meaning within
/// double quotes.
fn unquoted(command: &str) -> impl Iterator<Item = char> {
    let (mut quote, mut escaped) = (None, false);
    command.trim().chars().filter(move |character| {
        if std::mem::take(&mut escaped) {
            return false;
        }
        match (quote, character) {
            (Some('"') | None, '\\') => escaped = true,
            (None, '"' | '\'') => quote = Some(*character),
            (Some(open), close) if open == *close => quote = None,
            (Some('"'), '$' | '`') | (None, _) => return true,
            (Some(_), _) => {}
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::{Fault, fault};

    #[test]
    fn only_what_a_shell_would_have_to_read_is_a_fault() {
        for command in [
            "go vet ./...",
            "sh -c 'a && b | c'",
            r#"sh -c "a && b""#,
            r"touch a\ b\&c",
            "echo 'it'\\''s'",
            "env A=b c",
        ] {
            assert!(fault(command).is_none(), "{command}");
        }
        for command in ["a && b", "a | b", "echo $HOME", r#"sh -c "echo $HOME""#, "rm *.tmp", "A=b c", "a > b", "(a)"] {
            assert!(matches!(fault(command), Some(Fault::ForAShell)), "{command}");
        }
        assert!(matches!(fault("echo 'a"), Some(Fault::OpenQuote)));
        assert!(matches!(fault(" \n"), Some(Fault::Blank)));
    }
}
