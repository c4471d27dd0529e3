//! The built-in tools.

/// The ID in the manifest and the name for the model.
const TOOLS: [(&str, &str); 5] =
    [("read", "Read"), ("bash", "Bash"), ("write", "Write"), ("edit", "Edit"), ("fetch", "Fetch")];

/// All IDs.
pub(super) fn ids() -> impl Iterator<Item = &'static str> {
    TOOLS.into_iter().map(|(id, _)| id)
}

/// The name of the built-in tool with this ID; `None` for other IDs.
pub fn built_in_tool(id: &str) -> Option<&'static str> {
    TOOLS.iter().find(|(known, _)| *known == id).map(|(_, name)| *name)
}
