//! Switches for coding assistants. First there was one (`ai.enabled`, which meant Claude Code), then one for each assistant
//! beside it; now they are below `ai.orchestrators`.

use crate::document::View;
use crate::document::edit::{Editor, Place};

use super::Upgrade;

pub(super) const NAMES: [&str; 5] = ["claudecode", "codex", "gemini", "opencode", "infer"];

const BLOCK: &str = "/spec/development/ai";
const ORCHESTRATORS: &str = "/spec/development/ai/orchestrators";

pub(super) fn single_switch(editor: Editor<'_>, spec: View<'_>, switch: View<'_>) -> Upgrade {
    let block = spec.get("development")?.get("ai")?;
    let is_on = switch.as_bool()?;
    let at = format!("{BLOCK}/enabled");
    if let Some(orchestrators) = block.get("orchestrators") {
        let any_is_on = orchestrators
            .entries()
            .any(|(_, assistant)| assistant.get("enabled").and_then(View::as_bool) == Some(true));
        // Off, while an assistant is on: a person has to say which of them holds.
        let decided = is_on || !any_is_on;
        let edits = decided.then(|| editor.remove(&at))??;
        return Some(("remove it; `orchestrators` takes precedence".to_owned(), edits));
    }
    // Assistants beside it move first.
    if flat_names(block).next().is_some() {
        return None;
    }
    let edits = editor.nest(&at, &["orchestrators", "claudecode", "enabled"])?;
    Some(("move it to `orchestrators.claudecode.enabled`".to_owned(), edits))
}

pub(super) fn flat(editor: Editor<'_>, spec: View<'_>, assistant: View<'_>) -> Upgrade {
    let block = spec.get("development")?.get("ai")?;
    let pointer = assistant.pointer();
    let name = pointer.rsplit('/').next()?;
    let text = format!("move `{name}` to `orchestrators`");
    if assistant.value().is_boolean() {
        return Some((format!("write `{name}.enabled`"), editor.nest(&pointer, &[name, "enabled"])?));
    }
    let edits = match block.get("orchestrators") {
        Some(_) => editor.move_entry(&pointer, ORCHESTRATORS, Place::Last)?,
        // The others follow once the block is there.
        None if flat_names(block).next() == Some(name) => editor.nest(&pointer, &["orchestrators", name])?,
        None => return None,
    };
    Some((text, edits))
}

/// The assistants beside `orchestrators` instead of below it.
fn flat_names(block: View<'_>) -> impl Iterator<Item = &str> {
    block.entries().map(|(key, _)| key).filter(|key| NAMES.contains(key))
}
