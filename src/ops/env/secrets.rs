//! Which values of an env file may not be shown.

use std::ops::Range;

use crate::dotenv::{Document, Fault, ItemKind, Value, commented_out};
use crate::mcp;
use crate::project::{Group, Kind, Project, Variable};

/// Whether a value of this name is kept back: what the manifest refers to and headers always, else what name or value gives away.
pub(super) fn hides(project: &Project, name: &str, value: &str) -> bool {
    let variable = project.variables.iter().find(|variable| variable.name == name);
    let kept_back = |variable: &Variable| {
        (variable.group == Group::Reference && !variable.is_of_process()) || variable.kind == Kind::Pairs
    };
    variable.is_some_and(kept_back)
        || mcp::is_secret_name(name)
        || !mcp::in_environment(name, value).is_empty()
        || value.split(',').any(|part| !mcp::in_url(part).is_empty())
}

/// The places of a text that no output may show, in order. From a quote on that is never closed, that is all.
pub(super) fn places(project: &Project, text: &str) -> Vec<Range<usize>> {
    let document = Document::parse(text);
    let mut places = Vec::new();
    for item in document.items() {
        match &item.kind {
            ItemKind::Blank => {}
            ItemKind::Comment => {
                let line = document.slice(&item.range);
                let value = line.split_once('=').map_or("", |(_, value)| value.trim());
                let hidden = match commented_out(line) {
                    Some(name) => hides(project, name, value),
                    None => !mcp::in_text(line).is_empty(),
                };
                if hidden {
                    let start = line.find('=').map_or(0, |place| place + 1);
                    places.push(item.range.start + start..item.range.start + line.trim_end().len());
                }
            }
            ItemKind::Variable(variable) => {
                let Some(range) = &variable.value else { continue };
                let written = document.slice(range);
                let read = match document.value(variable) {
                    Some(Value::Literal(text)) => text,
                    Some(Value::Interpolated) | None => written.to_owned(),
                };
                if !read.is_empty() && hides(project, document.name(variable), &read) {
                    places.push(range.clone());
                }
            }
            ItemKind::Malformed(malformed) if malformed.fault == Fault::UnclosedQuote => {
                places.push(malformed.place.start..text.len());
                break;
            }
            ItemKind::Malformed(malformed) => {
                let line = document.slice(&item.range);
                let shown =
                    line.find(['=', ':']).filter(|place| is_like_a_name(line.get(..*place).unwrap_or_default()));
                let start = item.range.start + shown.map_or(0, |place| place + 1);
                places.push(start..malformed.place.end.max(item.range.start + line.trim_end().len()));
            }
        }
    }
    places.retain(|place| !place.is_empty());
    places
}

/// Whether what stands in front of a value may be shown: no line from the middle of a key is.
fn is_like_a_name(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-' | ' ' | '\t'))
}
