//! Compares versions of Go modules and of Go itself.

use std::cmp::Ordering;

/// Compares `v1.2.3`, `v1.2.3-rc.1`, `v0.0.0-20260102030405-abcdef`, `v2.0.0+incompatible`, and Go versions such as
/// `1.25`, `1.25rc1` and `1.25.3`. Anything else is lower than any version.
pub(super) fn compare(one: &str, other: &str) -> Ordering {
    let (one, other) = (parts(one), parts(other));
    one.numbers.cmp(&other.numbers).then_with(|| {
        // `1.25` is the language version, which precedes its first release `1.25rc1`; `v1.2.3-rc.1` precedes `v1.2.3`.
        let is_language = one.numbers.len() < 3;
        match (one.rest.is_empty(), other.rest.is_empty()) {
            (true, false) if is_language => Ordering::Less,
            (false, true) if is_language => Ordering::Greater,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => compare_words(one.rest, other.rest),
        }
    })
}

/// The numbers of a version, and the rest without build metadata.
struct Parts<'a> {
    numbers: Vec<u64>,
    rest: &'a str,
}

fn parts(version: &str) -> Parts<'_> {
    let mut rest = version.strip_prefix('v').unwrap_or(version).split('+').next().unwrap_or_default();
    let mut numbers = Vec::new();
    loop {
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        let Ok(number) = digits.parse() else { break };
        numbers.push(number);
        rest = after;
        let Some(next) = after.strip_prefix('.') else { break };
        rest = next;
    }
    Parts { numbers, rest: rest.trim_start_matches('-') }
}

/// Compares pre-release versions like Semantic Versioning: identifier by identifier; numeric ones are compared by value
/// and precede others.
fn compare_words(one: &str, other: &str) -> Ordering {
    let (mut ones, mut others) = (one.split('.'), other.split('.'));
    loop {
        let ordering = match (ones.next(), others.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(one), Some(other)) => match (one.parse::<u64>(), other.parse::<u64>()) {
                (Ok(one), Ok(other)) => one.cmp(&other),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => one.cmp(other),
            },
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_versions() {
        for ordered in [
            &["master", "v0.0.0-20250101000000-aaaa", "v0.0.0-20260101000000-aaaa", "v0.1.0", "v1.9.0", "v1.10.0"][..],
            &[
                "v1.0.0-alpha",
                "v1.0.0-alpha.1",
                "v1.0.0-alpha.beta",
                "v1.0.0-rc.2",
                "v1.0.0-rc.10",
                "v1.0.0",
                "v2.0.0+incompatible",
            ],
            &["1.21", "1.21rc1", "1.21rc2", "1.21.0", "1.21.10", "1.25", "1.25.0"],
        ] {
            for pair in ordered.windows(2) {
                assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
                assert_eq!(compare(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
            }
        }
        assert_eq!(compare("v2.0.0", "v2.0.0+incompatible"), Ordering::Equal);
    }
}
