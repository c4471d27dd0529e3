//! `adl env diff`

use serde::Serialize;

use super::super::format::AnswerFormat;
use super::super::{Printer, Status};
use super::{FileArguments, refuse, shortened};
use crate::ops::{Deviation, Difference, ShownValue, diff_env};

/// Show which variables of an environment file differ from the defaults
///
/// Values of secrets are not shown.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl env diff\n  adl env diff --format json deploy/weather.env\n"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    files: FileArguments,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = AnswerFormat::Text)]
    format: AnswerFormat,
}

/// The version of the output format.
const VERSION: u32 = 1;

/// The JSON output. A version may gain fields, but does not change or remove any.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    differences: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    state: &'static str,
    /// `None` if there is no value or it is hidden.
    value: Option<&'a str>,
    hidden: bool,
    default: Option<&'a str>,
}

/// The maximum number of characters of a value; longer ones are truncated.
const MAX_LENGTH: usize = 60;

pub(super) fn run(arguments: Arguments, printer: &mut Printer) -> Status {
    let format = arguments.format;
    let (options, name) = arguments.files.options();
    let differences = match diff_env(&options) {
        Ok(differences) => differences,
        Err(error) => return refuse(&name, error, printer),
    };
    match format {
        AnswerFormat::Text if differences.is_empty() => {
            printer.data(&format!("{name} does not differ from the manifest"));
        }
        AnswerFormat::Text => {
            for Difference { name, state } in &differences {
                printer.data(&format!("{name}: {}", description(state)));
            }
        }
        AnswerFormat::Json => {
            let document = Document { version: VERSION, differences: differences.iter().map(row).collect() };
            printer.json(&document);
        }
    }
    Status::Done
}

fn description(state: &Deviation) -> String {
    let shown = |text: &str| if text.is_empty() { "empty".to_owned() } else { shortened(text, MAX_LENGTH) };
    match state {
        Deviation::Set { value: ShownValue::Text(text), default } => {
            format!("{} instead of {}", shown(text), shown(default))
        }
        Deviation::Set { value: ShownValue::Hidden, default } if default.is_empty() => "set (not shown)".to_owned(),
        Deviation::Set { value: ShownValue::Hidden, .. } => "differs (not shown)".to_owned(),
        Deviation::Environment => "depends on the environment".to_owned(),
        Deviation::NotSet => "not set, but required".to_owned(),
        Deviation::Unknown => "not read by the agent".to_owned(),
    }
}

fn row(difference: &Difference) -> Row<'_> {
    let (state, value, hidden, default) = match &difference.state {
        Deviation::Set { value: ShownValue::Text(text), default } => ("set", Some(text.as_str()), false, Some(default)),
        Deviation::Set { value: ShownValue::Hidden, default } => ("set", None, true, Some(default)),
        Deviation::Environment => ("environment", None, false, None),
        Deviation::NotSet => ("not-set", None, false, None),
        Deviation::Unknown => ("unknown", None, false, None),
    };
    Row { name: &difference.name, state, value, hidden, default: default.map(String::as_str) }
}
