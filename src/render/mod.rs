//! Planned files to text: the one place that sets the template engine up and adapts run-time sources. Targets know its values alone.
//!
//! Owns the engine's set-up, the filters that turn manifest strings into literals ([`literals`]), the regions of run-time sources
//! ([`Adaptation`]), and the step from [`PlannedFile`]s to a [`FileTree`]. A template that prints an undefined value, a truth value,
//! nothing or a collection is refused, not guessed at.

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

/// A file below `templates/` that is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Its path below `templates/`, for example `go/main.go.j2`.
    pub path: &'static str,
    /// What it holds.
    pub text: &'static str,
}

/// The [`Source`] at a path below `templates/`. One that does not exist fails to compile.
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
    /// The template, with what it prints.
    pub fn fill(self, context: impl Serialize) -> Content {
        Content::Template(self, Value::from(Serde(context)))
    }

    /// The run-time source, with what it is adapted to.
    pub fn adapt(self, adaptation: &Arc<Adaptation>) -> Content {
        Content::Runtime(self, Arc::clone(adaptation))
    }
}

/// A file that is to be rendered.
#[derive(Debug, Clone)]
pub struct PlannedFile {
    /// Where it goes, below the output folder, with `/` between components.
    pub path: String,
    /// Whose the file will be.
    pub owner: Owner,
    /// How it is brought up to date where the user has edited it too.
    pub strategy: Strategy,
    /// What it is made of.
    pub content: Content,
}

/// What a planned file is made of.
#[derive(Debug, Clone)]
pub enum Content {
    /// A template and what it prints.
    Template(Source, Value),
    /// A run-time source and what it is adapted to.
    Runtime(Source, Arc<Adaptation>),
}

impl PlannedFile {
    /// A file that is ours.
    pub fn generated(path: &str, content: Content) -> Self {
        Self { path: path.to_owned(), owner: Owner::Generated, strategy: Strategy::Text, content }
    }

    /// A file that is written once and then the user's.
    pub fn seeded(path: &str, content: Content) -> Self {
        Self { owner: Owner::Seeded, ..Self::generated(path, content) }
    }

    /// A file in which we own entries.
    pub fn shared(path: &str, strategy: Strategy, content: Content) -> Self {
        Self { owner: Owner::Shared, strategy, ..Self::generated(path, content) }
    }
}

/// Why nothing could be rendered: a mistake of our own, for the targets keep paths and templates clear of the manifest's texts.
#[derive(Debug, ThisError)]
pub enum RenderError {
    /// A template is missing, malformed, or prints what it must not.
    #[error("cannot render `{path}`: {}", innermost(source))]
    Template {
        /// The file that was to be made.
        path: String,
        /// What the engine says; boxed for its size.
        source: Box<Error>,
    },
    /// A run-time source has a marker that means nothing.
    #[error("cannot adapt `{path}`: {source}")]
    Runtime {
        /// The file that was to be made.
        path: String,
        /// The marker.
        source: MarkerError,
    },
    /// The file cannot have this path.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// Renders every file, with the header that says whose it is. A file that begins with `#!` becomes executable.
///
/// # Errors
/// The first file that cannot be rendered or placed.
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

/// Prints strings and numbers; anything else is a mistake in a template.
fn print(out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
    let kind = value.kind();
    if matches!(kind, ValueKind::String | ValueKind::Number) {
        minijinja::escape_formatter(out, state, value)
    } else {
        Err(Error::new(ErrorKind::InvalidOperation, format!("a template prints a value of kind {kind}")))
    }
}

/// The error at the root of an error in an included template.
fn innermost(error: &Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests;
