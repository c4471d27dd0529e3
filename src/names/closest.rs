//! "Did you mean": the known word that a wrong one was meant to be.

/// The candidate nearest to `word`, if it is near: capitals aside at most two edits, or a third of the word's length, away,
/// and never as many edits as the word has letters. The first of several equally near ones.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = (length / 3).max(2).min(length.saturating_sub(1));
    let word = word.to_lowercase();
    let distance = |candidate: &str| strsim::osa_distance(&word, &candidate.to_lowercase());
    candidates
        .into_iter()
        // Each character too many or too few is an edit.
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= limit)
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_near_and_leaves_the_far() {
        let known = ["server", "servers", "spec", "refreshInterval", "go"];
        let table = [
            ("serverr", Some("server")),
            ("Server", Some("server")),
            ("sepc", Some("spec")),
            ("refreshIntervall", Some("refreshInterval")),
            ("refresh_interval", Some("refreshInterval")),
            ("og", Some("go")),
            ("x", None),
            ("ab", None),
            ("capabilities", None),
            ("", None),
        ];
        for (word, expected) in table {
            assert_eq!(closest(word, known), expected, "{word}");
        }
    }
}
