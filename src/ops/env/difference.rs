//! `adl env diff`: compares an environment file with the defaults of the agent.

use super::file::EnvFile;
use super::settings::{Setting, Settings};
use super::{EnvError, EnvOptions, load, shown_default, value};
use crate::dotenv::Document;
use crate::project::Variable;
use crate::secrets::Secrets;

/// A variable that differs from the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The variable.
    pub name: String,
    /// How it differs.
    pub state: Deviation,
}

/// How a variable differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deviation {
    /// The file sets another value.
    Set {
        /// The value in the file.
        value: ShownValue,
        /// The default; masked if it contains a secret.
        default: String,
    },
    /// The value depends on the environment, completely or in part.
    Environment,
    /// The agent requires it and the file does not set it.
    NotSet,
    /// The agent does not read it.
    Unknown,
}

/// A value, unless it must not be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownValue {
    /// The text.
    Text(String),
    /// A secret.
    Hidden,
}

/// Compares an environment file with the manifest. Skips variables that the agent does not read, unless they start with
/// `A2A_`.
pub fn diff_env(options: &EnvOptions) -> Result<Vec<Difference>, EnvError> {
    let project = load(&options.manifest)?;
    let secrets = project.secrets();
    let file = EnvFile::load(&options.file, &secrets)?.without_fault()?;
    let document = Document::parse(&file.text);
    let settings = Settings::read(&document);
    let mut differences = Vec::new();
    for variable in &project.variables {
        let state = match settings.get(&variable.name) {
            Some(setting) => difference(&secrets, variable, setting),
            None => (variable.required && !variable.is_of_process()).then_some(Deviation::NotSet),
        };
        differences.extend(state.map(|state| Difference { name: variable.name.clone(), state }));
    }
    let is_known = |name: &str| project.variables.iter().any(|variable| variable.name == name);
    for variable in document.variables() {
        let name = document.name(variable);
        let is_listed = differences.iter().any(|difference| difference.name == name);
        if name.starts_with("A2A_") && !is_known(name) && !is_listed {
            differences.push(Difference { name: name.to_owned(), state: Deviation::Unknown });
        }
    }
    Ok(differences)
}

fn difference(secrets: &Secrets, variable: &Variable, setting: &Setting) -> Option<Deviation> {
    let Some(text) = &setting.value else { return Some(Deviation::Environment) };
    if value::is_same(variable.kind, text, &variable.default) {
        return None;
    }
    let hidden = !text.is_empty() && secrets.hides(&variable.name, text);
    let value = if hidden { ShownValue::Hidden } else { ShownValue::Text(text.clone()) };
    Some(Deviation::Set { value, default: shown_default(variable) })
}
