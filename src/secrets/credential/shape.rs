//! Tokens and keys with a known format.

use std::ops::Range;

/// Prefixes of tokens issued by services.
const TOKEN_PREFIXES: &[&str] = &[
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "rk_test_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxs-",
    "xoxe-",
    "xapp-",
    "npm_",
    "pypi-",
    "hf_",
    "gsk_",
    "xai-",
    "r8_",
    "tvly-",
    "figd_",
    "lin_api_",
    "ntn_",
    "sbp_",
    "dop_v1_",
    "SG.",
    "AIza",
    "AKIA",
    "ASIA",
    "pplx-",
    "fc-",
    "shpat_",
    "key-",
];

/// The byte ranges of private keys in a text, from the `BEGIN` to the `END` line. A key without an `END` line extends
/// to the end of the text.
pub fn private_keys(text: &str) -> Vec<Range<usize>> {
    let (mut keys, mut start) = (Vec::new(), 0);
    let after = |place: usize, mark: &str| Some(place + text.get(place..)?.find(mark)? + mark.len());
    while let Some(label) = after(start, "-----BEGIN ") {
        let Some(body) = after(label, "-----") else { break };
        let is_private = text.get(label..body).is_some_and(|label| label.contains("PRIVATE KEY"));
        start = body;
        if is_private {
            start = after(body, "-----END ").and_then(|end| after(end, "-----")).unwrap_or(text.len());
            keys.push(label - "-----BEGIN ".len()..start);
        }
    }
    keys
}

/// The byte ranges of tokens in a text.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    text.split(move |c| !is_part(c)).filter(|word| is_token(word)).map(move |word| {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        start..start + word.len()
    })
}

fn is_token(word: &str) -> bool {
    // The shortest prefix has three characters and is followed by at least sixteen.
    if word.len() < 19 {
        return false;
    }
    let is_web_token = word.starts_with("eyJ") && word.len() >= 30 && word.matches('.').count() == 2;
    is_web_token
        || TOKEN_PREFIXES
            .iter()
            .filter_map(|prefix| word.strip_prefix(prefix))
            .any(|rest| rest.len() >= 16 && rest.bytes().any(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_private_keys() {
        let key = |kind| format!("-----BEGIN {kind}-----\nMIIabc==\n-----END {kind}-----");
        let text =
            format!("a {} b {} c {} d -----BEGIN", key("PRIVATE KEY"), key("CERTIFICATE"), key("RSA PRIVATE KEY"));
        let found: Vec<_> = private_keys(&text).into_iter().filter_map(|range| text.get(range)).collect();
        assert_eq!(found, [key("PRIVATE KEY"), key("RSA PRIVATE KEY")]);
        let open = "x -----BEGIN EC PRIVATE KEY-----\nMII";
        assert_eq!(private_keys(open).first(), Some(&(2..open.len())));
    }

    #[test]
    fn recognizes_tokens() {
        for word in [
            "ghp_0123456789abcdefghij",
            "sk-proj-abcdefgh12345678",
            "AKIA0123456789ABCDEF",
            "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.abc",
        ] {
            assert!(is_token(word), "{word}");
        }
        for word in ["sk-learn", "ghp_short1", "sk-abcdefghijklmnopqrst", "eyJ.a.b", "hf_"] {
            assert!(!is_token(word), "{word}");
        }
    }
}
