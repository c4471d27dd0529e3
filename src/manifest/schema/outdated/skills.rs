//! Skills that are now tools: before tools were introduced, skills had a schema and a handler.

use crate::document::View;
use crate::document::edit::Editor;

use super::Upgrade;

/// Fields that were moved from skills to tools.
pub(super) const TOOL_FIELDS: [&str; 5] = ["schema", "inject", "parameters", "type", "implementation"];

/// The first tool field of a skill. One finding per skill is enough.
pub(super) fn tool_field(skill: View<'_>) -> Option<View<'_>> {
    skill.entries().find(|(key, _)| TOOL_FIELDS.contains(key)).map(|(_, field)| field)
}

/// Whether all entries of `spec.skills` are tools.
pub(super) fn all_are_tools(spec: View<'_>) -> bool {
    spec.get("skills").is_some_and(|skills| skills.items().all(|skill| tool_field(skill).is_some()))
}

/// Renames the whole list to `tools` if all entries are tools; otherwise moves each entry.
pub(super) fn move_to_tools(editor: Editor<'_>, spec: View<'_>, whole: bool, field: &str) -> Upgrade {
    let (skill, _) = field.rsplit_once('/')?;
    let is_first = skill.ends_with("/0");
    match spec.get("tools") {
        None if whole => {
            let edits = is_first.then(|| editor.rename("/spec/skills", "tools"))??;
            Some(("rename the list to `tools`".to_owned(), edits))
        }
        Some(tools) if tools.is_null() || tools.is_sequence() && tools.items().next().is_none() => {
            let edits = is_first.then(|| editor.remove("/spec/tools"))??;
            Some(("remove the empty list `tools`".to_owned(), edits))
        }
        _ => Some(("move the entry to `spec.tools`".to_owned(), editor.move_item(skill, "/spec", "tools")?)),
    }
}
