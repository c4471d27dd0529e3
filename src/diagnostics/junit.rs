//! Findings as `JUnit` XML: a suite per file, a failed test case per error. Warnings are part of the output of their
//! suite.

use super::{Diagnostic, FileReport, Severity, Style, Tally, Verdict, render_text};

/// Renders reports as one XML document; ends with a line break.
pub fn render_junit(reports: &[FileReport]) -> String {
    let tally = Tally::of(reports);
    let errors = tally.unreadable;
    let (tests, failures) = (tally.errors + tally.valid, tally.errors - errors);
    let suites: Vec<_> = reports.iter().map(suite).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"adl validate\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">\n{}</testsuites>\n",
        suites.concat()
    )
}

fn suite(report: &FileReport) -> String {
    let name = attribute(&report.name);
    let count = report.count(Severity::Error);
    // An unreadable file is an error, not a failure.
    let (failures, errors) = if report.verdict == Verdict::Unreadable { (0, count) } else { (count, 0) };
    let (bad, good): (Vec<_>, Vec<_>) = report.diagnostics.iter().partition(|diagnostic| diagnostic.is_error());
    let cases = match report.verdict {
        Verdict::Valid => format!("    <testcase name=\"valid\" classname=\"{name}\" time=\"0\"/>\n"),
        Verdict::Invalid | Verdict::Unreadable => {
            bad.iter().map(|diagnostic| case(&name, diagnostic, report)).collect::<Vec<_>>().concat()
        }
    };
    let warnings: Vec<_> = good.iter().map(|warning| render_text(warning, &report.sources, Style::Plain)).collect();
    let output = match warnings.as_slice() {
        [] => String::new(),
        warnings => format!("    <system-out>{}</system-out>\n", text(&warnings.join("\n"))),
    };
    let tests = count.max(1);
    format!(
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" time=\"0\">\n\
         {cases}{output}  </testsuite>\n"
    )
}

/// A failed test case, or one that could not run.
fn case(classname: &str, diagnostic: &Diagnostic, report: &FileReport) -> String {
    let element = if report.verdict == Verdict::Unreadable { "error" } else { "failure" };
    let name = attribute(&title(diagnostic, report));
    let message = attribute(&diagnostic.headline);
    let body = text(&render_text(diagnostic, &report.sources, Style::Plain));
    format!(
        "    <testcase name=\"{name}\" classname=\"{classname}\" time=\"0\">\n      \
         <{element} type=\"{}\" message=\"{message}\">{body}</{element}>\n    </testcase>\n",
        diagnostic.code.name(),
    )
}

/// `ADL0302 invalid-server-url, line 12 column 9`
fn title(diagnostic: &Diagnostic, report: &FileReport) -> String {
    let title = format!("{} {}", diagnostic.code, diagnostic.code.name());
    match &diagnostic.primary {
        Some(label) => {
            let place = report.sources.position(label.span);
            format!("{title}, line {} column {}", place.line, place.column)
        }
        None => title,
    }
}

/// Text content: escaped, without characters that XML 1.0 does not allow.
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

/// An attribute value.
fn attribute(value: &str) -> String {
    text(value).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_xml_and_drops_invalid_characters() {
        assert_eq!(text("a\0\u{1b}[1m<b> & \"c\"\r\n\u{ffff}é"), "a[1m&lt;b&gt; &amp; \"c\"&#13;\né");
        assert_eq!(attribute("\"a\"\n\t<"), "&quot;a&quot;&#10;&#9;&lt;");
    }
}
