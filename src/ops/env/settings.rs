//! What an env file sets.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::diagnostics::{Code, Diagnostic, FileId, Span};
use crate::dotenv::{Document, Value};
use crate::mcp;

/// What Go takes for a truth value.
const TRUE: [&str; 6] = ["1", "t", "T", "TRUE", "true", "True"];
const FALSE: [&str; 6] = ["0", "f", "F", "FALSE", "false", "False"];

/// A truth value as Go reads it.
pub(super) fn truth(text: &str) -> Option<bool> {
    if TRUE.contains(&text) { Some(true) } else { FALSE.contains(&text).then_some(false) }
}

/// What a file sets.
#[derive(Debug)]
pub(super) struct Settings {
    /// By name; of several of one name the last, which counts.
    pub(super) effective: BTreeMap<String, Setting>,
    /// Those that a later one of the same name overrides, with that one.
    pub(super) twice: Vec<(Setting, Setting)>,
}

/// One variable of a file.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub(super) name: String,
    /// Its text; `None`: the environment that reads the file decides.
    pub(super) value: Option<String>,
    pub(super) name_place: Range<usize>,
    /// Where its value is written, or its name where it has none.
    place: Range<usize>,
}

impl Setting {
    /// A finding about the value.
    pub(super) fn finding(&self, code: Code, headline: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Span::new(FileId::default(), self.place.clone()), headline)
    }
}

impl Settings {
    pub(super) fn read(document: &Document<'_>) -> Self {
        let mut settings = Self { effective: BTreeMap::new(), twice: Vec::new() };
        for variable in document.variables() {
            let value = match document.value(variable) {
                Some(Value::Literal(text)) => Some(text),
                Some(Value::Interpolated | Value::Invalid(_)) | None => None,
            };
            let place = variable.value.clone().filter(|range| !range.is_empty());
            let setting = Setting {
                name: document.name(variable).to_owned(),
                value,
                name_place: variable.name.clone(),
                place: place.unwrap_or_else(|| variable.name.clone()),
            };
            if let Some(earlier) = settings.effective.insert(setting.name.clone(), setting.clone()) {
                settings.twice.push((earlier, setting));
            }
        }
        settings
    }

    pub(super) fn get(&self, name: &str) -> Option<&Setting> {
        self.effective.get(name)
    }

    /// The variables that the texts of other variables refer to with `${NAME}`, each with the one that does.
    pub(super) fn references(&self) -> impl Iterator<Item = (&str, &Setting)> {
        let referring = ["A2A_MCP_HEADERS", "A2A_MCP_SERVERS"].into_iter().filter_map(|name| self.get(name));
        referring.flat_map(|setting| {
            let text = setting.value.as_deref().unwrap_or_default();
            mcp::references(text).map(move |reference| (reference.name, setting))
        })
    }

    /// Whether the file says that there are no MCP servers; the agent then asks nothing of what is about them alone.
    pub(super) fn switches_mcp_off(&self) -> bool {
        self.is("A2A_MCP_ENABLED", false)
    }

    /// Whether a truth value is set, and to this.
    pub(super) fn is(&self, name: &str, wanted: bool) -> bool {
        let text = self.get(name).and_then(|setting| setting.value.as_deref());
        text.and_then(|text| truth(text.trim())) == Some(wanted)
    }

    pub(super) fn refers_to(&self, name: &str) -> bool {
        self.references().any(|(known, _)| known == name)
    }
}
