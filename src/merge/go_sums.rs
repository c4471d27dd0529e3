//! `go.sum`: the lines of both, in the order of the Go tools.
//!
//! Nothing is ever taken out: a checksum too many harms nobody (`go mod tidy` removes it), one too few breaks the build.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::version;
use super::{Merged, Versions};

pub(super) fn merge(versions: &Versions<'_>) -> Merged {
    let mut lines: Vec<&str> = versions.theirs.lines().filter(|line| !line.trim().is_empty()).collect();
    let known: BTreeSet<&str> = lines.iter().copied().collect();
    for line in versions.ours.lines().filter(|line| !line.trim().is_empty() && !known.contains(line)) {
        let place = lines.iter().position(|other| compare(other, line) == Ordering::Greater).unwrap_or(lines.len());
        lines.insert(place, line);
    }
    Merged::clean(lines.iter().flat_map(|line| [*line, "\n"]).collect::<String>())
}

/// By module, version, and the module's own sum before that of its `go.mod`.
fn compare(one: &str, other: &str) -> Ordering {
    let parts = |line| {
        let mut words = str::split_whitespace(line);
        let (module, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let plain = version.strip_suffix("/go.mod").unwrap_or(version);
        (module.to_owned(), plain.to_owned(), plain.len() < version.len())
    };
    let (one, other) = (parts(one), parts(other));
    one.0.cmp(&other.0).then_with(|| version::compare(&one.1, &other.1)).then_with(|| one.2.cmp(&other.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(theirs: &str, ours: &str) -> String {
        let Merged::Clean { text, .. } = merge(&Versions { base: None, theirs, ours }) else { panic!("a conflict") };
        text
    }

    #[test]
    fn new_sums_go_to_their_sorted_places_and_none_is_lost() {
        let theirs = "a.com/x v1.9.0 h1:a=\na.com/x v1.9.0/go.mod h1:b=\nz.com/mine v0.1.0 h1:c=\n";
        let ours = "a.com/x v1.10.0 h1:d=\na.com/x v1.10.0/go.mod h1:e=\nb.com/y v1.0.0/go.mod h1:f=\n";
        let expected = "a.com/x v1.9.0 h1:a=\na.com/x v1.9.0/go.mod h1:b=\na.com/x v1.10.0 h1:d=\n\
                        a.com/x v1.10.0/go.mod h1:e=\nb.com/y v1.0.0/go.mod h1:f=\nz.com/mine v0.1.0 h1:c=\n";
        assert_eq!(merged(theirs, ours), expected);
        assert_eq!(merged(expected, ours), expected);
    }

    #[test]
    fn an_empty_file_takes_all() {
        assert_eq!(merged("", "a v1.0.0 h1:a=\n"), "a v1.0.0 h1:a=\n");
        assert_eq!(merged("b v1.0.0 h1:b=", "a v1.0.0 h1:a=\n"), "a v1.0.0 h1:a=\nb v1.0.0 h1:b=\n");
    }
}
