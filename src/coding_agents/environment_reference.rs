//! References to environment variables, in the notations of coding agents.

use std::ops::Range;

/// A notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// `${NAME}`
    Braces,
    /// `${NAME:-default}`
    Default,
    /// `$NAME`
    Bare,
    /// `${env:NAME}`
    EnvBraces,
    /// `{env:NAME}`
    EnvCurly,
    /// A whole value that starts with `!` is a shell command.
    Shell,
}

/// A reference in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The variable; empty for a shell command.
    pub name: &'a str,
    /// The notation.
    pub notation: Notation,
    /// Where it is.
    pub range: Range<usize>,
}

/// The references of a text in these notations, in order.
pub fn references<'a>(text: &'a str, notations: &[Notation]) -> Vec<Reference<'a>> {
    if text.starts_with('!') && notations.contains(&Notation::Shell) {
        return vec![Reference { name: "", notation: Notation::Shell, range: 0..text.len() }];
    }
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(rest) = text.get(place..).filter(|rest| !rest.is_empty()) {
        let here = notations.iter().find_map(|notation| reference_at(rest, *notation));
        match here {
            Some((name, notation, length)) => {
                found.push(Reference { name, notation, range: place..place + length });
                place += length;
            }
            None => place += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

/// The name and the length of a reference at the start of a text.
fn reference_at(text: &str, notation: Notation) -> Option<(&str, Notation, usize)> {
    let (open, close) = match notation {
        Notation::Braces => ("${", "}"),
        Notation::Default => ("${", ":-"),
        Notation::EnvBraces => ("${env:", "}"),
        Notation::EnvCurly => ("{env:", "}"),
        Notation::Bare => ("$", ""),
        Notation::Shell => return None,
    };
    let rest = text.strip_prefix(open)?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, behind) = rest.split_at_checked(end)?;
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut behind = behind.strip_prefix(close)?;
    if notation == Notation::Default {
        (_, behind) = behind.split_once('}')?;
    }
    Some((name, notation, text.len() - behind.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_notations_of_an_agent_only() {
        use Notation::{Bare, Braces, Default, EnvBraces, EnvCurly, Shell};
        let all = [Braces, Default, Bare, EnvBraces, EnvCurly, Shell];
        for (text, notations, expected) in [
            ("Bearer ${A}", &[Braces][..], vec![("A", Braces, 7..11)]),
            (
                "${A:-x}$B${env:C}{env:D}",
                &all,
                vec![("A", Default, 0..7), ("B", Bare, 7..9), ("C", EnvBraces, 9..17), ("D", EnvCurly, 17..24)],
            ),
            ("${A}$B", &[EnvCurly], vec![]),
            ("é${1}$ ${ ${A", &all, vec![]),
            ("!cmd $A", &all, vec![("", Shell, 0..7)]),
            ("!cmd", &[Braces], vec![]),
        ] {
            let found = references(text, notations);
            let found: Vec<_> = found.into_iter().map(|it| (it.name, it.notation, it.range)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
