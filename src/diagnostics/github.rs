//! Findings as workflow commands of GitHub Actions: each becomes an annotation on the line that it is about.

use super::{Columns, Diagnostic, FileReport, Severity, Sources};

/// Renders a command a line for each finding.
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
    let mut command = format!("::{level} file={}", property(name));
    if let Some(label) = &diagnostic.primary {
        let [start, end] = [label.span.start, label.span.end]
            .map(|offset| sources.position_of(label.span.file, offset, Columns::Characters));
        command += &format!(",line={},endLine={}", start.line, end.line);
        // Columns are only allowed where both ends stand on one line.
        if start.line == end.line {
            command += &format!(",col={},endColumn={}", start.column, end.column);
        }
    }
    let title = format!("{} {}", diagnostic.code, diagnostic.code.name());
    command + &format!(",title={}::{}\n", property(&title), data(&diagnostic.message()))
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
    fn what_has_a_meaning_in_a_command_is_escaped() {
        assert_eq!(data("50%\r\na: b, c"), "50%25%0D%0Aa: b, c");
        assert_eq!(property("C:\\a,b%\n"), "C%3A\\a%2Cb%25%0A");
    }
}
