//! Renders planned files. Only this module configures the template engine and adapts run-time sources; targets use it
//! only for the values of templates.
//!
//! Contains the engine's configuration, the filters that format manifest strings as literals ([`literals`]), the
//! conditional regions of run-time sources ([`Adaptation`]), and the rendering of [`PlannedFile`]s to a [`FileTree`]. A
//! template that prints anything but strings and numbers is an error.

mod filters;
pub mod literals;
mod runtime;

use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value};
use serde::Serialize;
use thiserror::Error as ThisError;

use crate::files::{Contents, FileTree, Owner, PathError, with_header};
use crate::merge::Strategy;

pub use runtime::{Adaptation, MarkerError};

/// A file below `templates/` that is embedded in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// The path relative to `templates/`, for example `go/main.go.j2`.
    pub path: &'static str,
    /// The contents.
    pub text: &'static str,
}

/// The [`Source`] at a path relative to `templates/`. Fails to compile if the file does not exist.
macro_rules! source {
    ($($path:literal),+) => {
        $crate::render::Source {
            path: concat!($($path),+),
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/", $($path),+)),
        }
    };
}
pub(crate) use source;

impl Source {
    /// A template with its context.
    pub fn fill(self, context: impl Serialize) -> Content {
        Content::Template(self, Value::from(Serde(context)))
    }

    /// A run-time source with its adaptation.
    pub fn adapt(self, adaptation: &Arc<Adaptation>) -> Content {
        Content::Runtime(self, Arc::clone(adaptation))
    }
}

/// A file to render.
#[derive(Debug, Clone)]
pub struct PlannedFile {
    /// The path relative to the output folder, with `/` between components.
    pub path: String,
    /// The owner of the file.
    pub owner: Owner,
    /// How the file is merged if the user edited it.
    pub strategy: Strategy,
    /// The source of the contents.
    pub content: Content,
}

/// The source of a planned file.
#[derive(Debug, Clone)]
pub enum Content {
    /// A template and its context.
    Template(Source, Value),
    /// A run-time source and its adaptation.
    Runtime(Source, Arc<Adaptation>),
}

impl PlannedFile {
    /// A file with owner `Generated`.
    pub fn generated(path: &str, content: Content) -> Self {
        Self { path: path.to_owned(), owner: Owner::Generated, strategy: Strategy::Text, content }
    }

    /// A file with owner `Seeded`, which is written once and then belongs to the user.
    pub fn seeded(path: &str, content: Content) -> Self {
        Self { owner: Owner::Seeded, ..Self::generated(path, content) }
    }

    /// A file with owner `Shared`, of which only some entries are generated.
    pub fn shared(path: &str, strategy: Strategy, content: Content) -> Self {
        Self { owner: Owner::Shared, strategy, ..Self::generated(path, content) }
    }
}

/// Why rendering failed. This is always a bug, because paths and templates do not depend on strings in the manifest.
#[derive(Debug, ThisError)]
pub enum RenderError {
    /// A template is missing, has a syntax error, or prints an unsupported value.
    #[error("cannot render `{path}`: {}", innermost(source))]
    Template {
        /// The path of the file.
        path: String,
        /// The error of the engine; boxed for its size.
        source: Box<Error>,
    },
    /// A run-time source contains an invalid marker.
    #[error("cannot adapt `{path}`: {source}")]
    Runtime {
        /// The path of the file.
        path: String,
        /// The invalid marker.
        source: MarkerError,
    },
    /// The path is invalid.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// Renders all files, each with the header of its owner. Files that start with `#!` are executable.
///
/// # Errors
/// Returns an error for the first file that cannot be rendered or added.
pub fn render(files: &[PlannedFile]) -> Result<FileTree, RenderError> {
    let mut environment = environment();
    let mut tree = FileTree::new();
    for PlannedFile { path, owner, strategy, content } in files {
        let text = match content {
            Content::Template(template, context) => print_template(&mut environment, *template, context)
                .map_err(|source| RenderError::Template { path: path.clone(), source: Box::new(source) })?,
            Content::Runtime(source, adaptation) => {
                adaptation.apply(source.text).map_err(|source| RenderError::Runtime { path: path.clone(), source })?
            }
        };
        let executable = text.starts_with("#!");
        let bytes = with_header(path, *owner, text).into_bytes();
        tree.insert(path, Contents { bytes, owner: *owner, strategy: *strategy, executable })?;
    }
    Ok(tree)
}

fn print_template(environment: &mut Environment<'static>, template: Source, context: &Value) -> Result<String, Error> {
    if environment.get_template(template.path).is_err() {
        environment.add_template(template.path, template.text)?;
    }
    environment.get_template(template.path)?.render(context)
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_formatter(print);
    let mut syntax = SyntaxConfig::default().to_builder();
    if let Ok(syntax) = syntax.keep_trailing_newline(true).build() {
        environment.set_syntax(syntax);
    }
    filters::register(&mut environment);
    environment
}

/// Prints strings and numbers. Other values are an error in the template.
fn print(out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
    let kind = value.kind();
    if matches!(kind, ValueKind::String | ValueKind::Number) {
        minijinja::escape_formatter(out, state, value)
    } else {
        Err(Error::new(ErrorKind::InvalidOperation, format!("a template prints a value of kind {kind}")))
    }
}

/// The root cause of an error in an included template.
fn innermost(error: &Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests;
