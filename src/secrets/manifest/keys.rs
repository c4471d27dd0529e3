//! Credentials in keys, such as a header that was written before its colon, or a token in place of a name.

use crate::document::View;
use crate::secrets::credential::in_text;

/// The entries whose key contains a credential, each with its key.
pub fn in_keys(root: View<'_>) -> Vec<(&str, View<'_>)> {
    let mut found = Vec::new();
    visit(root, &mut found);
    found
}

fn visit<'a>(view: View<'a>, found: &mut Vec<(&'a str, View<'a>)>) {
    for (key, child) in view.entries() {
        if !in_text(key).is_empty() {
            found.push((key, child));
        }
        visit(child, found);
    }
    view.items().for_each(|item| visit(item, found));
}
