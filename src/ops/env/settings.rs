//! The variables that an environment file sets.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::diagnostics::{Code, Diagnostic, FileId, Span};
use crate::dotenv::{Document, Value};
use crate::mcp;

/// Boolean values that Go's `strconv.ParseBool` accepts.
const TRUE: [&str; 6] = ["1", "t", "T", "TRUE", "true", "True"];
const FALSE: [&str; 6] = ["0", "f", "F", "FALSE", "false", "False"];

/// Parses a boolean like Go does.
pub(super) fn truth(text: &str) -> Option<bool> {
    if TRUE.contains(&text) { Some(true) } else { FALSE.contains(&text).then_some(false) }
}

/// The variables that a file sets.
#[derive(Debug)]
pub(super) struct Settings {
    /// By name. The last assignment of a name takes effect.
    pub(super) effective: BTreeMap<String, Setting>,
    /// Assignments that a later one overrides, each with the later one.
    pub(super) duplicates: Vec<(Setting, Setting)>,
}

/// One variable of a file.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub(super) name: String,
    /// The value; `None` if it depends on the environment.
    pub(super) value: Option<String>,
    pub(super) name_place: Range<usize>,
    /// The range of the value, or of the name if there is no value.
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
        let mut settings = Self { effective: BTreeMap::new(), duplicates: Vec::new() };
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
                settings.duplicates.push((earlier, setting));
            }
        }
        settings
    }

    pub(super) fn get(&self, name: &str) -> Option<&Setting> {
        self.effective.get(name)
    }

    /// The variables that values refer to with `${NAME}`, each with the variable that contains the reference.
    pub(super) fn references(&self) -> impl Iterator<Item = (&str, &Setting)> {
        let referring = ["A2A_MCP_HEADERS", "A2A_MCP_SERVERS"].into_iter().filter_map(|name| self.get(name));
        referring.flat_map(|setting| {
            let text = setting.value.as_deref().unwrap_or_default();
            mcp::references(text).map(move |reference| (reference.name, setting))
        })
    }

    /// Whether the file disables MCP. The agent then ignores all variables that only concern MCP.
    pub(super) fn switches_mcp_off(&self) -> bool {
        self.is("A2A_MCP_ENABLED", false)
    }

    /// Whether a boolean variable is set to `wanted`.
    pub(super) fn is(&self, name: &str, wanted: bool) -> bool {
        let text = self.get(name).and_then(|setting| setting.value.as_deref());
        text.and_then(|text| truth(text.trim())) == Some(wanted)
    }

    pub(super) fn refers_to(&self, name: &str) -> bool {
        self.references().any(|(known, _)| known == name)
    }
}
