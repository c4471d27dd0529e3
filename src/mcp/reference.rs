//! `${NAME}`: a reference to an environment variable, which the agent resolves when it starts.

use std::ops::Range;

/// A reference in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The name of the variable: a letter or `_`, followed by letters, digits and `_`.
    pub name: &'a str,
    /// The byte range from `$` to `}`.
    pub range: Range<usize>,
}

/// The references in a text, in order. Anything else, including `$$`, `$NAME` and `${NAME:-default}`, is literal text.
pub fn references(text: &str) -> impl Iterator<Item = Reference<'_>> {
    openings(text).filter_map(|start| reference_at(text, start))
}

/// The range of every `${` that does not start a reference. Such a text looks like a reference but is not replaced.
pub fn malformed_references(text: &str) -> impl Iterator<Item = Range<usize>> {
    openings(text).filter(|start| reference_at(text, *start).is_none()).map(|start| start..start + 2)
}

/// Replaces each reference in a text with `stand_in`.
pub fn without_references(text: &str, stand_in: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut copied = 0;
    for reference in references(text) {
        plain.extend(text.get(copied..reference.range.start));
        plain.push_str(stand_in);
        copied = reference.range.end;
    }
    plain.extend(text.get(copied..));
    plain
}

fn openings(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices("${").map(|(start, _)| start)
}

fn reference_at(text: &str, start: usize) -> Option<Reference<'_>> {
    let (name, _) = text.get(start..)?.strip_prefix("${")?.split_once('}')?;
    let is_valid = !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_valid.then(|| Reference { name, range: start..start + name.len() + 3 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_references_and_nothing_else() {
        let table: [(&str, &[&str]); 9] = [
            ("Bearer ${TOKEN}", &["TOKEN"]),
            ("${A}${_b1}", &["A", "_b1"]),
            ("$${A}", &["A"]),
            ("$A ${} ${1A} ${a-b} ${A:-x} ${A", &[]),
            ("${A ${B}", &["B"]),
            ("${${B}}", &["B"]),
            ("é${É}${OK}é", &["OK"]),
            ("$", &[]),
            ("", &[]),
        ];
        for (text, names) in table {
            let found: Vec<_> = references(text).collect();
            assert_eq!(found.iter().map(|reference| reference.name).collect::<Vec<_>>(), names, "{text}");
            for reference in found {
                assert_eq!(text.get(reference.range).unwrap(), format!("${{{}}}", reference.name));
            }
        }
    }

    #[test]
    fn finds_malformed_references() {
        assert_eq!(malformed_references("${A} ${A:-x} ${").collect::<Vec<_>>(), [5..7, 13..15]);
    }

    #[test]
    fn replaces_references() {
        assert_eq!(without_references("http://${HOST}:${PORT}/é", "1"), "http://1:1/é");
    }
}
