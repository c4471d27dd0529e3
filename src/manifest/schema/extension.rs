//! Fields that only this tool knows: the schema marks them with `x-adl-extension`.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::{Document, View};

use super::node::{Known, Node};
use super::path::path;

/// A warning for each field of the document that other tools refuse, sorted by place.
pub fn check_extensions(document: &Document) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    visit(document.root(), document.root(), Node::root(), &mut found);
    crate::diagnostics::sort(&mut found);
    found
}

fn visit(root: View<'_>, view: View<'_>, node: Node, found: &mut Vec<Diagnostic>) {
    if node.is_extension() {
        found.extend(view.key_span().map(|span| {
            Diagnostic::new(
                Code::NonPortableField,
                span,
                format!("only this tool knows `{}`", path(root, &view.pointer())),
            )
            .note("other tools for these manifests refuse the field")
            .help("remove it where the manifest must work with them")
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
