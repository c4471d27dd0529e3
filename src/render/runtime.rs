//! Run-time sources: real code of the target language that is adapted to a project, not printed from a template.
//!
//! In its own folder, `templates/<language>/runtime/`, all of it is compiled and tested. A project receives the parts that its
//! features need: lines between `//adl:if NAME` (or `//adl:if !NAME`) and `//adl:end` are kept or dropped, and the lines of the
//! markers always go. `#adl:` does the same in files whose comments begin with `#`.

use std::collections::BTreeMap;

use thiserror::Error;

/// What run-time sources are adapted to.
#[derive(Debug, Clone, Default)]
pub struct Adaptation {
    /// Every feature that a marker may name, and whether the project has it.
    pub features: BTreeMap<&'static str, bool>,
    /// The module path that import lines of the sources have, and the one that they get.
    pub module: Option<(&'static str, String)>,
}

/// A marker that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MarkerError {
    /// Neither `if` with the name of a feature nor `end`.
    #[error("line {line}: `{marker}` is not a valid marker of a feature")]
    Unknown {
        /// Its line, from 1.
        line: usize,
        /// The marker.
        marker: String,
    },
    /// An `end` without an `if`.
    #[error("line {line}: `adl:end` without `adl:if`")]
    Unopened {
        /// Its line, from 1.
        line: usize,
    },
    /// An `if` without an `end`.
    #[error("line {line}: `adl:if` without `adl:end`")]
    Unclosed {
        /// Its line, from 1.
        line: usize,
    },
}

impl Adaptation {
    /// The text of a source as the project has it.
    ///
    /// # Errors
    /// The first marker that means nothing.
    pub fn apply(&self, text: &str) -> Result<String, MarkerError> {
        let mut adapted = Lines::default();
        // The line of every open region, and whether its lines are kept.
        let mut open: Vec<(usize, bool)> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            match marker(line) {
                None if open.iter().all(|(_, kept)| *kept) => adapted.push(&self.renamed(line)),
                None => adapted.dropped(),
                Some("end") => {
                    open.pop().ok_or(MarkerError::Unopened { line: number })?;
                    adapted.dropped();
                }
                Some(marker) => {
                    adapted.dropped();
                    let kept = self.condition(marker);
                    let kept = kept.ok_or_else(|| MarkerError::Unknown { line: number, marker: marker.to_owned() })?;
                    open.push((number, kept));
                }
            }
        }
        match open.pop() {
            Some((line, _)) => Err(MarkerError::Unclosed { line }),
            None => Ok(adapted.finish()),
        }
    }

    /// Whether the lines after the marker `if NAME` or `if !NAME` are kept.
    fn condition(&self, marker: &str) -> Option<bool> {
        let condition = marker.strip_prefix("if ")?.trim();
        match condition.strip_prefix('!') {
            Some(name) => self.features.get(name).map(|on| !on),
            None => self.features.get(condition).copied(),
        }
    }

    /// The line, with the project's module path where it imports a package of the module.
    fn renamed(&self, line: &str) -> String {
        let imported = || {
            let (from, to) = self.module.as_ref()?;
            let (before, path) = line.split_once('"')?;
            let before = before.trim_start();
            let name = before.strip_prefix("import ").unwrap_or(before).trim_end();
            let is_name = name.chars().all(|letter| letter.is_alphanumeric() || "_.".contains(letter));
            let rest = path.strip_prefix(from).filter(|rest| rest.starts_with(['/', '"']))?;
            let start = line.len() - path.len();
            is_name.then(|| format!("{}{to}{rest}", line.get(..start).unwrap_or_default()))
        };
        imported().unwrap_or_else(|| line.to_owned())
    }
}

/// The text after `adl:` in a marker line.
fn marker(line: &str) -> Option<&str> {
    let line = line.trim();
    line.strip_prefix("//adl:").or_else(|| line.strip_prefix("#adl:"))
}

/// The lines that are kept. Where some were dropped, markers included, blank lines that separated them go too, as formatters want
/// it.
#[derive(Default)]
struct Lines {
    text: String,
    /// Lines or markers were dropped since the last one that was kept.
    gap: bool,
}

impl Lines {
    fn dropped(&mut self) {
        self.gap = true;
    }

