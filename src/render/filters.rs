//! Template filters. Each formats a value as a literal of the generated file's language.

use minijinja::value::Kwargs;
use minijinja::{Environment, Error, ErrorKind, Value};

use super::literals;

pub(super) fn register(environment: &mut Environment<'_>) {
    environment.add_filter("go_string", |text: &str| literals::go_string(text));
    environment.add_filter("go_text", |text: &str| literals::go_text(text));
    environment.add_filter("go_comment", |text: &str, options: Kwargs| go_comment(text, &options));
    environment.add_filter("ts_string", |text: &str| literals::ts_string(text));
    environment.add_filter("ts_comment", |text: &str| literals::ts_comment(text, 0));
    environment.add_filter("ts_assigned", |text: &str, options: Kwargs| ts_assigned(text, &options));
    environment.add_filter("ts_value", |value: &Value| plain(value).map(|value| literals::ts_value(&value, 0, 0)));
    environment.add_filter("ts_member", |value: &Value, options: Kwargs| ts_member(value, &options));
    environment.add_filter("rust_string", |text: &str| literals::rust_string(text));
    environment.add_filter("rust_comment", |text: &str, options: Kwargs| rust_comment(text, &options));
    environment.add_filter("json", |value: &Value, options: Kwargs| json(value, &options));
    environment.add_filter("yaml_string", |text: &str| literals::yaml_string(text));
    environment.add_filter("markdown_text", |text: &str| literals::markdown_text(text));
    environment.add_filter("markdown_cell", |text: &str| literals::markdown_cell(text));
    environment.add_filter("env_value", |text: &str| literals::env_value(text));
    environment.add_filter("shell_word", |text: &str| literals::shell_word(text));
}

/// `{{ text | go_comment(indent=1) }}`: a comment that is indented by one tab.
fn go_comment(text: &str, options: &Kwargs) -> Result<String, Error> {
    let indent = options.get::<Option<usize>>("indent")?.unwrap_or(0);
    options.assert_all_used()?;
    Ok(literals::go_comment(text, indent))
}

/// `{{ text | rust_comment(indent=4) }}`: for a comment that stands four columns in.
fn rust_comment(text: &str, options: &Kwargs) -> Result<String, Error> {
    let indent = options.get::<Option<usize>>("indent")?.unwrap_or(0);
    options.assert_all_used()?;
    Ok(literals::rust_comment(text, indent))
}

/// `{{ value | json(indent="\t") }}`: multi-line JSON; the default indentation is two spaces.
fn json(value: &Value, options: &Kwargs) -> Result<String, Error> {
    let indent = options.get::<Option<&str>>("indent")?.unwrap_or("  ");
    options.assert_all_used()?;
    serde_json::to_value(value).and_then(|value| literals::json_pretty(&value, indent)).map_err(not_json)
}

fn not_json(source: serde_json::Error) -> Error {
    Error::new(ErrorKind::InvalidOperation, "cannot write as JSON").with_source(source)
}

fn plain(value: &Value) -> Result<serde_json::Value, Error> {
    serde_json::to_value(value).map_err(not_json)
}

/// `{{ text | ts_assigned(before="const name =") }}`: a string declaration, on two lines if necessary.
fn ts_assigned(text: &str, options: &Kwargs) -> Result<String, Error> {
    let before = options.get::<&str>("before")?;
    options.assert_all_used()?;
    Ok(literals::ts_assigned(before, text))
}

/// `{{ value | ts_member(key="name", indent=2) }}`: a member of an object, without the trailing comma.
fn ts_member(value: &Value, options: &Kwargs) -> Result<String, Error> {
    let (key, indent) = (options.get::<&str>("key")?, options.get::<usize>("indent")?);
    options.assert_all_used()?;
    Ok(literals::ts_member(key, &plain(value)?, indent))
}
