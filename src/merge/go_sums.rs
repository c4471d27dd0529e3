//! Merges `go.sum`: the lines of both versions, in the order of the Go tools.
//!
//! Nothing is removed: an extra checksum is harmless (`go mod tidy` removes it), a missing one breaks the build.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::version;
use super::{Merged, Versions};

pub(super) fn merge(versions: &Versions<'_>) -> Merged {
    let lines = |text| str::lines(text).filter(|line| !line.trim().is_empty());
    let known: BTreeSet<_> = lines(versions.theirs).collect();
    let mut new: Vec<_> = lines(versions.ours).filter(|line| !known.contains(line)).collect();
    new.sort_by(|one, other| compare(one, other));
    let mut new = new.into_iter().peekable();
    let mut merged = Vec::new();
    // The user's lines keep their order, even if it is not sorted.
    for line in lines(versions.theirs) {
        while let Some(new) = new.next_if(|new| compare(line, new) == Ordering::Greater) {
            merged.push(new);
        }
        merged.push(line);
    }
    merged.extend(new);
    Merged::clean(merged.iter().flat_map(|line| [*line, "\n"]).collect::<String>())
}

/// Compares by module, then version; the checksum of a module comes before that of its `go.mod`.
fn compare(one: &str, other: &str) -> Ordering {
    fn parts(line: &str) -> (&str, &str, bool) {
        let mut words = line.split_whitespace();
        let (module, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let plain = version.strip_suffix("/go.mod").unwrap_or(version);
        (module, plain, plain.len() < version.len())
    }
    let (one, other) = (parts(one), parts(other));
    one.0.cmp(other.0).then_with(|| version::compare(one.1, other.1)).then_with(|| one.2.cmp(&other.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(theirs: &str, ours: &str) -> String {
        let Merged::Clean { text, .. } = merge(&Versions { base: None, theirs, ours }) else { panic!("a conflict") };
        text
    }

    #[test]
    fn inserts_new_checksums_in_order() {
        let theirs = "a.com/x v1.9.0 h1:a=\na.com/x v1.9.0/go.mod h1:b=\nz.com/mine v0.1.0 h1:c=\n";
        let ours = "a.com/x v1.10.0 h1:d=\na.com/x v1.10.0/go.mod h1:e=\nb.com/y v1.0.0/go.mod h1:f=\n";
        let expected = "a.com/x v1.9.0 h1:a=\na.com/x v1.9.0/go.mod h1:b=\na.com/x v1.10.0 h1:d=\n\
                        a.com/x v1.10.0/go.mod h1:e=\nb.com/y v1.0.0/go.mod h1:f=\nz.com/mine v0.1.0 h1:c=\n";
        assert_eq!(merged(theirs, ours), expected);
        assert_eq!(merged(expected, ours), expected);
    }

    #[test]
    fn merges_thousands_of_checksums_in_linear_time() {
        let sums = |from: usize| -> String {
            let lines = (from..40_000).step_by(2).map(|number| format!("a.com/{number:05} v1.{number}.0 h1:a=\n"));
            lines.collect()
        };
        let text = merged(&sums(0), &sums(1));
        assert!(text.lines().is_sorted());
        assert_eq!(text.lines().count(), 40_000);
    }

    #[test]
    fn handles_empty_files_and_missing_line_breaks() {
        assert_eq!(merged("", "a v1.0.0 h1:a=\n"), "a v1.0.0 h1:a=\n");
        assert_eq!(merged("b v1.0.0 h1:b=", "a v1.0.0 h1:a=\n"), "a v1.0.0 h1:a=\nb v1.0.0 h1:b=\n");
    }
}
