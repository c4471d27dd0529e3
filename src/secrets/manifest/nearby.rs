//! Credentials in a text that is no document, around the places that findings show.

use std::ops::Range;

use crate::diagnostics::{FileId, Span};
use crate::secrets::credential::{Credential, in_header, in_text, in_url, is_secret_name};

/// How far from a place, in bytes, its snippet may show text.
const REACH: usize = 4096;

/// The credentials around these places, offsets in bytes, as far as `name: value` gives them away.
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

/// Most bytes behind a name in which a credential is looked for, as a line may have many colons. One that goes on there is
/// hidden up to the next space or quote.
const LONGEST: usize = 512;

fn credentials_in(line: &str) -> impl Iterator<Item = Range<usize>> {
    let named = line.match_indices(':').flat_map(move |(colon, _)| {
        let (before, behind) = line.split_at(colon + 1);
        let name = before.rsplit(|character: char| !is_part_of_name(character)).find(|word| !word.is_empty());
        let behind = behind.trim_start_matches([' ', '\t', '"', '\'']);
        let start = line.len() - behind.len();
        let value = behind.get(..behind.floor_char_boundary(LONGEST)).unwrap_or_default();
        let rest = behind.get(value.len()..).unwrap_or_default();
        let goes_on =
            rest.find(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'')).unwrap_or(rest.len());
        let of_url = if name == Some("url") { in_url(value) } else { Vec::new() };
        let credentials = in_header(name.unwrap_or_default(), value).into_iter().chain(of_url);
        credentials.map(move |Credential { range, .. }| {
            let more = if range.end == value.len() { goes_on } else { 0 };
            start + range.start..start + range.end + more
        })
    });
    named.chain(in_text(line).into_iter().map(|credential| credential.range))
}

fn is_part_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}
