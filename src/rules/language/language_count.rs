//! Checks that a manifest has exactly one block below `spec.language`.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::at;

use super::blocks;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(language) = at(root, &["spec", "language"]).filter(|language| language.is_mapping()) else {
        return Vec::new();
    };
    let blocks = blocks(root);
    let names: Vec<_> = blocks.iter().map(|(language, _)| language.name()).collect();
    match blocks.as_slice() {
        [] => vec![
            Diagnostic::new(Code::MissingLanguage, language.span(), "`spec.language` contains no language")
                .help("add one of `go`, `typescript` and `rust`"),
        ],
        [_] => Vec::new(),
        [(_, first), others @ ..] => {
            let place = others.first().and_then(|(_, block)| block.key_span()).unwrap_or(language.span());
            let headline = format!("`spec.language` contains more than one language: {}", names.join(", "));
            let finding = Diagnostic::new(Code::MultipleLanguages, place, headline).help("keep one of them");
            vec![match first.key_span() {
                Some(span) => finding.related(span, "the first one"),
                None => finding,
            }]
        }
    }
}
