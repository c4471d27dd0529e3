//! Checks that the title of each example yields a unique folder name.

use super::{at, duplicates, text};
use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::names::words;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let examples = at(root, &["spec", "examples"]).into_iter().flat_map(View::items);
    let titles = examples.filter_map(|example| Some((words(text(example, "title")?), example.get("title")?)));
    let (titled, untitled): (Vec<_>, Vec<_>) = titles.partition(|(words, _)| !words.is_empty());
    let untitled = untitled.into_iter().map(|(_, view)| {
        let headline = "the title of an example contains no letter or digit";
        Diagnostic::new(Code::InvalidExampleTitle, view.span(), headline)
            .note("the folder of the example is named after its title")
            .help("describe what the example shows")
    });
    let repeated = duplicates(titled.into_iter()).into_iter().map(|(again, first)| {
        Diagnostic::new(Code::DuplicatePath, again.span(), "two examples have the same folder")
            .related(first.span(), "first defined here")
            .help("give each example a unique title")
    });
    untitled.chain(repeated).collect()
}
