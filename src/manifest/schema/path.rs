//! Readable paths of manifest parts.

use crate::document::View;
use crate::document::pointer::tokens;

/// The path of a part of a manifest, such as `spec.agent.mcp.servers[0].url`; `the manifest` for the root.
pub fn path(root: View<'_>, pointer: &str) -> String {
    let mut place = Some(root);
    let mut path = String::new();
    for name in tokens(pointer) {
        let in_sequence = place.is_some_and(View::is_sequence);
        if in_sequence {
            path.extend(["[", &name, "]"]);
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&name);
        }
        place = place.and_then(|view| if in_sequence { view.item(name.parse().ok()?) } else { view.get(&name) });
    }
    if path.is_empty() { "the manifest".to_owned() } else { path }
}
