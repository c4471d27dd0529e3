//! Numbers in settings and argument schemas whose format is lost: `0123` becomes 123, `1.10` becomes 1.1. Elsewhere the
//! schema requires a string or a number and reports the error itself.

use serde_json::Value;

use crate::diagnostics::{Applicability, Code, Diagnostic, Edit, Suggestion};
use crate::document::{Document, View};

pub(super) fn check(document: &Document) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let Some(spec) = document.root().get("spec") else { return found };
    if let Some(config) = spec.get("config") {
        config.entries().filter(|(section, _)| *section != "tools").for_each(|(_, section)| visit(section, &mut found));
    }
    let tools = spec.get("tools").into_iter().flat_map(View::items);
    tools.filter_map(|tool| tool.get("schema")).for_each(|schema| visit(schema, &mut found));
    found
}

fn visit(view: View<'_>, found: &mut Vec<Diagnostic>) {
    if matches!(view.value(), Value::Number(_)) {
        found.extend(finding(view));
    }
    view.entries().map(|(_, entry)| entry).chain(view.items()).for_each(|child| visit(child, found));
}

fn finding(view: View<'_>) -> Option<Diagnostic> {
    let raw = view.raw();
    let digits = raw.trim_start_matches(['+', '-']);
    let leading_zero =
        digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit());
    let trailing_zero = digits.split_once('.').is_some_and(|(_, fraction)| {
        fraction.len() > 1 && fraction.ends_with('0') && fraction.bytes().all(|digit| digit.is_ascii_digit())
    });
    if !leading_zero && !trailing_zero {
        return None;
    }
    let quoted = format!("\"{raw}\"");
    Some(
        Diagnostic::new(Code::LossyNumber, view.span(), format!("`{raw}` is read as the number {}", view.value()))
            .help(format!("write `{quoted}` if it is a string, or the number without the zero"))
            .suggest(Suggestion {
                text: "quote the value".to_owned(),
                edits: vec![Edit { span: view.span(), replacement: quoted }],
                applicability: Applicability::Review,
            }),
    )
}
