//! YAML, by the editor that `adl fix` uses.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{Splice, Syntax, SyntaxError};
use crate::diagnostics::{Diagnostic, Edit, FileId};
use crate::document::edit::{Place, lines};
use crate::document::pointer::token;
use crate::document::{self, Document};

/// A parsed file.
pub(super) struct Tree {
    text: String,
    document: Option<Document>,
    value: Value,
}

impl Tree {
    pub(super) fn parse(text: &str) -> Result<Self, SyntaxError> {
        let has_content = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        if !super::without_mark(text).0.lines().any(has_content) {
            return Ok(Self { text: text.to_owned(), document: None, value: Value::Object(Map::new()) });
        }
        let parsed = document::parse(FileId::default(), text);
        if let Some(finding) = parsed.diagnostics.iter().find(|finding| finding.is_error()) {
            return Err(SyntaxError::at(text, offset(finding), problem(finding)));
        }
        let document = parsed.document.ok_or_else(|| SyntaxError::at(text, 0, "the file is not a YAML document"))?;
        let value = document.value().clone();
        Ok(Self { text: text.to_owned(), document: Some(document), value })
    }
}

fn offset(finding: &Diagnostic) -> usize {
    finding.primary.as_ref().map_or(0, |label| label.span.start)
}

/// The name of the code: headlines may quote the file.
fn problem(finding: &Diagnostic) -> String {
    finding.code.name().replace('-', " ").replace("yaml", "YAML")
}

fn pointer(path: &[&str]) -> String {
    path.iter().flat_map(|key| ["/".to_owned(), token(key)]).collect()
}

fn splices(edits: Vec<Edit>) -> Vec<Splice> {
    edits.into_iter().map(|edit| (edit.span.range(), edit.replacement)).collect()
}

impl Syntax for Tree {
    fn value(&self) -> &Value {
        &self.value
    }

    fn key(&self, path: &[&str]) -> Option<Range<usize>> {
        Some(self.document.as_ref()?.at(&pointer(path))?.key_span()?.range())
    }

    fn insert(&self, table: &[&str], key: &str, value: &Value) -> Option<Vec<Splice>> {
        let Some(document) = &self.document else {
            // A file of comments: the first entry goes to its end.
            let line_break = lines::line_break(&self.text);
            let before = if self.text.is_empty() || self.text.ends_with(['\n', super::BYTE_ORDER_MARK]) {
                ""
            } else {
                line_break
            };
            let entry = document::edit::block_entry(key, value).join(line_break);
            return Some(vec![(self.text.len()..self.text.len(), format!("{before}{entry}{line_break}"))]);
        };
        let at = pointer(table);
        let is_empty = document.at(&at)?.value().as_object().is_some_and(Map::is_empty);
        match table.split_last() {
            // `{}` on a line of its own becomes a block.
            Some((own, _)) if is_empty => {
                let filled = super::table_of(key, value.clone());
                document.editor()?.replace_entry(&at, own, &filled).map(splices)
            }
            _ => document.editor()?.insert(&at, key, value, Place::Last).map(splices),
        }
    }

    fn replace(&self, path: &[&str], value: &Value) -> Option<Vec<Splice>> {
        let (editor, at) = (self.document.as_ref()?.editor()?, pointer(path));
        let edits = match value {
            Value::String(text) => editor.replace(&at, text),
            Value::Null | Value::Bool(_) | Value::Number(_) => editor.replace_scalar(&at, value),
            Value::Array(_) | Value::Object(_) => None,
        };
        edits.or_else(|| editor.replace_entry(&at, path.last()?, value)).map(splices)
    }

    fn remove(&self, path: &[&str]) -> Option<Vec<Splice>> {
        let (editor, at) = (self.document.as_ref()?.editor()?, pointer(path));
        if let Some(edits) = editor.remove(&at).or_else(|| editor.remove_only(&at)) {
            return Some(splices(edits));
        }
        // The only entry of a flow mapping.
        let (_, above) = path.split_last()?;
        let entries = self.document.as_ref()?.at(&pointer(above))?.entries().count();
        (entries == 1).then_some(())?;
        editor.replace_entry(&pointer(above), above.last()?, &Value::Object(Map::new())).map(splices)
    }
}
