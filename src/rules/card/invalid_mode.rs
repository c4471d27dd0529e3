//! Checks that input and output modes are media types or common short words such as `text`.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::at;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let lists = ["defaultInputModes", "defaultOutputModes"];
    let modes = lists.iter().filter_map(|list| at(root, &["spec", "card", list])).flat_map(View::items);
    modes
        .filter(|mode| mode.as_str().is_some_and(|text| !is_mode(text)))
        .map(|mode| {
            Diagnostic::new(Code::InvalidMode, mode.span(), "a mode of the agent card is not a media type")
                .note("clients compare it with the media types that they support")
                .help("write a media type such as `text/plain`, or a word such as `text`")
        })
        .collect()
}

fn is_mode(text: &str) -> bool {
    let is_token = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '*')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "!#$&^_.+-*".contains(c))
    };
    match text.split(';').next().unwrap_or_default().trim_end().split_once('/') {
        Some((kind, subtype)) => is_token(kind) && is_token(subtype),
        None => is_token(text),
    }
}
