//! Credentials inside longer texts: command lines, connection strings, JSON.

use super::names::is_server_secret_name;
use super::shape::private_keys;
use super::{Credential, Found, has_literal, is_switch, url};

/// Words that follow `Bearer` in prose.
const PROSE: &[&str] = &["token", "tokens", "auth", "authentication", "authorization", "and", "or"];

/// Credentials that are recognizable without a name: in URLs, and tokens.
pub(super) fn plain(text: &str) -> Found {
    let mut found = Found::default();
    for word in text.split([' ', '\t', '\n', '\r', '"', '\'']).filter(|word| word.contains("://")) {
        found.add_all(url::parts(word), word.as_ptr().addr() - text.as_ptr().addr());
    }
    found.add_tokens(text);
    found
}

/// Like [`plain`], and values in `name=value`, `name: value`, `"name": "value"`, `--name value` and `Bearer value`.
pub(super) fn loose(text: &str) -> Found {
    let mut found = Found::default();
    // A part of a private key is not a separate credential.
    for range in private_keys(text) {
        found.add(Credential { range, name: "key".to_owned() });
    }
    for (place, _) in text.match_indices(['=', ':']) {
        if let Some(new) = pair(text, place) {
            found.add(new);
        }
    }
    for (place, word) in words(text) {
        let next = text.get(place + word.len()..).unwrap_or_default();
        let value = first_word(next);
        let start = value.as_ptr().addr() - text.as_ptr().addr();
        if value.is_empty() {
            continue;
        }
        let range = start..start + value.len();
        let bare = word.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        let is_scheme = bare.eq_ignore_ascii_case("bearer")
            && !PROSE.iter().any(|word| value.eq_ignore_ascii_case(word))
            || bare.eq_ignore_ascii_case("basic") && value.len() >= 8 && looks_random(value);
        let flag = word
            .strip_prefix("--")
            .filter(|flag| !flag.contains('=') && is_server_secret_name(flag) && !value.starts_with("--"));
        let name = if is_scheme { Some("authorization") } else { flag.filter(|_| !is_switch(value)) };
        if let Some(name) = name.filter(|_| has_literal(value)) {
            found.add(Credential { range, name: name.to_owned() });
        }
    }
    found.add_all(plain(text), 0);
    found
}

/// Whether a text contains letters mixed with digits, special characters or later upper-case letters, and no characters
/// that are typical of paths and package names.
pub(super) fn looks_random(text: &str) -> bool {
    let letters = text.chars().any(|c| c.is_ascii_alphabetic());
    let mixed = text.chars().any(|c| c.is_ascii_digit() || "!#$%&*=+".contains(c))
        || text.chars().skip(1).any(|c| c.is_ascii_uppercase());
    letters && mixed && !text.contains(['/', '@', '.'])
}

/// The credential after the `=` or `:` at offset `place`.
fn pair(text: &str, place: usize) -> Option<Credential> {
    let quotes = |c: char| "\"'\\".contains(c);
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let (before, after) = (text.get(..place)?.trim_end(), text.get(place + 1..)?);
    let bare = before.trim_end_matches(quotes);
    let start = bare.char_indices().rev().take_while(|(_, c)| is_part(*c)).last()?.0;
    let name = bare.get(start..)?;
    let leads = bare.get(..start)?.chars().next_back();
    let is_equals = text.get(place..)?.starts_with('=');
    let is_pair = is_equals || bare.len() < before.len() || after.starts_with([' ', '"', '\'', '\\']);
    if leads.is_some_and(|lead| "/@:.".contains(lead))
        || !is_pair
        || !is_server_secret_name(name.trim_start_matches('-'))
    {
        return None;
    }
    let unquoted = after.trim_start().trim_start_matches(quotes);
    let is_quoted = unquoted.len() < after.trim_start().len();
    let value = if is_quoted { unquoted.split(quotes).next()? } else { unquoted };
    let value = after_scheme(value);
    let value = if is_quoted { value } else { first_word(value) };
    let start = value.as_ptr().addr() - text.as_ptr().addr();
    let name = name.trim_start_matches('-').to_owned();
    (!is_switch(value) && has_literal(value)).then(|| Credential { range: start..start + value.len(), name })
}

/// A value without a leading scheme such as `Bearer`.
pub(super) fn after_scheme(value: &str) -> &str {
    let value = value.trim();
    let scheme =
        value.split_once(' ').filter(|(word, _)| super::SCHEMES.iter().any(|known| word.eq_ignore_ascii_case(known)));
    scheme.map_or(value, |(_, rest)| rest.trim_start())
}

/// The first word, without leading spaces and trailing punctuation.
fn first_word(text: &str) -> &str {
    let text = text.trim_start().trim_start_matches(['"', '\'']);
    let end = text.find(|c: char| c.is_whitespace() || "\"'\\;&".contains(c)).unwrap_or(text.len());
    let word = text.get(..end).unwrap_or_default();
    if word.contains("${") { word } else { word.trim_end_matches([',', '}', ']', ')']) }
}

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(|word| (word.as_ptr().addr() - text.as_ptr().addr(), word))
}
