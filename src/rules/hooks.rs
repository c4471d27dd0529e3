//! Hooks: each is a program with arguments, split into words like in a POSIX shell but not run by one.

use super::{Rule, at};
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;

pub(super) const RULES: &[Rule] = &[shell_syntax];

fn shell_syntax(root: View<'_>) -> Vec<Diagnostic> {
    let hooks = at(root, &["spec", "hooks", "post"]).into_iter().flat_map(View::items);
    hooks.filter_map(|view| Some(finding(view, &fault(view.as_str()?)?))).collect()
}

enum Fault {
    Empty,
    UnclosedQuote,
    ShellSyntax,
}

fn finding(view: View<'_>, fault: &Fault) -> Diagnostic {
    let finding = |headline: &str| Diagnostic::new(Code::HookNeedsShell, view.span(), headline);
    match fault {
        Fault::Empty => finding("a hook is empty").help("write a command, or remove the entry"),
        Fault::UnclosedQuote => finding("a hook has an unclosed quote and is skipped")
            .help("close the quote; to pass a quote to the program, put it in quotes of the other kind"),
        Fault::ShellSyntax => finding("a hook uses shell syntax, but is not run by a shell")
            .note("pipes, variables and patterns are passed to the program as written")
            .help("write one command per entry, call a script, or call a shell: `sh -c '...'`"),
    }
}

fn fault(command: &str) -> Option<Fault> {
    match shlex::split(command) {
        None => Some(Fault::UnclosedQuote),
        Some(words) if words.is_empty() => Some(Fault::Empty),
        Some(words) => {
            let sets_variable = words.first().is_some_and(|word| word.contains('='));
            (sets_variable || unquoted(command).any(is_special)).then_some(Fault::ShellSyntax)
        }
    }
}

/// Whether the character has a special meaning in a shell.
fn is_special(character: char) -> bool {
    matches!(character, '|' | '&' | ';' | '<' | '>' | '`' | '$' | '\n' | '*' | '(' | ')')
}

/// The characters of a command on which shell syntax can act: unquoted and unescaped ones, and `$` and backquotes in
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
    fn reports_shell_syntax_outside_quotes() {
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
            assert!(matches!(fault(command), Some(Fault::ShellSyntax)), "{command}");
        }
        assert!(matches!(fault("echo 'a"), Some(Fault::UnclosedQuote)));
        assert!(matches!(fault(" \n"), Some(Fault::Empty)));
    }
}
