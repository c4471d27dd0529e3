//! Findings as JUnit XML: a suite for each file, a failed case for each error. Warnings fail nothing and stand in the output of
//! their suite.

use super::{Code, Columns, Diagnostic, FileReport, Severity, Style, Tally, Verdict, render_text};

/// Renders reports as one XML document; ends with a line break.
pub fn render_junit(reports: &[FileReport]) -> String {
    let tally = Tally::of(reports);
    // A file that cannot be read is an error of the run, not a failed check.
    let failures = tally.errors - tally.unreadable;
    let tests = tally.errors + tally.valid;
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml += &format!(
        "<testsuites name=\"adl validate\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{}\">\n",
        tally.unreadable
    );
    xml.extend(reports.iter().map(suite));
    xml + "</testsuites>\n"
}

fn suite(report: &FileReport) -> String {
    let name = attribute(&report.name);
    let errors = report.count(Severity::Error);
    let (failed, broken) = if report.verdict == Verdict::Unreadable { (0, errors) } else { (errors, 0) };
    let tests = errors.max(1);
    let mut xml = format!(
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"{broken}\" skipped=\"0\" time=\"0\">\n"
    );
    if report.verdict == Verdict::Valid {
        xml += &format!("    <testcase name=\"valid\" classname=\"{name}\" time=\"0\"/>\n");
    }
    let element = if report.verdict == Verdict::Unreadable { "error" } else { "failure" };
    for diagnostic in report.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()) {
        xml += &format!(
            "    <testcase name=\"{}\" classname=\"{name}\" time=\"0\">\n      \
             <{element} type=\"{}\" message=\"{}\">{}</{element}>\n    </testcase>\n",
            attribute(&title(diagnostic, report)),
            Code::name(diagnostic.code),
            attribute(&diagnostic.headline),
            text(&render_text(diagnostic, &report.sources, Style::Plain)),
        );
    }
    let warnings = report.diagnostics.iter().filter(|diagnostic| !diagnostic.is_error());
    let warnings: Vec<_> = warnings.map(|diagnostic| render_text(diagnostic, &report.sources, Style::Plain)).collect();
    if !warnings.is_empty() {
        xml += &format!("    <system-out>{}</system-out>\n", text(&warnings.join("\n")));
    }
    xml + "  </testsuite>\n"
}

/// `ADL0302 invalid-server-url, line 12 column 9`
fn title(diagnostic: &Diagnostic, report: &FileReport) -> String {
    let mut title = format!("{} {}", diagnostic.code, diagnostic.code.name());
    if let Some(label) = &diagnostic.primary {
        let place = report.sources.position_of(label.span.file, label.span.start, Columns::Characters);
        title += &format!(", line {} column {}", place.line, place.column);
    }
    title
}

/// Text between tags: what means something to XML is escaped, what XML 1.0 cannot hold is left out.
fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\t' | '\n' => escaped.push(character),
            '\r' => escaped.push_str("&#13;"),
            '\0'..' ' | '\u{7f}'..'\u{a0}' | '\u{fffe}' | '\u{ffff}' => {}
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Text between quotes.
fn attribute(value: &str) -> String {
    text(value).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_left_out() {
        assert_eq!(text("a\0\u{1b}[1m<b> & \"c\"\r\n\u{ffff}é"), "a[1m&lt;b&gt; &amp; \"c\"&#13;\né");
        assert_eq!(attribute("\"a\"\n\t<"), "&quot;a&quot;&#10;&#9;&lt;");
    }
}
