//! Fields that only this tool supports, marked with `x-adl-extension` in the schema.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::{Document, View};

use super::node::{Known, Node};
use super::path::path;

/// Returns a warning for each field that other tools reject, sorted by location.
pub fn check_extensions(document: &Document) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    visit(document.root(), document.root(), Node::root(), &mut found);
    crate::diagnostics::sort(&mut found);
    found
}

fn visit(root: View<'_>, view: View<'_>, node: Node, found: &mut Vec<Diagnostic>) {
    if node.is_extension() {
        found.extend(view.key_span().map(|span| {
            Diagnostic::new(Code::NonPortableField, span, format!("`{}` is not portable", path(root, &view.pointer())))
                .note("other tools reject the field")
                .help("remove it if the manifest must work with other tools")
        }));
    }
    for (key, child) in view.entries() {
        if let Known::Child(known) = node.known(key) {
            visit(root, child, known, found);
        }
    }
    if let Some(items) = node.items() {
        view.items().for_each(|item| visit(root, item, items, found));
    }
}