    fn push(&mut self, line: &str) {
        if self.gap {
            let before = self.text.trim_end_matches('\n');
            let follows_blank = self.text.is_empty() || self.text.ends_with("\n\n");
            if line.is_empty() && (follows_blank || before.ends_with(['{', '('])) {
                return;
            }
            if follows_blank && line.trim_start().starts_with(['}', ')']) {
                self.text.truncate(before.len() + 1);
            }
            self.gap = false;
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn finish(mut self) -> String {
        if self.gap {
            self.text.truncate(self.text.trim_end_matches('\n').len() + 1);
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapt(text: &str) -> Result<String, MarkerError> {
        let features = BTreeMap::from([("on", true), ("off", false)]);
        let module = Some(("adl.example/agent", "example.com/weather".to_owned()));
        Adaptation { features, module }.apply(text)
    }

    #[test]
    fn regions_are_kept_or_dropped_and_markers_go() {
        for (text, adapted) in [
            ("a\n//adl:if on\nb\n//adl:end\nc\n", "a\nb\nc\n"),
            ("a\n\t//adl:if off\n\tb\n\t//adl:end\nc\n", "a\nc\n"),
            ("a\n#adl:if !off\nb\n#adl:end\n#adl:if !on\nc\n#adl:end\n", "a\nb\n"),
            ("//adl:if on\na\n//adl:if off\nb\n//adl:end\nc\n//adl:end\n", "a\nc\n"),
            ("//adl:if off\na\n//adl:if on\nb\n//adl:end\nc\n//adl:end\nd\n", "d\n"),
            ("// adl:if is explained here\n", "// adl:if is explained here\n"),
        ] {
            assert_eq!(adapt(text).as_deref(), Ok(adapted), "{text}");
        }
    }

    #[test]
    fn no_blank_line_is_left_where_a_region_was() {
        for (text, adapted) in [
            ("a\n\n//adl:if on\n\nb\n\n//adl:end\n\nc\n//adl:if on\n\nd\n//adl:end\n", "a\n\nb\n\nc\n\nd\n"),
            ("a\n\n//adl:if off\nb\n//adl:end\n\nc\n", "a\n\nc\n"),
            ("a {\n//adl:if off\nb\n//adl:end\n\nc\n}\n", "a {\nc\n}\n"),
            ("a {\nc\n\n//adl:if off\nb\n//adl:end\n}\n", "a {\nc\n}\n"),
            ("a\n\n//adl:if off\nb\n//adl:end\n", "a\n"),
            ("a\n\n\n//adl:if on\nb\n//adl:end\n", "a\n\n\nb\n"),
            ("a\n\n//adl:if on\n\nb\n\n//adl:end\n\nc\n", "a\n\nb\n\nc\n"),
            ("a\n//adl:if on\n\nb\n//adl:end\n}\n", "a\n\nb\n}\n"),
        ] {
            assert_eq!(adapt(text).as_deref(), Ok(adapted), "{text}");
        }
    }

    #[test]
    fn the_module_path_is_replaced_in_import_lines_alone() {
        for (line, adapted) in [
            ("\t\"adl.example/agent/internal/tool\"", "\t\"example.com/weather/internal/tool\""),
            ("import \"adl.example/agent\"", "import \"example.com/weather\""),
            ("\t_ \"adl.example/agent/x\"", "\t_ \"example.com/weather/x\""),
            ("\tname \"adl.example/agent/x\"", "\tname \"example.com/weather/x\""),
            ("\t\"adl.example/agents/x\"", "\t\"adl.example/agents/x\""),
            ("\tx := \"adl.example/agent/x\"", "\tx := \"adl.example/agent/x\""),
            ("\tf(\"adl.example/agent\")", "\tf(\"adl.example/agent\")"),
        ] {
            assert_eq!(adapt(&format!("{line}\n")), Ok(format!("{adapted}\n")));
        }
    }

    #[test]
    fn a_marker_that_means_nothing_is_an_error() {
        let unknown = |line, marker: &str| MarkerError::Unknown { line, marker: marker.to_owned() };
        for (text, error) in [
            ("//adl:if other\n//adl:end\n", unknown(1, "if other")),
            ("a\n//adl:else\n", unknown(2, "else")),
            ("//adl:if\n", unknown(1, "if")),
            ("a\n//adl:end\n", MarkerError::Unopened { line: 2 }),
            ("//adl:if on\na\n", MarkerError::Unclosed { line: 1 }),
        ] {
            assert_eq!(adapt(text), Err(error), "{text}");
        }
    }
}
