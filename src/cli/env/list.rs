//! `adl env list`

use serde::Serialize;

use super::super::format::AnswerFormat;
use super::super::{Printer, Status};
use super::{ManifestArgument, refuse};
use crate::ops::{Variable, VariableGroup, VariableKind, list_env};

/// List the environment variables of an agent
///
/// Shows the type, the default, the manifest field that sets the default, and
/// the description of each variable.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  adl env list\n  adl env list --format json\n")]
pub(super) struct Arguments {
    #[command(flatten)]
    manifest: ManifestArgument,
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
    variables: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    group: VariableGroup,
    r#type: VariableKind,
    default: &'a str,
    field: Option<&'static str>,
    required: bool,
    text: &'a str,
}

/// The maximum number of characters of a default; longer ones are truncated.
const MAX_LENGTH: usize = 40;

pub(super) fn run(arguments: &Arguments, printer: &mut Printer) -> Status {
    let variables = match list_env(&arguments.manifest.manifest) {
        Ok(variables) => variables,
        Err(error) => return refuse("", error, printer),
    };
    match arguments.format {
        AnswerFormat::Text => {
            let header = ["NAME", "TYPE", "DEFAULT", "FIELD", "TEXT"].map(str::to_owned);
            let rows: Vec<_> = std::iter::once(header).chain(variables.iter().map(cells)).collect();
            printer.table(&rows);
        }
        AnswerFormat::Json => {
            let document = Document { version: VERSION, variables: variables.iter().map(row).collect() };
            printer.json(&document);
        }
    }
    Status::Done
}

fn row(variable: &Variable) -> Row<'_> {
    Row {
        name: &variable.name,
        group: variable.group,
        r#type: variable.kind,
        default: &variable.default,
        field: variable.field,
        required: variable.required,
        text: &variable.text,
    }
}

fn cells(variable: &Variable) -> [String; 5] {
    let default = match (variable.default.as_str(), variable.required) {
        ("", true) => "(required)".to_owned(),
        ("", false) => "-".to_owned(),
        (text, _) => super::shortened(text, MAX_LENGTH),
    };
    let field = variable.field.unwrap_or("-").to_owned();
    [variable.name.clone(), variable.kind.title().replace('`', ""), default, field, variable.text.clone()]
}
