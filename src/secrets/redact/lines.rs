//! Secrets in a text of any type, line by line.

use std::ops::Range;

use super::Secrets;
use crate::secrets::credential;

impl Secrets {
    /// The byte ranges of secrets in a text of unknown type; they may overlap.
    pub(super) fn in_lines(&self, text: &str) -> Vec<Range<usize>> {
        let mut places = credential::private_keys(text);
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let found = self.in_line(line).into_iter();
            places.extend(found.map(|range| start + range.start..start + range.end));
            start += line.len();
        }
        places
    }

    fn in_line(&self, line: &str) -> Vec<Range<usize>> {
        let mut places: Vec<_> = credential::in_text(line).into_iter().map(|credential| credential.range).collect();
        for (place, _) in line.match_indices(['=', ':']) {
            let (before, after) = (line.get(..place).unwrap_or_default(), line.get(place + 1..).unwrap_or_default());
            let before = before.trim_end_matches([' ', '\t', '"', '\'']);
            let name = before.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
            if name.is_some_and(|name| self.names.contains(name)) && credential::has_literal(after) {
                places.push(line.len() - after.trim_start().len()..line.trim_end().len());
            }
        }
        places
    }
}
