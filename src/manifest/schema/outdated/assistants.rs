//! Switches for coding assistants. The first format had a single switch (`ai.enabled`, for Claude Code), the second one
//! switch per assistant under `ai`; now they are under `ai.orchestrators`.

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
        // Contradiction: disabled, but an assistant is enabled. The user must decide.
        let decided = is_on || !any_is_on;
        let edits = decided.then(|| editor.remove(&at))??;
        return Some(("remove it; `orchestrators` takes precedence".to_owned(), edits));
    }
    // The switches of assistants are moved first.
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
        // The other assistants are moved once the block exists.
        None if flat_names(block).next() == Some(name) => editor.nest(&pointer, &["orchestrators", name])?,
        None => return None,
    };
    Some((text, edits))
}

/// The assistants under `ai` instead of `ai.orchestrators`.
fn flat_names(block: View<'_>) -> impl Iterator<Item = &str> {
    block.entries().map(|(key, _)| key).filter(|key| NAMES.contains(key))
}
