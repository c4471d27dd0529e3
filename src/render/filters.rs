//! The filters of the templates: each makes its value a literal of the language that the template writes.

use minijinja::value::Kwargs;
use minijinja::{Environment, Error, ErrorKind, Value};

use super::literals;

pub(super) fn register(environment: &mut Environment<'_>) {
    environment.add_filter("go_string", |text: &str| literals::go_string(text));
    environment.add_filter("go_text", |text: &str| literals::go_text(text));
    environment.add_filter("go_comment", |text: &str, options: Kwargs| go_comment(text, &options));
    environment.add_filter("json", |value: &Value, options: Kwargs| json(value, &options));
    environment.add_filter("yaml_string", |text: &str| literals::yaml_string(text));
    environment.add_filter("markdown_text", |text: &str| literals::markdown_text(text));
    environment.add_filter("markdown_cell", |text: &str| literals::markdown_cell(text));
    environment.add_filter("env_value", |text: &str| literals::env_value(text));
    environment.add_filter("shell_word", |text: &str| literals::shell_word(text));
}

/// `{{ text | go_comment(indent=1) }}`: for a comment that stands one tab in.
fn go_comment(text: &str, options: &Kwargs) -> Result<String, Error> {
    let indent = options.get::<Option<usize>>("indent")?.unwrap_or(0);
    options.assert_all_used()?;
    Ok(literals::go_comment(text, indent))
}

/// `{{ value | json(indent="\t") }}`: any value as JSON over several lines; indented by two spaces by default.
fn json(value: &Value, options: &Kwargs) -> Result<String, Error> {
    let indent = options.get::<Option<&str>>("indent")?.unwrap_or("  ");
    options.assert_all_used()?;
    let failed =
        |source: serde_json::Error| Error::new(ErrorKind::InvalidOperation, "cannot write as JSON").with_source(source);
    serde_json::to_value(value).and_then(|value| literals::json_pretty(&value, indent)).map_err(failed)
}
