//! `adl explain`

use super::{Printer, Status};
use crate::diagnostics::{Code, Diagnostic, Severity, Sources};
use crate::ops::{Explanation, FieldExplanation, Topics, explain, topics};

/// Explain a finding or a manifest field
///
/// Takes the code or name of a finding, or the path of a field. Lists all of
/// them without an argument. Works offline.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  adl explain ADL0302\n  adl explain invalid-server-url\n  adl explain spec.agent.mcp.refreshInterval\n  adl explain\n"
)]
pub(super) struct Arguments {
    /// A code, a code name or the path of a field
    #[arg(value_name = "CODE|FIELD")]
    topic: Option<String>,
}

pub(super) fn run(arguments: &Arguments, printer: &mut Printer) -> Status {
    let Some(topic) = &arguments.topic else {
        list(&topics(), printer);
        return Status::Done;
    };
    match explain(topic) {
        Ok(Explanation::Finding(code)) => printer.data(code.page().trim_end()),
        Ok(Explanation::Field(explanation)) => describe(&explanation, printer),
        Err(unknown) => {
            let headline = format!("unknown finding or field `{topic}`");
            let help = match unknown.meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "run `adl explain` to list all findings and fields".to_owned(),
            };
            printer.finding(&Diagnostic::without_place(Code::UnknownTopic, headline).help(help), &Sources::new());
            return Status::Failed;
        }
    }
    Status::Done
}

fn list(topics: &Topics, printer: &mut Printer) {
    printer.data("Findings\n");
    for code in topics.codes {
        let severity = match code.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        printer.data(&format!("  {code}  {severity:7}  {}", code.name()));
    }
    printer.data("\nFields\n");
    let width = topics.fields.iter().map(|(path, _)| path.len()).max().unwrap_or(0);
    for (path, title) in &topics.fields {
        printer.data(&format!("  {path:width$}  {title}"));
    }
}

fn describe(explanation: &FieldExplanation, printer: &mut Printer) {
    let field = &explanation.field;
    printer.data(&format!("# {}\n\n{}\n", field.path, field.description));
    let mut row = |name: &str, text: &str| printer.data(&format!("{name:<10} {text}"));
    row("Type", &field.kind);
    row("Required", if field.required { "yes" } else { "no" });
    if let Some(default) = &explanation.default {
        row("Default", if default.is_empty() { "\"\"" } else { default });
    }
    if let Some((name, text)) = &explanation.variable {
        row("Variable", &format!("{name}: {text}"));
    }
    match explanation.languages.as_slice() {
        [] => row("Languages", "none yet"),
        languages => {
            let with_limit = |(name, limit): &(&str, Option<&str>)| match limit {
                Some(limit) => format!("{name} ({limit})"),
                None => (*name).to_owned(),
            };
            row("Languages", &languages.iter().map(with_limit).collect::<Vec<_>>().join(", "));
        }
    }
    if field.extension {
        row("Portable", "no, other tools reject this field");
    }
    if !field.children.is_empty() {
        row("Fields", &field.children.join(", "));
    }
    if !explanation.example.is_empty() {
        printer.data(&format!("\n## Example\n\n```yaml\n{}```", explanation.example));
    }
}
