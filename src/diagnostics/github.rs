//! Findings as GitHub Actions workflow commands, which become annotations.

use super::{Columns, Diagnostic, FileReport, Severity, Sources, Span};

/// Renders one command per finding.
pub fn render_github(reports: &[FileReport]) -> String {
    let findings =
        reports.iter().flat_map(|report| report.diagnostics.iter().map(move |diagnostic| (report, diagnostic)));
    findings.map(|(report, diagnostic)| command(&report.name, diagnostic, &report.sources)).collect()
}

fn command(name: &str, diagnostic: &Diagnostic, sources: &Sources) -> String {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let place = diagnostic.primary.as_ref().map(|label| place(label.span, sources)).unwrap_or_default();
    let title = format!("{} {}", diagnostic.code, diagnostic.code.name());
    let (file, title, message) = (property(name), property(&title), data(&diagnostic.message()));
    format!("::{level} file={file}{place},title={title}::{message}\n")
}

/// The location properties; columns are allowed only on a single line.
fn place(span: Span, sources: &Sources) -> String {
    let [start, end] = [span.start, span.end].map(|offset| sources.position_of(span.file, offset, Columns::Characters));
    let columns = (start.line == end.line).then(|| format!(",col={},endColumn={}", start.column, end.column));
    format!(",line={},endLine={}{}", start.line, end.line, columns.unwrap_or_default())
}

/// Escapes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_workflow_commands() {
        assert_eq!(data("50%\r\na: b, c"), "50%25%0D%0Aa: b, c");
        assert_eq!(property("C:\\a,b%\n"), "C%3A\\a%2Cb%25%0A");
    }
}
