//! Templates to text: the one place that sets the template engine up. Targets know its values alone.
//!
//! Owns the engine's set-up, the filters that turn manifest strings into literals ([`literals`]), and the step from
//! [`PlannedFile`]s to a [`FileTree`]. A template that prints an undefined value, a truth value, nothing or a collection is
//! refused, not guessed at.

mod filters;
pub mod literals;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value};
use thiserror::Error as ThisError;

use crate::files::{Contents, FileTree, Owner, PathError, with_header};
use crate::merge::Strategy;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// Every template, by the path of what it makes, with `.j2` behind. A look-up in the folder itself goes through all its files.
static TEMPLATES: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let mut templates = BTreeMap::new();
    collect(&EMBEDDED, &mut templates);
    templates
});

fn collect(folder: &Dir<'static>, templates: &mut BTreeMap<&'static str, &'static str>) {
    templates.extend(folder.files().filter_map(|file| Some((file.path().to_str()?, file.contents_utf8()?))));
    folder.dirs().for_each(|below| collect(below, templates));
}

/// A file that is to be rendered.
#[derive(Debug, Clone)]
pub struct PlannedFile {
    /// Where it goes, below the output folder, with `/` between components.
    pub path: String,
    /// The template's path below `templates/`, for example `go/main.go.j2`.
    pub template: &'static str,
    /// Whose the file will be.
    pub owner: Owner,
    /// How it is brought up to date where the user has edited it too.
    pub strategy: Strategy,
    /// What the template prints.
    pub context: Value,
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
    /// The file cannot have this path.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// Renders every file, with the header that says whose it is. A file that begins with `#!` becomes executable.
///
/// # Errors
/// The first file that cannot be rendered or placed.
pub fn render(files: &[PlannedFile]) -> Result<FileTree, RenderError> {
    let environment = environment();
    let mut tree = FileTree::new();
    for PlannedFile { path, template, owner, strategy, context } in files {
        let text = environment
            .get_template(template)
            .and_then(|template| template.render(context))
            .map_err(|source| RenderError::Template { path: path.clone(), source: Box::new(source) })?;
        let executable = text.starts_with("#!");
        let bytes = with_header(path, *owner, text).into_bytes();
        tree.insert(path, Contents { bytes, owner: *owner, strategy: *strategy, executable })?;
    }
    Ok(tree)
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
    environment.set_loader(|name| Ok(TEMPLATES.get(name).map(|text| (*text).to_owned())));
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
