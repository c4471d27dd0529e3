//! Credentials near findings in a text that cannot be parsed.

use std::ops::Range;

use crate::diagnostics::{FileId, Span};
use crate::secrets::credential::{Credential, in_header, in_text, in_url, is_secret_name};

/// How many bytes around a finding its snippet may show.
const REACH: usize = 4096;

/// The credentials near `places`, which are byte offsets, as far as `name: value` pairs indicate them.
pub fn near(text: &str, places: impl Iterator<Item = usize>) -> Vec<Span> {
    let mut spans = Vec::new();
    for place in places {
        let start = text.floor_char_boundary(place.saturating_sub(REACH));
        let end = text.ceil_char_boundary(place.saturating_add(REACH));
        let mut offset = start;
        let mut below = None;
        for line in text.get(start..end).unwrap_or_default().split_inclusive(['\n', '\r']) {
            for credential in credentials_in(line) {
                spans.push(Span::new(FileId::default(), offset + credential.start..offset + credential.end));
            }
            let indent = line.len() - line.trim_start().len();
            let key = line.trim().trim_start_matches("- ");
            let is_item = line.trim_start().starts_with('-');
            below = below.filter(|outer| indent > *outer || (indent == *outer && is_item) || line.trim().is_empty());
            if below.is_some() {
                spans.push(Span::new(FileId::default(), offset + indent..offset + line.trim_end().len().max(indent)));
            } else if let Some((name, rest)) = key.split_once(':') {
                let opens = matches!(rest.trim().chars().next(), None | Some('|' | '>' | '&'));
                below = (opens && is_secret_name(name.trim_matches(['"', '\'']))).then_some(indent);
            }
            offset += line.len();
        }
    }
    spans.sort_unstable();
    spans.dedup();
    spans
}

/// The maximum number of bytes after a name that are searched, because a line may have many colons. A credential that
/// continues beyond it is hidden up to the next space or quote.
const LONGEST: usize = 512;

fn credentials_in(line: &str) -> impl Iterator<Item = Range<usize>> {
    let named = line.match_indices(':').flat_map(move |(colon, _)| {
        let (before, after) = line.split_at(colon + 1);
        let name = before.rsplit(|character: char| !is_part_of_name(character)).find(|word| !word.is_empty());
        let after = after.trim_start_matches([' ', '\t', '"', '\'']);
        let start = line.len() - after.len();
        let value = after.get(..after.floor_char_boundary(LONGEST)).unwrap_or_default();
        let rest = after.get(value.len()..).unwrap_or_default();
        let rest_length =
            rest.find(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'')).unwrap_or(rest.len());
        let of_url = if name == Some("url") { in_url(value) } else { Vec::new() };
        let credentials = in_header(name.unwrap_or_default(), value).into_iter().chain(of_url);
        credentials.map(move |Credential { range, .. }| {
            let more = if range.end == value.len() { rest_length } else { 0 };
            start + range.start..start + range.end + more
        })
    });
    named.chain(in_text(line).into_iter().map(|credential| credential.range))
}

fn is_part_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}
