//! The tools that come with the generator and have no body to fill in.

/// The id that a manifest writes and the name that the model sees.
const TOOLS: [(&str, &str); 5] =
    [("read", "Read"), ("bash", "Bash"), ("write", "Write"), ("edit", "Edit"), ("fetch", "Fetch")];

/// The ids of all of them.
pub(super) fn ids() -> impl Iterator<Item = &'static str> {
    TOOLS.into_iter().map(|(id, _)| id)
}

/// The name under which the model sees the built-in tool with this id; `None` for an id of the user's.
pub fn built_in_tool(id: &str) -> Option<&'static str> {
    TOOLS.iter().find(|(known, _)| *known == id).map(|(_, name)| *name)
}
