//! Suggestions ("did you mean") for unknown names.

/// The candidate that is most similar to `word`, ignoring case. The edit distance is at most 2 or a third of the length
/// of `word`, and less than its length. Returns the first of several equally similar candidates.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = (length / 3).max(2).min(length.saturating_sub(1));
    let word = word.to_lowercase();
    let distance = |candidate: &str| strsim::osa_distance(&word, &candidate.to_lowercase());
    candidates
        .into_iter()
        // Each extra or missing character is an edit.
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
    fn suggests_only_similar_words() {
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
