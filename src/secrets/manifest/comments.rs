//! Credentials in the comments of a manifest. They have no effect, but a finding near one would show it, and a copy of
//! the manifest would contain it.

use crate::diagnostics::Span;
use crate::document::{Document, View};
use crate::secrets::credential::in_text;

/// The spans of credentials in comments.
pub(super) fn in_comments(document: &Document, text: &str) -> Vec<Span> {
    let mut offset = 0;
    let mut spans = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(place) = comment_start(line) {
            let comment = line.get(place..).unwrap_or_default();
            let found = in_text(comment).into_iter().map(|credential| credential.range);
            let start = offset + place;
            spans.extend(found.map(|range| Span::new(document.file(), start + range.start..start + range.end)));
        }
        offset += line.len();
    }
    if !spans.is_empty() {
        let mut scalars = Vec::new();
        scalars_with_marks(document.root(), &mut scalars);
        scalars.sort_unstable();
        spans.retain(|span| {
            let after = scalars.partition_point(|scalar| scalar.start <= span.start);
            let last = after.checked_sub(1).and_then(|last| scalars.get(last));
            last.is_none_or(|scalar| !scalar.range().contains(&span.start))
        });
    }
    spans
}

/// The offset of the comment in a line; `None` if each `#` is part of a value.
fn comment_start(line: &str) -> Option<usize> {
    let begins = |place| line.get(..place).is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t']));
    line.match_indices('#').map(|(place, _)| place).find(|place| begins(*place))
}

/// Collects the scalars that contain `#` and may therefore look like comments.
fn scalars_with_marks(view: View<'_>, spans: &mut Vec<Span>) {
    if view.raw().contains('#') {
        spans.push(view.span());
    }
    view.entries().for_each(|(_, child)| scalars_with_marks(child, spans));
    view.items().for_each(|child| scalars_with_marks(child, spans));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::FileId;
    use crate::document::parse;

    #[test]
    fn checks_thousands_of_scalars_in_linear_time() {
        let text = "- 'x # token: opensesame4711'\n".repeat(30_000) + "# token: opensesame4711\n";
        let document = parse(FileId::default(), text.as_str()).document.unwrap();
        assert_eq!(in_comments(&document, &text).len(), 1);
    }

    #[test]
    fn finds_credentials_in_comments_only() {
        for (text, expected) in [
            ("# token: opensesame4711\na: 1\n", vec!["opensesame4711"]),
            ("a: 1 # password=opensesame4711\r\nb: 2\n", vec!["opensesame4711"]),
            ("# the token comes from ${TOKEN}, see the page on tokens\na: 1\n", vec![]),
            ("a: |\n  # token: opensesame4711\nb: 'x # token: opensesame4711'\n", vec![]),
            ("a: x#token: opensesame4711\n", vec![]),
        ] {
            let Some(document) = parse(FileId::default(), text).document else { continue };
            let found: Vec<_> = in_comments(&document, text).iter().filter_map(|span| text.get(span.range())).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
